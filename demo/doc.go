// Package demo holds the worked pipelines that "agentblame demo" shows, each a
// whole use of the library on a problem whose answer is known.
package demo
