package program

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
)

func TestReasonsAreReadInAnyCase(t *testing.T) {
	for text, want := range map[string][]candidate.Reason{
		"drifted":                    {"Drifted"},
		"DRIFT":                      {"Drifted"},
		"consolidation, emptiness":   {"Underutilized", "Empty"},
		"drifted/amidrift":           {"Drifted/AMIDrift"},
		"drift:NODEPOOLdrifted":      {"Drifted/NodePoolDrifted"},
		"Drifted/MyOwn":              {"Drifted/MyOwn"},
		"expired,Unhealthy":          {"Expired", "Unhealthy"},
		"unhealthy/example.com/Disk": {"Unhealthy/example.com/Disk"},
	} {
		got, err := Reasons("--reason", text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
	for _, text := range []string{"drifting", "", "Drifted,", "drifted/", "drifted/drifted"} {
		if _, err := Reasons("--reason", text); err == nil || !strings.HasPrefix(err.Error(), "--reason: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
