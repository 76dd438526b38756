package annotation_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

var annotates = regexp.MustCompile(`(?m)^kubectl annotate nodepools? .*disruptkit\.dev/pause=(.*?)(  +# .*)?$`)

// TestTheDocsPauseAsTheySay lets a shell expand what the docs have people type.
func TestTheDocsPauseAsTheySay(t *testing.T) {
	for file, want := range map[string]int{"README.md": 1, "docs/signals.md": 3} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		lines := annotates.FindAllStringSubmatch(string(text), -1)
		if len(lines) != want {
			t.Errorf("%s: %d lines, want %d", file, len(lines), want)
		}
		for _, line := range lines {
			relative := strings.Contains(line[1], "$(date")
			value, err := exec.Command("sh", "-c", "printf %s "+line[1]).Output()
			if relative && string(value) == "" {
				t.Skip("date is not that of GNU")
			}
			if err != nil {
				t.Fatal(err)
			}
			p := annotation.Read("general", map[string]string{annotation.Pause: string(value)})
			if len(p.Warnings) > 0 || len(p.Pauses) != 1 {
				t.Errorf("%s: %s: %v, %v", file, line[0], p.Pauses, p.Warnings)
				continue
			}
			holds, until := p.Pauses[0].State(time.Now())
			if left := time.Until(until); relative && (!holds || left > 2*time.Hour || left < 2*time.Hour-time.Minute) {
				t.Errorf("%s: %s: it ends in %s", file, line[0], left)
			}
			if !relative && p.Pauses[0].By != "alice" {
				t.Errorf("%s: %s: paused by %s", file, line[0], p.Pauses[0].By)
			}
		}
	}
}
