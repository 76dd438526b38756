package story_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/record"
)

var casesFile = flag.String("cases", "", "a file to write what the stories ask Decide, a line each, for cmd/conformance")

// A question is what a story asks Decide. As JSON it is a case of cmd/conformance without its decision.
type question struct {
	Version string           `json:"version"`
	Name    string           `json:"name"`
	Reason  candidate.Reason `json:"reason"`
	Input   json.RawMessage  `json:"input"`
}

// note keeps what is asked, if somebody wants the cases.
func (s *scenario) note(reason candidate.Reason) error {
	if *casesFile == "" {
		return nil
	}
	input, err := record.Marshal(s.input())
	s.asked = append(s.asked, question{"2", "", reason, input})
	return err
}

// writeCases adds the cases of a story to the file.
func writeCases(t *testing.T, path string, asked []question) {
	t.Helper()
	if *casesFile == "" {
		return
	}
	f, err := os.OpenFile(*casesFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, q := range asked {
		q.Name = fmt.Sprintf("story/%s-%d", strings.TrimSuffix(filepath.Base(path), ".txt"), i+1)
		if err := json.NewEncoder(f).Encode(q); err != nil {
			t.Fatal(err)
		}
	}
}
