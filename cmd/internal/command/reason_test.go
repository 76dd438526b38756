package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
)

func TestReasonsAreReadInAnyCase(t *testing.T) {
	for text, want := range map[string][]candidate.Reason{
		"drifted":                     {"Drifted"},
		"DRIFT":                       {"Drifted"},
		"consolidation, emptiness":    {"Underutilized", "Empty"},
		"drifted/amidrift":            {"Drifted/AMIDrift"},
		"drift:NODEPOOLdrifted":       {"Drifted/NodePoolDrifted"},
		"Drifted/MyOwn":               {"Drifted/MyOwn"},
		"expired,Unhealthy":           {"Expired", "Unhealthy"},
		"unhealthy/example.com/Disk":  {"Unhealthy/example.com/Disk"},
		"Drift,drifted,Drifted,Empty": {"Drifted", "Empty"}, // what is written twice is asked once
	} {
		var got Reasons
		err := got.Set(text)
		if diff := cmp.Diff(want, []candidate.Reason(got)); diff != "" || err != nil {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
	for _, text := range []string{"drifting", " ", "Drifted,", "drifted/", "drifted/drifted"} {
		if err := new(Reasons).Set(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
