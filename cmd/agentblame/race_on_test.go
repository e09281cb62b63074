//go:build race

package main

// raceDetector says that tests run, slowly, with the race detector.
const raceDetector = true
