package lint

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Programs get a document, whatever ended the run: it is empty then, and says what happened.
func TestProgramsAlwaysGetADocument(t *testing.T) {
	readOnly := filepath.Join(t.TempDir(), "pool.yaml")
	if err := os.WriteFile(readOnly, []byte(unfixed), 0o400); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ stdin, args string }{
		"nothing":              {"", "-"},
		"no NodePool":          {"x: 1", "-"},
		"another object":       {"kind: Pod", "-"},
		"an unknown flag":      {fine, "--nope -"},
		"a misspelt flag":      {fine, "-enigne guard -"},
		"a flag of three":      {fine, "---nodes 5 -"},
		"an unknown letter":    {fine, "-x -"},
		"a wrong value":        {fine, "--nodes five -"},
		"a wrong choice":       {fine, "--fail-on fatal -"},
		"a wrong reason":       {fine, "--reason Drift,ed -"},
		"a wrong fix":          {fine, "--fix=none:1 -"},
		"a wrong code":         {fine, "--disable none -"},
		"a wrong time":         {fine, "--now then -"},
		"a wrong zone":         {fine, "--zone Berlin -"},
		"an unknown engine":    {fine, "--engine cluster-api -"},
		"an unknown version":   {fine, "--karpenter 0.1 -"},
		"a missing calendar":   {fine, "--calendar x=none.ics --engine guard -"},
		"a missing file":       {fine, "none.yaml"},
		"a missing NodePool":   {fine, "--pool none -"},
		"a diff as a document": {fine, "--diff -"},
		"a file to be fixed":   {fine, "--fix " + readOnly},
	} {
		if name == "a file to be fixed" && (os.Getuid() == 0 || runtime.GOOS == "windows") {
			continue // everybody may write
		}
		for _, format := range []string{"json", "sarif"} {
			args := strings.Fields(c.args)
			for place, args := range map[string][]string{"before": append([]string{"-o", format}, args...), "after": append(args, "--output="+format)} {
				got := linted(c.stdin, args...)
				failed := ""
				if format == "sarif" {
					run := sarifOf(t, got)
					failed = *run.Invocations[0].ToolExecutionNotifications[0].Message.Text
				} else {
					var answer jsonAnswer
					if err := json.Unmarshal([]byte(got.stdout), &answer); err != nil || answer.Failed == nil {
						t.Fatalf("%s, %s %s it: %v %+v", name, format, place, err, got)
					}
					failed = *answer.Failed
				}
				if got.status != 2 || failed == "" || !strings.Contains(got.stderr, failed) {
					t.Errorf("%s, %s %s it: %q, %+v", name, format, place, failed, got)
				}
			}
		}
	}
}

// What could be read is in the document, beside what could not.
func TestADocumentSaysWhatCouldNotBeRead(t *testing.T) {
	got := linted(warned, "-o", "json", "-", "none.yaml")
	var answer jsonAnswer
	if err := json.Unmarshal([]byte(got.stdout), &answer); err != nil || got.status != 2 || answer.Pools != 1 || answer.Failed == nil || !strings.Contains(*answer.Failed, "none.yaml") {
		t.Errorf("%v %+v", err, got)
	}
}
