package manifest

import (
	"bytes"
	"fmt"
	"regexp"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// byKubectl matches lines that kubectl prints on standard error. No object has such a line.
var byKubectl = regexp.MustCompile(`(?m)^(?:Error from server|The connection to the server|Unable to connect to the server|Warning: |[EFIW]\d{4} \d\d:\d\d:\d\d` +
	`|error: (?:You must|the server|unable|no |context|exec|getting|stat|couldn't))[^\r\n]*`)

// messageOfKubectl returns the error for a text in which kubectl has written a message between objects; nil: it has not.
func messageOfKubectl(in *source) *brokenDocument {
	at := byKubectl.FindIndex(in.text)
	if at == nil {
		return nil
	}
	line := in.line(at[0])
	return &brokenDocument{saidByKubectl(fmt.Sprintf("line %d", line), in.text[at[0]:at[1]]), line}
}

// saidByKubectl is the error for a message of kubectl.
func saidByKubectl(where string, message []byte) error {
	return fmt.Errorf("%s is a message of kubectl, so objects may be missing: %s", where, wording.Short(string(bytes.TrimSpace(message)), 200))
}
