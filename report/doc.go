// Package report renders a [blame.Result]: as text for a terminal ([Text]), as a
// page ([HTML]), as a comment on a pull request ([Markdown]), as test cases
// ([JUnit]), and as JSON, JSON Lines and CSV for programs ([JSON], [JSONL], [CSV]).
// [Write] takes the format from a file's ending. [ReadJSON] reads a result again.
//
//	result, err := blame.Batch(ctx, p, cases, blame.Options{})
//	...
//	err = report.Text(os.Stdout, result, report.TextOptions{Width: 100})
//	err = report.Write("result.json", result)
//
// Renderers compute no statistic: a number that isn't in the result isn't shown.
// Names, ids and messages come from users and models and are not trusted: what
// could steer a terminal or a spreadsheet, or be markup, is made harmless first
// (see [Clean]).
package report
