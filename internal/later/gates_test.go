package later_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/generate"
	"github.com/disruptkit/disruptkit/internal/later"
	gates "github.com/disruptkit/disruptkit/internal/line" // not the line of oracle_test.go
	"github.com/disruptkit/disruptkit/topology"
)

// opened opens the registered gates on an input.
func opened(in disruptkit.Input, asked candidate.Reason) *gates.Row {
	g := gate.Input{
		Now: in.Now, Reason: asked, Nodes: in.Nodes, Rules: in.Rules, Verdicts: in.Verdicts, Pauses: in.Pauses,
		Rolls: map[string]topology.Roll{}, Starts: map[string]gate.Starts{}, Waits: map[string]gate.Wait{}, Waves: map[string][]budget.Progress{},
	}
	for _, p := range in.Pools {
		g.Policies = append(g.Policies, gate.Policy(p))
	}
	for pool, m := range in.Memory {
		g.Rolls[pool], g.Waits[pool] = m.Roll, gate.Wait(m.Backoff)
		g.Starts[pool], g.Waves[pool] = gate.Starts{Known: m.Starts, Paces: m.Paces}, m.Waves
	}
	row := gates.Open(g)
	row.Decide()
	return row
}

// sameRequest reports whether two requests are of one node for one reason.
func sameRequest(a, b *gate.Request) bool { return a.Name == b.Name && a.Reason() == b.Reason() }

// judgedAt returns what each gate says of a request at a later time, if only time passes, and those before it in line that may go do.
func judgedAt(in disruptkit.Input, asked candidate.Reason, at time.Time, who *gate.Request) [][]candidate.Blocker {
	in.Now = at
	row := opened(in, asked)
	defer row.Close()
	row.Reopen()
	said := make([][]candidate.Blocker, len(row.Gates()))
	for _, r := range row.Line {
		if sameRequest(r, who) {
			row.Judge(r, said)
			break
		}
		if r.Goes && r.Name != who.Name {
			row.Go(r)
		}
	}
	return said
}

// A gate that counts nothing is never told who goes, so whatever it counted would be wrong.
func TestGatesThatCountAreRegisteredAsSuch(t *testing.T) {
	row := opened(disruptkit.Input{Now: time.Unix(0, 0)}, "")
	for _, s := range row.Gates() {
		if _, counts := s.Gate.(interface{ Go(*gate.Request) }); counts != (s.Counting != nil) {
			t.Errorf("%T: it counts: %t; it is registered as one that does: %t", s.Gate, counts, s.Counting != nil)
		}
	}
}

// Each registered gate is asked again at later times, while those before a request go. What it lets go now it still lets go until the
// time that is told. A gate that nothing in these fleets concerns has to be taught to internal/generate: else neither this test nor
// TestEveryTimeThatIsToldComesTrue, which follows those that are blocked, says anything about it.
func TestNoGateHoldsBackBeforeTheTimeThatIsTold(t *testing.T) {
	held := map[string]int{}
	fleets := uint64(300)
	if testing.Short() {
		fleets = 100
	}
	for _, inputs := range []func(generate.Source) disruptkit.Input{
		crowded, generate.Waiting, generate.WaitingInZones, generate.Paced, generate.Tied, generate.WavedWaiting, generate.SoakedWaiting,
	} {
		for seed := range fleets {
			in := renewed(inputs(rand.New(rand.NewPCG(seed, 1)).IntN))
			memory := disruptkit.Decide(in, "").Memory
			for pool, m := range in.Memory {
				m.Backoff = memory[pool].Backoff // no longer than a back-off lasts
				in.Memory[pool] = m
			}
			row := opened(in, "")
			names := make([]string, len(row.Gates()))
			for i, s := range row.Gates() {
				names[i] = fmt.Sprintf("%T", s.Gate)
				held[names[i]] += 0 // it is registered
			}
			in.Memory = memory
			keys := map[string]int{}
			for i := range row.Requests {
				keys[row.Requests[i].Name+"/"+string(row.Requests[i].Reason())]++
			}
			said := make([][]candidate.Blocker, len(names))
			reading := later.Read(row)
			for _, r := range row.Line {
				row.Judge(r, said)
				for i, list := range said {
					if len(list) > 0 {
						held[names[i]]++
					}
				}
				_, end := reading.Next(r)
				if !r.Goes || end.IsZero() || keys[r.Name+"/"+string(r.Reason())] > 1 || r.Several() {
					continue
				}
				for i, list := range judgedAt(in, "", end.Add(-1), r) {
					if len(list) > 0 {
						t.Fatalf("%s may go until %v, and just before that %s says %v\n%s", r.Name, end, names[i], list, picture(in))
					}
				}
			}
			row.Close()
		}
	}
	for name, n := range held {
		if n == 0 {
			t.Errorf("%s holds back no node of these fleets: teach internal/generate about it", name)
		}
	}
}
