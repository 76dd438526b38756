package manifest_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/manifest"
)

func TestTheMilestonesOfANodeClaim(t *testing.T) {
	at := func(clock string) time.Time {
		when, err := time.Parse("15:04", clock)
		if err != nil {
			t.Fatal(err)
		}
		return when.AddDate(2026, 10, 19)
	}
	created := `{metadata: {creationTimestamp: "2026-11-20T10:00:00Z"}}`
	condition := func(kind, status, since string) string {
		return `{status: {conditions: [{type: ` + kind + `, status: "` + status + `", lastTransitionTime: ` + since + `}]}}`
	}
	for rule, test := range map[string]struct {
		claim string
		want  manifest.Milestones
	}{
		"it is created":                       {`{}`, manifest.Milestones{Created: at("10:00")}},
		"it is Initialized":                   {condition("Initialized", "True", `"2026-11-20T10:02:00Z"`), manifest.Milestones{Created: at("10:00"), Initialized: at("10:02")}},
		"it is not Initialized yet":           {condition("Initialized", "Unknown", `"2026-11-20T10:02:00Z"`), manifest.Milestones{Created: at("10:00")}},
		"since when is not known":             {condition("Initialized", "True", `null`), manifest.Milestones{}},
		"Karpenter disrupts it":               {condition("DisruptionReason", "True", `"2026-11-20T10:02:00Z"`), manifest.Milestones{Created: at("10:00"), Disrupted: at("10:02")}},
		"Karpenter disrupts it no longer":     {condition("DisruptionReason", "False", `"2026-11-20T10:02:00Z"`), manifest.Milestones{Created: at("10:00")}},
		"it is deleted, and waits to be gone": {`{metadata: {deletionTimestamp: "2026-11-20T10:04:00Z"}}`, manifest.Milestones{Created: at("10:00"), Deleted: at("10:04")}},
	} {
		t.Run(rule, func(t *testing.T) {
			c := read(t, documents(nodePool, different(t, different(t, nodeClaim, created), test.claim), node, pod))
			want := test.want
			want.Claim, want.Node, want.Pool = "general-x7k2p", "node-1", "general"
			if all := c.Milestones(); len(all) != 1 || all[0] != want {
				t.Errorf("got  %v\nwant %v", all, want)
			}
		})
	}
}
