//go:build race

package blame_test

// raceDetector says that the race detector slows tests down. Those that count how
// often something happens are repeated less then.
const raceDetector = true
