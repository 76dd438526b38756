package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/disruptkit/disruptkit"
)

// A memory is a file with what one decision tells the next one. A controller that starts anew with the same file goes on where it was.
type memory string

// read returns what is in the file. What cannot be read is an error, and not an empty memory: without it, a zone could be left early.
func (file memory) read() (m map[string]disruptkit.Memory, err error) {
	text, err := os.ReadFile(string(file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the first decision
	} else if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(text, &m)
}

// write replaces the file as a whole: after a crash it has the old memory or the new one.
func (file memory) write(m map[string]disruptkit.Memory) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.WriteFile(string(file)+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(string(file)+".new", string(file))
}
