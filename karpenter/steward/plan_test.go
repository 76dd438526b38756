package steward

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// held and bare are nodes with and without the marks of the steward, released are those that may be disrupted for so long.
var (
	held = annotation.Mark{Disrupt: annotation.Ours, Repair: annotation.Ours, Why: nothing, Marked: true, RepairMarked: true}
	bare = annotation.Mark{}
)

func released(left time.Duration) annotation.Mark {
	return annotation.Mark{Repair: annotation.Ours, Until: noon.Add(left), Left: true, RepairMarked: true}
}

func ending(left time.Duration) annotation.Mark {
	m := held
	m.Until, m.Left = noon.Add(left), true
	return m
}

// A fleet is a Snapshot to be.
type fleet struct {
	Snapshot
	budgets []budget.Budget
}

// node adds a node of the pool p, with reasons to go since an hour.
func (f *fleet) node(name string, mark annotation.Mark, reasons ...candidate.Reason) *candidate.Node {
	n := candidate.Node{
		Name: name, Pool: "p", Labels: map[string]string{"zone": name[:1]}, Phase: candidate.Running, ReadySince: noon.Add(-time.Hour),
		DoNotDisrupt: mark.Disrupt == annotation.Theirs, DoNotRepair: mark.Repair == annotation.Theirs,
	}
	for _, r := range reasons {
		n.Conditions = append(n.Conditions, candidate.Condition{Reason: r, Since: noon.Add(-time.Hour)})
	}
	f.Marks[name] = mark
	f.Input.Nodes = append(f.Input.Nodes, n)
	return &f.Input.Nodes[len(f.Input.Nodes)-1]
}

// stored adds that a release of a node is stored.
func (f *fleet) stored(name string, left time.Duration) { f.Releases["p"][name] = noon.Add(left) }

func plan(t *testing.T, build func(*fleet)) Plan {
	t.Helper()
	f := &fleet{Snapshot: Snapshot{Input: disruptkit.Input{Now: noon}, Marks: map[string]annotation.Mark{}, Releases: map[string]map[string]time.Time{"p": {}}, Rests: map[string]Rest{}, Ages: map[string]Age{}}}
	build(f)
	set, err := budget.Compile(f.budgets)
	if err != nil {
		t.Fatal(err)
	}
	if f.Input.Pools == nil {
		f.Input.Pools = []disruptkit.Pool{{Name: "p", Budgets: set}}
	}
	return Decide(f.Snapshot)
}

// told returns "drift a2; hold a1; release a2 until 12:01:30 (Drifted)": the writes but those that only tell.
func told(p Plan) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(p.Drift)) {
		texts = append(texts, map[candidate.Reason]string{candidate.Expired: "drift ", candidate.Requested: "replace ", candidate.Drifted: "unite ", "": "restore "}[p.Drift[name]]+name)
	}
	for _, w := range p.Writes {
		if w.Kind == Tell {
			continue
		}
		text := w.Kind.String() + " " + w.Node
		if !w.Until.IsZero() {
			text += " until " + w.Until.Format(time.TimeOnly)
		}
		if w.Kind == Release || w.Kind == ReleaseForRepair {
			text += " (" + w.Why + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

func TestPlan(t *testing.T) {
	const drifted, empty, underutilized, unhealthy = candidate.Drifted, candidate.Empty, candidate.Underutilized, candidate.Unhealthy
	const expired, requested = candidate.Expired, candidate.Requested
	two := []budget.Budget{{Nodes: "2"}}
	for _, c := range []struct {
		rule string
		with func(f *fleet)
		want string
	}{
		{"one with two reasons goes if both may, for as long as consolidation takes", func(f *fleet) {
			f.node("a1", held, drifted, underutilized)
		}, "release a1 until 12:07:00 (Drifted Underutilized)"},
		{"nor does one with two reasons of one method if one of them may not", func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "0", Reasons: []candidate.Reason{"Drifted/AMIDrift"}}}
			f.node("a1", held, "Drifted/SubnetDrift", "Drifted/AMIDrift")
			f.node("a2", held, "Drifted/SubnetDrift")
		}, "release a2 until 12:01:30 (Drifted)"},
		{"for each of its reasons it counts the others that are disrupted", func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "2", Reasons: []candidate.Reason{drifted}}, {Nodes: "1", Reasons: []candidate.Reason{underutilized}}}
			f.node("a1", held, drifted)
			f.node("a2", held, drifted, underutilized)
			f.node("a3", held, drifted)
		}, "release a1 until 12:01:30 (Drifted); release a3 until 12:01:30 (Drifted)"},
		{"a broken node is released for repair alone", func(f *fleet) { f.node("a1", held, unhealthy, drifted) }, "release for repair a1 until 12:01:30 (Unhealthy)"},
		{"a release that has lost a reason goes on for the other", func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "0", Reasons: []candidate.Reason{drifted}}}
			f.node("a1", released(time.Minute), unhealthy, drifted)
		}, "release for repair a1 until 12:01:00 (Unhealthy)"},
		{"but for what the steward has written there", func(f *fleet) { f.node("a1", held, drifted).Pool = "q" }, "clear a1"},
		{"and that only once admission allows Karpenter to continue", func(f *fleet) {
			f.node("a1", held, drifted).Pool = "q"
			f.Enforced = map[string]bool{"q": true}
		}, ""},
		{"one whose release was not used rests while others are disrupted", func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "1"}}
			f.node("a1", held, drifted)
			f.node("a2", held, drifted)
			f.Rests["a1"] = Rest{Since: noon.Add(-time.Minute), Times: 1}
		}, "release a2 until 12:01:30 (Drifted)"},
		{"of those that have rested the one that has for longest goes first", func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "1"}}
			f.node("a1", held, drifted)
			f.node("a2", held, drifted)
			f.Rests["a1"], f.Rests["a2"] = Rest{Since: noon.Add(-time.Minute), Times: 1}, Rest{Since: noon.Add(-2 * time.Minute), Times: 1}
		}, "release a2 until 12:01:30 (Drifted)"},
		{"a rest is twice as long each time", func(f *fleet) {
			f.node("a1", held, drifted)
			f.Rests["a1"] = Rest{Since: noon.Add(-59 * time.Second), Times: 2}
		}, ""},
		{"what has expired goes as budgets for that let it, and drifts first", func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "1", Reasons: []candidate.Reason{expired}}, {Nodes: "0", Reasons: []candidate.Reason{drifted}}}
			f.node("a1", held, expired)
			f.node("a2", held, expired)
		}, "drift a1; release a1 until 12:01:30 (Expired)"},
		{"what drifts since it has expired drifts no more when it expires no more", func(f *fleet) {
			f.node("a1", held, drifted).Blockers = []candidate.Blocker{settling}
			f.Ages["a1"] = Age{Drifts: candidate.Expired}
		}, "restore a1"},
		{"a release goes on of what has expired, and one whose drift was lost drifts again", func(f *fleet) {
			f.budgets = two
			f.node("a1", released(time.Minute), expired)
			f.node("a2", released(time.Minute), expired)
			f.Ages["a1"] = Age{At: noon.Add(-time.Hour), Drifts: candidate.Expired}
		}, "drift a2"},
		{"nodes of a pool that is opted in no more are restored before they are cleared", func(f *fleet) {
			f.node("a1", held).Pool = "q"
			f.Ages["a1"] = Age{Drifts: candidate.Expired}
			f.node("a2", held).Pool = "q"
			f.Ages["a2"] = Age{Settles: true}
			f.node("a3", held).Pool = "q"
		}, "restore a1; clear a3"},
		{"what goes is not restored", func(f *fleet) {
			f.node("a1", released(time.Minute), expired).Leaving = candidate.Draining
			f.Ages["a1"] = Age{Drifts: candidate.Expired}
		}, ""},
		{"a node goes as expired only if its other reasons may", func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "0", Reasons: []candidate.Reason{underutilized}}}
			f.node("a1", held, expired, underutilized)
		}, ""},
		{"what somebody asks for goes as budgets for that let it, and drifts first", func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "1", Reasons: []candidate.Reason{requested}}, {Nodes: "0", Reasons: []candidate.Reason{drifted}}}
			f.node("a1", held, requested)
			f.node("a2", held, requested)
		}, "replace a1; release a1 until 12:01:30 (Requested)"},
		{"what somebody asks for goes before what has drifted", func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "1"}}
			f.node("a1", held, drifted)
			f.node("a2", held, requested)
		}, "replace a2; release a2 until 12:01:30 (Requested)"},
		{"what has drifted by itself is not made to drift because somebody asks", func(f *fleet) {
			f.budgets = two
			f.node("a1", held, drifted, requested)
		}, "release a1 until 12:01:30 (Requested Drifted)"},
		{"a node goes as requested only if its other reasons may", func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "0", Reasons: []candidate.Reason{drifted}}}
			f.node("a1", held, drifted, requested)
		}, ""},
		{"what drifts since somebody asked drifts no more when nobody asks", func(f *fleet) {
			f.node("a1", held).Blockers = []candidate.Blocker{settling}
			f.Ages["a1"] = Age{Drifts: requested}
		}, "restore a1"},
		{"what drifts since somebody asked drifts no more when nobody asks, though it has expired", func(f *fleet) {
			f.budgets = two
			f.node("a1", held, expired).Blockers = []candidate.Blocker{settling}
			f.Ages["a1"] = Age{At: noon.Add(-time.Hour), Drifts: requested}
		}, "restore a1"},
		{"a release goes on of what somebody asks for", func(f *fleet) {
			f.budgets = two
			f.node("a1", released(time.Minute), requested)
			f.Ages["a1"] = Age{Requested: true, Drifts: requested}
		}, ""},
		{"a dry run releases what would be held", func(f *fleet) {
			f.Dry = true
			f.node("a1", bare, drifted)
		}, "release a1 until 12:01:30 (Drifted)"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := told(plan(t, c.with)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// By 12:00:10 it has ended by this steward's clock alone. To look then would find that nothing may go yet, and to look again at once.
func TestAReleaseThatIsTakenBackIsLookedAtAgainOnceItHasEndedForAllClocks(t *testing.T) {
	p := plan(t, func(f *fleet) {
		f.budgets = []budget.Budget{{Nodes: "1"}}
		f.node("a1", ending(10*time.Second), candidate.Drifted)
		f.stored("a1", 10*time.Second)
		f.node("a2", held, candidate.Drifted)
	})
	if want := noon.Add(10*time.Second + Skew); !p.Next.Equal(want) {
		t.Errorf("the next look is at %v, want %v", p.Next, want)
	}
}

// A release is a start; one that is not used has not started.
func TestPacesCountWhatIsReleased(t *testing.T) {
	pace := []budget.Budget{{Nodes: "1", Per: "1h"}}
	first := plan(t, func(f *fleet) {
		f.budgets = pace
		f.node("a1", held, candidate.Drifted)
		f.node("a2", held, candidate.Drifted)
	})
	if got, want := told(first), "release a1 until 12:01:30 (Drifted)"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	for left, want := range map[time.Duration]string{
		time.Minute:      "", // it goes on
		15 * time.Second: "take back a1 until 12:00:15",
		-time.Minute:     "release a2 until 12:01:30 (Drifted)",
	} {
		memory := first.Pools["p"].Memory
		if left < 0 {
			memory = disruptkit.Memory{}
		}
		p := plan(t, func(f *fleet) {
			f.budgets = pace
			if left > 0 {
				f.node("a1", released(left), candidate.Drifted)
			} else {
				f.node("a1", held, candidate.Drifted)
				f.Rests["a1"] = Rest{Since: noon, Times: 1}
			}
			f.node("a2", held, candidate.Drifted)
			f.Input.Memory = map[string]disruptkit.Memory{"p": memory}
		})
		if got := told(p); got != want {
			t.Errorf("%s left: got %s, want %s", left, got, want)
		}
		if starts := p.Pools["p"].Memory.Starts; left == 15*time.Second && len(starts) > 0 {
			t.Errorf("a release that was not used has started: %v", starts)
		}
	}
}

// What is released may start at any time until it is taken: paces count it as if it started now, and write nothing for that.
func TestPacesCountFromWhenKarpenterHasTakenANode(t *testing.T) {
	memory := disruptkit.Memory{Starts: []disruptkit.Start{{Node: "a1", Reason: candidate.Drifted, At: noon.Add(-50 * time.Second)}}, Paces: []disruptkit.Pace{{Per: "1m"}}}
	for _, c := range []struct {
		rule    string
		a1      string
		now     time.Duration
		started time.Time
		want    string
	}{
		{"released, and not taken yet", "stays", 0, noon.Add(-50 * time.Second), ""},
		{"released for longer than the pace", "stays", 15 * time.Second, noon.Add(-50 * time.Second), ""},
		{"seen in flight for the first time", "leaves", 15 * time.Second, noon.Add(15 * time.Second), ""},
		{"seen in flight for the first time, long after its release", "leaves", 70 * time.Second, noon.Add(40*time.Second + Skew), ""},
		{"gone when nobody looked", "gone", 15 * time.Second, noon.Add(15 * time.Second), ""},
		{"gone when nobody looked for long", "gone", 70 * time.Second, noon.Add(40*time.Second + Skew), ""},
		{"never released, since that could not be stored", "held", -15 * time.Second, noon.Add(-15 * time.Second), "release a1 until 12:01:15 (Drifted)"},
	} {
		p := plan(t, func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "1", Per: "1m"}}
			f.Input.Now = noon.Add(c.now)
			switch c.a1 {
			case "stays":
				f.node("a1", released(40*time.Second), candidate.Drifted)
			case "leaves":
				f.node("a1", released(40*time.Second), candidate.Drifted).Leaving = candidate.Draining
			case "held":
				f.node("a1", held, candidate.Drifted)
			}
			if c.a1 != "held" {
				f.stored("a1", 40*time.Second)
			}
			f.node("a2", held, candidate.Drifted)
			f.Input.Memory = map[string]disruptkit.Memory{"p": memory}
		})
		if got := told(p); got != c.want {
			t.Errorf("%s: %s", c.rule, got)
		}
		if starts := p.Pools["p"].Memory.Starts; len(starts) != 1 || !starts[0].At.Equal(c.started) {
			t.Errorf("%s: the starts are %v, want one at %s", c.rule, starts, c.started)
		}
	}
}

// Why a node with two reasons goes is not known: it uses up the paces of both.
func TestAStartWithTwoReasonsCountsForBoth(t *testing.T) {
	p := plan(t, func(f *fleet) {
		f.budgets = []budget.Budget{{Nodes: "1", Per: "1h", Reasons: []candidate.Reason{candidate.Underutilized}}}
		f.node("a1", held, candidate.Drifted, candidate.Underutilized)
	})
	if got := fmt.Sprint(p.Pools["p"].Memory.Starts); !strings.HasPrefix(got, "[{a1  2026") {
		t.Errorf("the starts are %s", got)
	}
}

func TestPoolsAreHeldOnceAllTheirNodesAre(t *testing.T) {
	for want, marks := range map[bool][]annotation.Mark{true: {held, released(time.Minute)}, false: {held, bare}} {
		p := plan(t, func(f *fleet) {
			f.node("a1", marks[0], candidate.Drifted)
			f.node("a2", marks[1], candidate.Drifted)
		})
		if p.Held["p"] != want {
			t.Errorf("%v: held is %v", marks, p.Held)
		}
	}
}

// A hold that only lasts longer is written once, until its time has come: else each look would write all nodes that wait.
func TestWhyANodeIsHeldIsWrittenAgainOnlyWhereThatHelps(t *testing.T) {
	const paced = "Drifted: budget/paced"
	for _, c := range []struct{ rule, was, is, want string }{
		{"it is held for longer", paced + " until 2026-11-20T12:01:00Z", paced + " until 2026-11-20T12:01:30Z", paced + " until 2026-11-20T12:01:00Z"},
		{"it is held for less long", paced + " until 2026-11-20T12:01:30Z", paced + " until 2026-11-20T12:01:00Z", paced + " until 2026-11-20T12:01:00Z"},
		{"what was written is over", paced + " until 2026-11-20T12:00:00Z", paced + " until 2026-11-20T12:01:00Z", paced + " until 2026-11-20T12:01:00Z"},
		{"the cause is another one", paced + " until 2026-11-20T12:01:00Z", "Drifted: budget/closed until 2026-11-20T12:02:00Z", "Drifted: budget/closed until 2026-11-20T12:02:00Z"},
		{"it is held for ever", paced + " until 2026-11-20T12:01:00Z", paced, paced},
		{"it was not held by us", "", nothing, nothing},
	} {
		if got := (&planner{now: noon}).told(c.was, c.is); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}
