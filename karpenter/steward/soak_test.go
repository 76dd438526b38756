package steward

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// A released node holds a place of a budget that soaks, and only one that was taken soaks after it.
func TestSoaksCountWhatIsTaken(t *testing.T) {
	memory := disruptkit.Memory{Soak: disruptkit.Soaking{For: "10m", Since: noon.Add(-time.Hour)}}
	for _, step := range []struct {
		rule   string
		at     time.Duration // since noon
		a1     annotation.Mark
		want   string
		places int
		same   bool // nothing is stored again
	}{
		{"one is released", 0, held, "release a1 until 12:01:30 (Drifted)", 1, false},
		{"its release goes on", 10 * time.Second, released(90 * time.Second), "", 1, false},
		{"and on", 20 * time.Second, released(90 * time.Second), "", 1, true},
		{"it was not taken, and is taken back", 75 * time.Second, released(90 * time.Second), "take back a1 until 12:01:30", 0, false},
		{"the other one is disrupted: nobody has gone, so nothing soaks", 2 * time.Minute, held, "release a2 until 12:03:30 (Drifted)", 1, false},
	} {
		p := plan(t, func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "1", Soak: "10m"}}
			f.Input.Now = noon.Add(step.at)
			f.node("a1", step.a1, candidate.Drifted)
			f.node("a2", held, candidate.Drifted)
			if step.a1.Left {
				f.stored("a1", 90*time.Second)
			}
			if step.at > 90*time.Second {
				f.Rests["a1"] = Rest{Since: noon.Add(90 * time.Second), Times: 1}
			}
			f.Input.Memory = map[string]disruptkit.Memory{"p": memory}
		})
		next := p.Pools["p"].Memory
		if got := told(p); got != step.want {
			t.Errorf("%s: got %q, want %q", step.rule, got, step.want)
		}
		if len(next.Soak.Slots) != step.places || step.same && !next.Equal(memory) {
			t.Errorf("%s: the memory was %+v, and is %+v", step.rule, memory, next)
		}
		memory = next
	}
	memory = disruptkit.Memory{Soak: disruptkit.Soaking{For: "10m", Since: noon.Add(-time.Hour), Slots: []disruptkit.Slot{{Node: "a1", Reason: candidate.Drifted, Seen: true}}}}
	for _, step := range []struct {
		rule  string
		at    time.Duration
		there bool
		want  string
		next  time.Duration // when time alone changes the plan, since noon; 0: never
	}{
		{"it is taken", 0, true, "", 0},
		{"it is gone", time.Minute, false, "", 11 * time.Minute},
		{"it soaks", 11*time.Minute - 1, false, "", 11 * time.Minute},
		{"it has soaked", 11 * time.Minute, false, "release a2 until 12:12:30 (Drifted)", 12*time.Minute + 30*time.Second - early},
	} {
		p := plan(t, func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "1", Soak: "10m"}}
			f.Input.Now = noon.Add(step.at)
			if step.there {
				f.node("a1", released(90*time.Second), candidate.Drifted).Leaving = candidate.Draining
			}
			f.node("a2", held, candidate.Drifted)
			f.Input.Memory = map[string]disruptkit.Memory{"p": memory}
		})
		memory = p.Pools["p"].Memory
		if got := told(p); got != step.want {
			t.Errorf("%s: got %q, want %q", step.rule, got, step.want)
		}
		if want := noon.Add(step.next); step.next > 0 && !p.Next.Equal(want) || step.next == 0 && !p.Next.IsZero() {
			t.Errorf("%s: next is %s, want %s", step.rule, p.Next, want)
		}
	}
}
