package probe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
)

var pauseNoon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestAnInvalidPauseBlocksMoreAndSaysSo(t *testing.T) {
	const zone = "topology.kubernetes.io/zone"
	for _, c := range []struct {
		name  string
		pause probe.Pause
		holds probe.Pause // as enforced
		want  string
	}{
		{"a sound one is as written, in the spelling of the API", probe.Pause{Reasons: []candidate.Reason{"Drift", "Consolidation"}, Key: zone, Domains: []string{"a"}, From: pauseNoon, Until: pauseNoon.Add(1)},
			probe.Pause{Reasons: []candidate.Reason{"Drifted", "Underutilized"}, Key: zone, Domains: []string{"a"}, From: pauseNoon, Until: pauseNoon.Add(1)}, ""},
		{"a domain that is written twice counts once", probe.Pause{Key: zone, Domains: []string{"b", "a", "b", "b"}}, probe.Pause{Key: zone, Domains: []string{"b", "a"}}, ""},
		{"domains of no label, one of them twice", probe.Pause{Domains: []string{"a", "a"}}, probe.Pause{},
			`Pause: key: domains a need a label: write a key such as topology.kubernetes.io/zone; until then, all domains are paused`},
		{"a reason that is unknown", probe.Pause{Reasons: []candidate.Reason{"Empty", "drifted"}, By: "alice"}, probe.Pause{Reasons: []candidate.Reason{"Empty", ""}, By: "alice"},
			`Pause/alice: reasons[1]: reason "drifted" is unknown: write Drifted; until then, every reason is paused`},
		{"domains of no label", probe.Pause{Domains: []string{"a", ""}, Why: "INC-1"}, probe.Pause{Why: "INC-1"},
			`Pause/INC-1: key: domains a, nodes without the label need a label: write a key such as topology.kubernetes.io/zone; until then, all domains are paused`},
		{"domains of what is no label", probe.Pause{Key: "the zone", Domains: []string{"a"}}, probe.Pause{Key: "the zone"},
			`Pause: key: key "the zone" is not a label name: write one such as topology.kubernetes.io/zone; until then, all domains are paused`},
		{"a label without domains", probe.Pause{Key: zone}, probe.Pause{Key: zone},
			`Pause: domains: the pause names no values of the label topology.kubernetes.io/zone, and applies everywhere: write domains, or leave out the key`},
		{"one that is inbound everywhere", probe.Pause{Inbound: true}, probe.Pause{Inbound: true},
			`Pause: inbound: the pause applies everywhere, so inbound adds nothing: write domains, or leave out inbound`},
		{"an end that is not after the beginning", probe.Pause{From: pauseNoon, Until: pauseNoon, By: "alice", Why: "INC-1"}, probe.Pause{By: "alice", Why: "INC-1"},
			`Pause/alice: INC-1: until: the pause ends at 2026-11-20T12:00:00Z, but begins at 2026-11-20T12:00:00Z, so it applies until it is removed: write a later end`},
	} {
		t.Run(c.name, func(t *testing.T) {
			enforced, faults := c.pause.Enforced()
			if diff := cmp.Diff(c.holds, enforced); diff != "" {
				t.Error(diff)
			}
			got := ""
			for _, fault := range faults {
				got += fault.Error()
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestAnInboundPauseAwaitsNodesWhosePodsMayMoveThere(t *testing.T) {
	const zone = "topology.kubernetes.io/zone"
	in := func(zone string, pods ...candidate.Pod) candidate.Node {
		return candidate.Node{Labels: map[string]string{"topology.kubernetes.io/zone": zone}, Pods: pods}
	}
	to := func(domain string) candidate.Pod {
		return candidate.Pod{NodeSelector: map[string]string{zone: domain}}
	}
	inbound := probe.Pause{Key: zone, Domains: []string{"a"}, Inbound: true}
	unlabelled := probe.Pause{Key: zone, Domains: []string{""}, Inbound: true}
	for _, c := range []struct {
		name  string
		pause probe.Pause
		node  candidate.Node
		want  bool
	}{
		{"a pod that may move anywhere may move there", inbound, in("b", to("b"), candidate.Pod{}), true},
		{"a pod that a selector binds to the domain does", inbound, in("b", to("a")), true},
		{"pods that a selector binds to other domains do not", inbound, in("b", to("b"), to("c")), false},
		{"a selector of another label keeps nothing out", inbound, in("b", candidate.Pod{NodeSelector: map[string]string{"rack": "1"}}), true},
		{"a pod that stays does not move", inbound, in("b", candidate.Pod{Stays: true}), false},
		{"a node without pods moves none", inbound, in("b"), false},
		{"pods that nobody could list may", inbound, candidate.Node{PodsUnknown: true}, true},
		{"nodes in the domain are included, not awaited", inbound, in("a", candidate.Pod{}), false},
		{"a pause that is not inbound awaits none", probe.Pause{Key: zone, Domains: []string{"a"}}, in("b", candidate.Pod{}), false},
		{"a pause of everything includes all", probe.Pause{Inbound: true}, in("b", candidate.Pod{}), false},
		{"a pod without selector may move to nodes without the label", unlabelled, in("b", candidate.Pod{}), true},
		{"a pod with a selector may not", unlabelled, in("b", to("b")), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.pause.Awaits(&c.node); got != c.want {
				t.Error(got)
			}
		})
	}
}

func TestAPauseThatHasLittleToSaySaysLittle(t *testing.T) {
	for _, c := range []struct {
		pause probe.Pause
		want  string
	}{
		{probe.Pause{}, "paused"},
		{probe.Pause{By: "alice"}, "paused by alice"},
		{probe.Pause{Why: "INC-1"}, "paused: INC-1"},
		{probe.Pause{Key: "zone", Domains: []string{"a", "b"}, By: "alice", Why: "a\nb"}, `paused in a, b by alice: "a\nb"`},
		{probe.Pause{Key: "zone", Domains: strings.Split("a b c d e f g", " ")}, "paused in a, b, c, d, e and 2 more"},
		{probe.Pause{Why: strings.Repeat("ß", 5000)}, "paused: " + strings.Repeat("ß", 200) + " (10000 bytes in all)"},
	} {
		if got := c.pause.Blocker().Message; got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// The state changes at the end of what State says, and not before.
func TestAPauseIsNamedByAllThatItSaysOfItself(t *testing.T) {
	for want, p := range map[string]probe.Pause{
		"Pause":                            {},
		"Pause/alice":                      {By: "alice"},
		"Pause/INC-1":                      {Why: "INC-1"},
		"Pause/alice: see wiki/incidents/": {By: "alice", Why: "see wiki/incidents/"},
		"Pause/team/":                      {By: "team/"},
	} {
		if got := p.Object(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAPauseHoldsFromItsBeginningUpToItsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _ := testkit.Arbitrary(generate.Pause(pauseNoon)).Draw(t, "pause").Enforced()
		at := pauseNoon.Add(time.Duration(rapid.Int64Range(-int64(9*time.Hour), int64(9*time.Hour)).Draw(t, "at")))
		holds, until := p.State(at)
		if want := (p.From.IsZero() || !at.Before(p.From)) && (p.Until.IsZero() || at.Before(p.Until)); holds != want {
			t.Fatalf("holds at %v: %t", at, holds)
		}
		if until.IsZero() {
			until = pauseNoon.AddDate(10, 0, 0)
		} else if then, _ := p.State(until); then == holds {
			t.Fatalf("at %v it still is %t", until, holds)
		}
		before := at.Add(time.Duration(rapid.Int64Range(0, int64(until.Sub(at))-1).Draw(t, "before")))
		if still, _ := p.State(before); still != holds {
			t.Fatalf("at %v it is %t already", before, still)
		}
	})
}
