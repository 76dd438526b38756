package record_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/record"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

var generators = map[string]func(generate.Source) disruptkit.Input{
	"input": generate.Input, "grouped": generate.Grouped, "paced": generate.Paced, "dated": generate.Dated,
	"waiting": generate.Waiting, "ordered": generate.Ordered, "grouped in zones": generate.GroupedInZones, "waved": generate.Waved,
}

// Whatever a decision depends on is in the JSON of its input: blockers, messages, times, memory and warnings come out the same.
func TestADecisionOfAnInputFromItsJSONIsTheSame(t *testing.T) {
	for name, generator := range generators {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := testkit.Arbitrary(generator).Draw(t, "input")
				in.Dialect = rapid.SampledFrom([]dialect.Dialect{dialect.Disruptkit, dialect.Disruptkit, dialect.Karpenter}).Draw(t, "dialect")
				asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
				text, err := record.Marshal(in)
				if err != nil {
					t.Skip("JSON has no years after 9999: ", err)
				}
				again, err := record.Unmarshal(text)
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				if diff := cmp.Diff(disruptkit.Decide(in, asked), disruptkit.Decide(again, asked)); diff != "" {
					t.Fatalf("%s: %s", text, diff)
				}
				if second, err := record.Marshal(again); err != nil || string(second) != string(text) {
					t.Fatalf("%s\nbecomes\n%s, %v", text, second, err)
				}
			})
		})
	}
}

// A field that an input gains has to be in its JSON.
func TestTheJSONOfAnInputHasAllItsFields(t *testing.T) {
	for _, row := range []struct {
		what   string
		fields any
		known  string
	}{
		{"an input", disruptkit.Input{}, "Now Pools Groups Nodes Rules Verdicts Pauses Gates Memory Dialect"},
		{"a pool", disruptkit.Pool{}, "Name Labels Budgets Topology Verdicts Blockers Desired RepairBacksOff Revision"},
		{"a group", disruptkit.Group{}, "Name Pools Budgets Topology Verdicts Blockers"},
		{"a node", candidate.Node{}, "Name Pool Labels Unit Phase Leaving DisruptedFor Conditions Pods DoNotDisrupt HasGracePeriod " +
			"PodsUnknown NominatedUntil Blockers DoNotRepair Rebooting Maintenance Created ReadySince Deadline Replaces Cost Rank Digest StandsFor"},
		{"a condition", candidate.Condition{}, "Reason Since Deadline Urgency Bound Because"},
		{"a pod", candidate.Pod{}, "Namespace Name Labels Terms NodeSelector Started Inactive Unevictable Unready Stays"},
		{"what a pod asks for", candidate.Terms{}, "Window Protect Invalid"},
	} {
		if got := strings.Join(fieldsOf(row.fields), " "); got != row.known {
			t.Errorf("%s has the fields\n%s, and package record knows\n%s", row.what, got, row.known)
		}
	}
}

func TestWhatIsWrongWithTheJSONOfAnInputIsSaid(t *testing.T) {
	for _, row := range []struct{ json, says string }{
		{`{"pool": []}`, `unknown field "pool"`},
		{`{"pools": [{"name": "a", "disruption": {"spec": {"budget": []}}}]}`, "budget"},
		{`{"nodes": [{"name": "a", "phase": "Runing"}]}`, `phase: "Runing" is unknown: write Launched, Registered, Running, NotReady`},
		{`{"nodes": [{"name": "a", "leaving": "Gone"}]}`, `leaving: "Gone" is unknown: write Draining, Terminating`},
		{`{"nodes": [{"name": "a", "pods": [{"name": "p", "protect": "long"}]}]}`, `duration "long" is none: write one such as 1h30m, or forever`},
		{`{"nodes": [{"name": "a", "pods": [{"name": "p", "window": {"schedule": "0 25 * * *", "duration": "1h"}}]}]}`, "25"},
		{`{"pools": [{"name": "a", "topology": {"unlabelled": "Ignore"}}]}`, `"Ignore" is unknown: write TakeTurn, Exempt, Block`},
		{`{"dialect": "kured"}`, `dialect "kured" is unknown: write karpenter, or leave it out`},
		{`{"rules": {"pdbs": []}}`, `unknown field "pdbs"`},
		{`{"now": "yesterday"}`, "yesterday"},
		{`{} {}`, "write one object"},
	} {
		if in, err := record.Unmarshal([]byte(row.json)); err == nil || !strings.Contains(err.Error(), row.says) || len(in.Nodes) > 0 {
			t.Errorf("%s: %v, want %q", row.json, err, row.says)
		}
	}
}

func TestWhatJSONCannotSayIsAnError(t *testing.T) {
	for _, row := range []struct {
		name string
		in   disruptkit.Input
		says string
	}{
		{"a year after 9999", disruptkit.Input{Now: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, "year"},
		{"a phase that does not exist", disruptkit.Input{Nodes: []candidate.Node{{Phase: 9}}}, "there is no value 9"},
	} {
		if text, err := record.Marshal(row.in); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %s, %v, want %q", row.name, text, err, row.says)
		}
	}
}

func TestGatesOfTheCallerAreNotRecorded(t *testing.T) {
	in := disruptkit.Input{Gates: []func(disruptkit.Input) disruptkit.Gate{nil}}
	if _, err := record.Marshal(in); err == nil || !strings.Contains(err.Error(), "Input.Gates") {
		t.Error(err)
	}
}
