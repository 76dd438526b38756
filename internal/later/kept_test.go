package later_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/internal/generate"
)

// Kept fleets are seldom ones: a line of code that decides what is told of them could be broken without any other test noticing. Each was
// found among 20,000 that were decided with and without such a break. The files say what is told of every candidate.
func TestKeptFleets(t *testing.T) {
	for _, c := range []struct {
		name   string
		inputs func(generate.Source) disruptkit.Input
		seed   uint64
		about  string
	}{
		{"crowded", crowded, 4514, "a node with several reasons is counted once among those that come"},
		{"crowded", crowded, 391, "a budget that will allow none is named"},
		{"crowded", crowded, 7590, "when a budget has room depends on when it is asked for"},
		{"dated", generate.Dated, 38, "a budget that allows none then is no matter for a node that is overdue by then"},
		{"waiting", generate.Waiting, 7286, "a request that never comes makes way for none that comes earlier"},
	} {
		name := fmt.Sprintf("%s-%d", c.name, c.seed)
		t.Run(name, func(t *testing.T) {
			in := c.inputs(rand.New(rand.NewPCG(c.seed, 99)).IntN)
			got := "# " + c.about + "\n" + everything(disruptkit.Decide(in, ""))
			file := filepath.Join("testdata", "kept", name+".golden")
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v\n%s", err, got)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// everything describes what is told of each candidate, with the sources of blockers.
func everything(d disruptkit.Decision) string {
	var s strings.Builder
	at := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.Format(time.RFC3339)
	}
	fmt.Fprintf(&s, "now %s, next change %s\n", at(d.Now), at(d.NextChange))
	for _, c := range d.Allowed {
		fmt.Fprintf(&s, "+ %s %s until %s\n", c.Node, c.Reason, at(c.Until))
	}
	for _, c := range d.Blocked {
		for _, b := range c.Blockers {
			fmt.Fprintf(&s, "- %s %s %s", c.Node, c.Reason, b)
			if b.Source != nil {
				source, _ := json.Marshal(b.Source)
				fmt.Fprintf(&s, " %s", source)
			}
			s.WriteString("\n")
		}
	}
	return s.String()
}
