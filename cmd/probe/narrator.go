package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/probe"
)

// A narrator tells of decisions. Times are seconds since the start.
type narrator struct {
	w     io.Writer
	start time.Time
}

// begin tells who takes part.
func (n *narrator) begin(probes []probe.Probe) error {
	var out strings.Builder
	out.WriteString("Two pools, web and batch, each have a node that has drifted and one that is empty. Three probes ask a server\n" +
		"once a second whether these may go:\n\n")
	for _, p := range probes {
		fmt.Fprintf(&out, "  %-20s %-31s %s\n", p.Name, p.URL(), modes[p.WithDefaults().Mode])
	}
	_, err := io.WriteString(n.w, out.String()+"\n")
	return err
}

var modes = map[probe.Mode]string{
	probe.StatusMode:  "lets all go, or nobody, by the status of its answer",
	probe.BodyMode:    "denies what the body says, in YAML",
	probe.ClusterMode: "the same, for all pools or some",
}

// tell tells what happens, and what was decided then.
func (n *narrator) tell(happens string, d disruptkit.Decision) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%6s  %s\n", n.second(d.Now), happens)
	if len(d.Allowed) > 0 {
		fmt.Fprintf(&out, "        may go  %s, until %s if nobody answers any more\n", nodes(d.Allowed), n.second(d.NextChange))
	}
	for _, group := range tell.Alike(d.Blocked) {
		fmt.Fprintf(&out, "        stay    %s\n", nodes(group))
		for _, b := range group[0].Blockers {
			text := b.Message
			if !b.Until.IsZero() {
				text += ", until " + n.second(b.Until)
			}
			out.WriteString(tell.Wrap("                  "+text, "                    ") + "\n")
		}
	}
	_, err := io.WriteString(n.w, out.String()+"\n")
	return err
}

// end tells what to do next.
func (n *narrator) end() error {
	_, err := fmt.Fprintf(n.w, "%6s  The end. To poll the disruptionProbes of your NodePools, write: go run ./probe -f FILE\n", n.second(time.Now()))
	return err
}

func (n *narrator) second(t time.Time) string { return fmt.Sprintf("%.1fs", t.Sub(n.start).Seconds()) }

func nodes(candidates []candidate.Candidate) string {
	var names []string
	for _, c := range candidates {
		names = append(names, c.Node)
	}
	return strings.Join(names, ", ")
}
