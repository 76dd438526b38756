package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/replay"
)

// A steward that starts again goes on in the same file. Only half a line, of one that was killed as it wrote, cannot be read.
func TestARecordingGoesOnInTheSameFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "steward.jsonl")
	run := func() {
		to, end, err := openRecording(file)
		if err != nil {
			t.Fatal(err)
		}
		to.Decide(disruptkit.Input{}, candidate.Drifted)
		if err := end(); err != nil {
			t.Error(err)
		}
	}
	check := func() (int, error) {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return replay.Check(f, func(d replay.Divergence) { t.Error(d) })
	}
	run()
	run()
	if n, err := check(); n != 2 || err != nil {
		t.Errorf("%d decisions, %v", n, err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text[:len(text)-9], 0o600); err != nil {
		t.Fatal(err)
	}
	run()
	if n, err := check(); n != 2 || err == nil || err.Error() != "line 2: it is no case: unexpected EOF" {
		t.Errorf("%d decisions, %v", n, err)
	}
	if text, err = os.ReadFile(file); err != nil || strings.Count(string(text), "\n") != 3 {
		t.Errorf("half a line spoils the next one: %v\n%s", err, text)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

// As if gzip had died: --record /dev/stdout | gzip.
func TestARecordingWithoutAReaderEnds(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	to, end, err := openRecording(fmt.Sprintf("/dev/fd/%d", w.Fd()))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip(err)
	}
	if err = errors.Join(err, w.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 1000 { // more than a pipe holds
			to.Decide(disruptkit.Input{}, candidate.Drifted)
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for a reader")
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestARecordingThatCannotBeWrittenIsAnErrorAtTheStart(t *testing.T) {
	for _, row := range []struct{ name, file, says string }{
		{"no such directory", filepath.Join(t.TempDir(), "none", "steward.jsonl"), "no such file or directory"},
		{"a directory", t.TempDir(), "is a directory"},
	} {
		c := New()
		c.SetArgs([]string{"run", "--record", row.file})
		if err := c.Execute(); err == nil || !strings.Contains(err.Error(), "--record: open "+row.file) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

func TestWithoutAFileNothingIsRecorded(t *testing.T) {
	if to, end, err := openRecording(""); to != nil || end() != nil || err != nil {
		t.Error(to, err)
	}
}
