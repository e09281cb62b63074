package pipeline

// Suggest ends a message about a wrong name: which of the names that would be
// right is meant, and which there are. It begins with a separator, and is empty
// when there are no names.
func Suggest(got string, names []string) string { return didYouMean(got, names) }
