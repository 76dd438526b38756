package wire

import (
	"encoding/json"
	"io"
)

// Print writes an answer as indented JSON, with <, > and & as they are: people read it as well.
func Print(w io.Writer, answer any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(answer)
}
