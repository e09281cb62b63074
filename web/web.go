package web

import _ "embed"

//go:embed dist/report.js
var script string

// Script returns the front end as one script for the end of a page. It has no
// "</script" in it, and asks nothing of the network.
func Script() string { return script }
