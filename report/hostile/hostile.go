// Package hostile holds texts that try to be more than text, for the tests of all
// that shows what models say.
//
//	for _, s := range hostile.Texts() {
//		// s as a name, an id, an output: nothing runs and nothing changes
//	}
package hostile

import "strings"

// Texts returns at least sixty texts: markup and scripts, links, escapes of
// terminals, marks of direction, formulas of spreadsheets, a megabyte in a line.
func Texts() []string {
	return []string{
		`<script>window.hacked=1</script>`, `</script><script>window.hacked=1</script>`, `<img src=x onerror="window.hacked=1">`,
		`"><svg onload=window.hacked=1>`, `<svg><script>window.hacked=1</script></svg>`, `<math><mtext><img src=x onerror=window.hacked=1></mtext></math>`,
		`<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>`, `<a href="javascript:window.hacked=1">x</a>`, `javascript:window.hacked=1`,
		`<body onload=window.hacked=1>`, `<input autofocus onfocus=window.hacked=1>`, `<details open ontoggle=window.hacked=1>`, `<video><source onerror=window.hacked=1>`,
		`<style>@import "http://evil.example/x.css";body{display:none}</style>`, `<link rel=stylesheet href=http://evil.example/x.css>`, `<base href="http://evil.example/">`,
		`<meta http-equiv=refresh content="0;url=http://evil.example/">`, `<form action=http://evil.example/><button>x</button></form>`, `<object data="http://evil.example/x"></object>`,
		`<embed src="http://evil.example/x">`, `<template><script>window.hacked=1</script></template>`, `<noscript><p title="</noscript><img src=x onerror=window.hacked=1>">`,
		`<!--`, `--><script>window.hacked=1</script>`, `<![CDATA[x]]>`, `{{constructor.constructor("window.hacked=1")()}}`, `${window.hacked=1}`, `<%= 1 %>`, `[[x]]`,
		`' onmouseover='window.hacked=1`, `" autofocus onfocus="window.hacked=1`, "`${alert(1)}`", `\u003cscript\u003ewindow.hacked=1\u003c/script\u003e`, `&lt;script&gt;window.hacked=1&lt;/script&gt;`,
		`&#60;script&#62;window.hacked=1&#60;/script&#62;`, "\u202eevil\u202c", "\u2066\u2067x\u2069", "\u200f\u200e", "\ufeff\u200b", "a\u2028b\u2029c", "\x1b[31mred\x1b[0m\x1b]0;title\x07", "\x00\x01\x02\x7f",
		"line\nline\r\nline\ttab", strings.Repeat("e\u0301\u0301\u0301\u0301\u0301\u0301", 50), strings.Repeat("\u0489", 200), strings.Repeat("x", 1<<20), strings.Repeat("wide ", 2000),
		`=cmd|' /C calc'!A0`, `+1+1`, `-2+3+cmd|' /C calc'!A0`, `@SUM(1+1)*cmd|' /C calc'!A0`, `|pipe|`, "\tTAB=1", "\r=1", `__proto__`, `constructor`, `toString`, `hasOwnProperty`, `../../../etc/passwd`, `file:///etc/passwd`,
		"𝕌𝕟𝕚𝕔𝕠𝕕𝕖 🏳️‍🌈 👩‍👩‍👧‍👦", "العربية עברית فارسی", `#cases?q=x`,
	}
}
