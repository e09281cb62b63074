//go:build !race

package blame_test

const raceDetector = false
