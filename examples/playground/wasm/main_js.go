//go:build js && wasm

// Command wasm is the forecast in a browser. It gives the page one function: disruptkit(text, flags …) returns what the command
// forecast prints for a file with that text, and how it ends.
package main

import (
	"bytes"
	"strings"
	"syscall/js"

	"github.com/disruptkit/disruptkit/examples/internal/forecast"
	"github.com/disruptkit/disruptkit/examples/internal/program"
)

func main() {
	js.Global().Set("disruptkit", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var flags []string
		for _, arg := range args[1:] {
			flags = append(flags, arg.String())
		}
		var stdout, stderr bytes.Buffer
		env := program.Environment{Name: "forecast", Stdin: strings.NewReader(args[0].String()), Stdout: &stdout, Stderr: &stderr}
		status := forecast.Run(env, append(flags, "-"))
		return map[string]any{"status": status, "stdout": stdout.String(), "stderr": stderr.String()}
	}))
	js.Global().Call("disruptkitReady")
	select {}
}
