package annotation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/probe"
)

var two = time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)

const zone = "topology.kubernetes.io/zone"

func TestAPauseIsATimeOrTrueOrAnObject(t *testing.T) {
	const nobody = "the annotation disruptkit.dev/pause"
	for _, c := range []struct {
		name, text string
		want       probe.Pause
	}{
		{"a time", "2026-11-22T14:00:00Z", probe.Pause{Until: two, By: nobody}},
		{"a time with an offset, and a line break", "2026-11-22T15:00:00+01:00\n", probe.Pause{Until: two, By: nobody}},
		{"a time in quotes", `"2026-11-22T14:00:00Z"`, probe.Pause{Until: two, By: nobody}},
		{"true", "true", probe.Pause{By: nobody}},
		{"an empty object", "{}", probe.Pause{By: nobody}},
		{"an object on one line", "{until: 2026-11-22T14:00:00Z, by: alice, why: INC-1234}", probe.Pause{Until: two, By: "alice", Why: "INC-1234"}},
		{"JSON", `{"from": "2026-11-22T13:00:00Z", "reasons": ["Drifted"]}`, probe.Pause{From: two.Add(-time.Hour), Reasons: []candidate.Reason{"Drifted"}, By: nobody}},
		{"zones", "zones: [us-east-1a]\nby: alice", probe.Pause{Key: zone, Domains: []string{"us-east-1a"}, By: "alice"}},
		{"zones that nothing should move to", "{zones: [a], inbound: true}", probe.Pause{Key: "topology.kubernetes.io/zone", Domains: []string{"a"}, Inbound: true, By: nobody}},
		{"domains of another label", "{key: rack, domains: [r1, r2]}", probe.Pause{Key: "rack", Domains: []string{"r1", "r2"}, By: nobody}},
		{"fields that are null are absent", "{until: null, zones: null, why: }", probe.Pause{By: nobody}},
		{"a why of 10 kB", "why: " + strings.Repeat("x", 10_000), probe.Pause{Why: strings.Repeat("x", 10_000), By: nobody}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Pools = []probe.PoolSelector{"karpenter.sh/nodepool=general"}
			p := annotation.Read("general", map[string]string{annotation.Pause: c.text})
			if diff := cmp.Diff([]probe.Pause{c.want}, p.Pauses); diff != "" || len(p.Blockers)+len(p.Warnings) > 0 || !p.Written {
				t.Error(diff, p.Warnings)
			}
		})
	}
	if p := annotation.Read("general", map[string]string{annotation.Pause: "false"}); len(p.Pauses)+len(p.Warnings) > 0 {
		t.Errorf("false pauses: %+v", p)
	}
}

func TestAPauseThatCannotBeReadBlocksThePool(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing, as of a date command that failed", "", `"" is empty`},
		{"words", "two hours", `"two hours" is not a pause: write a time such as 2026-11-22T14:00:00Z, true, or an object such as {until: 2026-11-22T14:00:00Z, by: alice, why: INC-1234}`},
		{"a day", "2026-11-22", `"2026-11-22" is not a pause: write a time`},
		{"a time without a zone", "2026-11-22T14:00:00", `is not a pause: write a time`},
		{"a leap second", "2026-12-31T23:59:60Z", `is not a pause`},
		{"30 February", "2026-02-30T00:00:00Z", `is not a pause`},
		{"a year beyond 9999", "12026-11-22T14:00:00Z", `is not a pause`},
		{"a number", "5", `"5" is not a pause`},
		{"the zero time", "0001-01-01T00:00:00Z", `"0001-01-01T00:00:00Z" is not a pause: write a time`},
		{"an end that is the zero time", `{by: alice, until: "0001-01-01T01:00:00+01:00"}`, `field "until": "0001-01-01T01:00:00+01:00" is not valid: write a time such as 2026-11-22T14:00:00Z, or leave it out`},
		{"a list", "[{by: alice}]", `is not a pause`},
		{"a duration", "until: 2h", `field "until": "2h" is not valid: write a time such as 2026-11-22T14:00:00Z`},
		{"an empty end", `until: ""`, `field "until": "" is not valid`},
		{"an end that is a number", "until: 5", `field "until": 5 is not valid`},
		{"a field that nobody knows", "{til: 2026-11-22T14:00:00Z}", `field "til" is unknown: write one of until, from, by, why, reasons, zones, key, domains, inbound`},
		{"a number of an incident", "why: 1234", `field "why": 1234 is not valid: write text such as INC-1234, a number in quotes`},
		{"one zone that is no list", "zones: us-east-1a", `field "zones": "us-east-1a" is not valid: write a list`},
		{"zones and domains", "{zones: [a], domains: [b]}", "zones and domains are both there: write one of them"},
		{"zones and a key", "{zones: [a], key: rack}", "zones are values of topology.kubernetes.io/zone, and need no key"},
		{"a key and zones", "{key: rack, zones: [a]}", "zones are values of topology.kubernetes.io/zone, and need no key"},
		{"a field twice", "{by: a, by: b}", `key "by" already set`},
		{"two documents", "true\n---\nfalse", "more than one document"},
		{"a huge text", strings.Repeat("x", 250_000), "is not a pause"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := annotation.Read("general", map[string]string{annotation.Pause: c.text})
			if len(p.Blockers) != 1 || len(p.Warnings) != 1 || len(p.Pauses) != 0 {
				t.Fatalf("%+v", p)
			}
			if got := p.Warnings[0].Message; !strings.Contains(got, c.want) || len(got) > 500 {
				t.Errorf("%s", got)
			}
		})
	}
}

// The warnings of decisions name the NodePool, and only one whose pause they are about.
func TestWarningsOfPausesAreAboutTheirNodePools(t *testing.T) {
	in := disruptkit.Input{Now: two}
	for pool, text := range map[string]string{
		"endless": "by: alice", "ends": "{by: alice, until: 2026-11-22T15:00:00Z}", "over": "{by: alice, until: 2026-11-22T13:00:00Z}",
		"wrong": "{by: alice, until: 2026-11-22T15:00:00Z, reasons: [drift], zones: [x]}",
		"back":  "{by: alice, from: 2026-11-22T16:00:00Z, until: 2026-11-22T15:00:00Z}",
	} {
		in.Pools = append(in.Pools, disruptkit.Pool{Name: pool, Labels: map[string]string{annotation.PoolLabel: pool}})
		in.Pauses = append(in.Pauses, annotation.Read(pool, map[string]string{annotation.Pause: text}).Pauses...)
	}
	got := map[string]bool{}
	for _, w := range disruptkit.Decide(in, candidate.Drifted).Warnings {
		for _, w := range annotation.Place(w, in.Pauses) {
			got[string(w.Code)+" "+w.Object+" "+w.Field] = true
		}
	}
	const field = " metadata.annotations[disruptkit.dev/pause]."
	want := map[string]bool{
		"no-end NodePool/endless" + field + "until": true, "no-effect NodePool/over" + field + "until": true,
		"unknown-domain NodePool/wrong" + field + "domains": true, "invalid-pause NodePool/wrong" + field + "reasons[0]": true,
		"invalid-pause NodePool/back" + field + "until": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	other := candidate.Warning{Code: candidate.CodeNoEnd, Object: "Pause/bob", Field: "until"}
	if placed := annotation.Place(other, in.Pauses); len(placed) != 1 || placed[0] != other {
		t.Errorf("a warning of another pause becomes %v", placed)
	}
}

// A pool's name may be the value of another pool's label.
func TestAPauseBlocksItsOwnPoolAlone(t *testing.T) {
	p := annotation.Read("gpu", map[string]string{annotation.Pause: "true"}).Pauses[0]
	if !p.Concerns(candidate.Drifted, "gpu", map[string]string{annotation.PoolLabel: "gpu"}) {
		t.Error("its own pool goes on")
	}
	if p.Concerns(candidate.Drifted, "other", map[string]string{annotation.PoolLabel: "other", "team": "gpu"}) {
		t.Error("another pool is paused")
	}
}
