//go:build js && wasm

// Command wasm is the forecast in a browser. It gives the page one function: disruptkit(form) answers what the fields
// of a form ask, with {findings, pools, notes, picture, json}, or {error}.
package main

import (
	"fmt"
	"runtime/debug"
	"strings"
	"syscall/js"

	"github.com/disruptkit/disruptkit/cmd/internal/forecast"
)

func main() {
	// There is one thread, so collecting garbage delays the answer, and little is left afterwards.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1 << 30)
	js.Global().Set("disruptkit", js.FuncOf(func(_ js.Value, args []js.Value) any {
		answer, err := formOf(args[0]).Answer()
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		var findings []any
		for _, f := range answer.Findings {
			findings = append(findings, jsFinding(f))
		}
		return map[string]any{
			"findings": findings, "pools": answer.Pools, "notes": strings.Join(answer.Notes, "\n"),
			"picture": answer.SVG, "json": answer.JSON,
		}
	}))
	js.Global().Call("disruptkitReady")
	select {}
}

func formOf(fields js.Value) forecast.Form {
	text := func(name string) string { return fields.Get(name).String() }
	return forecast.Form{
		Text: text("text"), As: text("as"), Zone: text("zone"), From: text("from"), Nodes: text("nodes"),
		JSON:   fields.Get("json").Bool(),
		Choice: func(as string) string { return fmt.Sprintf("%q", fields.Get("choices").Get(as).String()) },
	}
}

func jsFinding(f forecast.Finding) map[string]any {
	line := 0
	if len(f.Places) > 0 {
		line = f.Places[0].Line
	}
	return map[string]any{
		"code": f.Code, "severity": string(f.Severity), "message": f.Message, "advice": f.Advice,
		"pool": f.Pool, "line": line,
	}
}
