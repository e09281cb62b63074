// Package web holds the front end of the HTML report, as Vite builds it from src.
//
//	script := web.Script() // stands in the page, in a script element
package web
