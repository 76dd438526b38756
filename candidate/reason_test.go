package candidate_test

import (
	"testing"

	"github.com/disruptkit/disruptkit/candidate"
)

func TestEverySpellingOfAReason(t *testing.T) {
	for text, want := range map[string]candidate.Reason{
		"Drifted": "Drifted", "Empty": "Empty", "Underutilized": "Underutilized", "Expired": "Expired",
		// The words of the disruption-controls-by-method RFC.
		"Drift": "Drifted", "Emptiness": "Empty", "Consolidation": "Underutilized", "Expiration": "Expired",
		// "in the format of "method:reason"" (the same RFC, NodeClaimStatus)
		"Drift:AMIDrift": "Drifted/AMIDrift", "Drifted:K8sVersionDrift": "Drifted/K8sVersionDrift",
		"Drifted/NodePoolDrifted": "Drifted/NodePoolDrifted", "Consolidation/A_b:c,d": "Underutilized/A_b:c,d",
		// A condition whose reason is its type has no reason of its own.
		"Drifted/Drifted": "Drifted", "Drift:Drifted": "Drifted", "Drifted/Drift": "Drifted",
		// A child may have the name of another method.
		"Moved": "Moved", "Moved/Rack": "Moved/Rack",
		// Children of Unhealthy are types of conditions, which have the form of a label's key.
		"Unhealthy": "Unhealthy", "Unhealthy/Ready": "Unhealthy/Ready", "Unhealthy:Ready": "Unhealthy/Ready",
		"Unhealthy/example.com/DiskHealthy": "Unhealthy/example.com/DiskHealthy", "Unhealthy:example.com/DiskHealthy": "Unhealthy/example.com/DiskHealthy",
		"Unhealthy/NVLink-0.up": "Unhealthy/NVLink-0.up", "Unhealthy/2ndDisk": "Unhealthy/2ndDisk", "Unhealthy/a:b": "Unhealthy/a:b",
		"Unhealthy/Unhealthy": "Unhealthy",
	} {
		if got, err := candidate.ParseReason(text, "Moved"); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestInvalidReasons(t *testing.T) {
	for text, want := range map[string]string{
		"":                    `reason "" is unknown: write Drifted, Empty, Underutilized, Expired or Unhealthy, or a child of one such as Drifted/AMIDrift`,
		"drifted":             `reason "drifted" is unknown: write Drifted`,
		"DRIFT/x":             `reason "DRIFT/x" is unknown: write Drifted`,
		"amidrift":            `reason "amidrift" is unknown: write Drifted/AMIDrift`,
		"Drifted/":            `reason "Drifted/" has a malformed child: write the reason of a condition, such as Drifted/AMIDrift`,
		"Drifted/Empty":       `reason "Drifted/Empty" names two methods: write Drifted or Empty`,
		"Consolidation:EMPTY": `reason "Consolidation:EMPTY" names two methods: write Underutilized or Empty`,
		"Drift/All":           `reason "Drift/All": Drifted covers all of its children: write Drifted`,
		"Drifted/drifted":     `reason "Drifted/drifted" repeats its method: write Drifted`,
		"Drifted/1":           `reason "Drifted/1" has a malformed child: write the reason of a condition, such as Drifted/AMIDrift`,
		"Empty/a/b":           `reason "Empty/a/b" has a malformed child: write the reason of a condition, such as Empty/AMIDrift`,
		"Drifted/a.b":         `reason "Drifted/a.b" has a malformed child: write the reason of a condition, such as Drifted/AMIDrift`,
		"Unhealthy/":          `reason "Unhealthy/" has a malformed child: write the type of a node condition, such as Unhealthy/Ready`,
		"Unhealthy/a/b/c":     `reason "Unhealthy/a/b/c" has a malformed child: write the type of a node condition, such as Unhealthy/Ready`,
		"Unhealthy/-Ready":    `reason "Unhealthy/-Ready" has a malformed child: write the type of a node condition, such as Unhealthy/Ready`,
		"Unhealthy/Drifted":   `reason "Unhealthy/Drifted" names two methods: write Unhealthy or Drifted`,
		"unhealthy":           `reason "unhealthy" is unknown: write Unhealthy`,
		" Drifted":            `reason " Drifted" is unknown: write Drifted`,
		"Underutilised":       `reason "Underutilised" is unknown: write Underutilized`,
		"WhenUnderutilized":   `reason "WhenUnderutilized" is unknown: write Underutilized`,
		"“Empty”":             `reason "“Empty”" is unknown: write Empty`,
		"Moved\xff/":          "reason \"Moved\\xff/\" is unknown: write Drifted, Empty, Underutilized, Expired or Unhealthy, or a child of one such as Drifted/AMIDrift",
	} {
		if got, err := candidate.ParseReason(text); err == nil || err.Error() != want {
			t.Errorf("%q: %q, %v, want %s", text, got, err, want)
		}
	}
}

func TestReasonsAreAHierarchy(t *testing.T) {
	for _, c := range []struct {
		reason, child candidate.Reason
		covers        bool
	}{
		{"Drifted", "Drifted", true}, {"Drifted", "Drifted/AMIDrift", true}, {"Drifted/AMIDrift", "Drifted", false},
		{"Drifted/AMIDrift", "Drifted/AMIDrift", true}, {"Drifted/AMI", "Drifted/AMIDrift", false},
		{"Drift", "Drifted", false}, {"Empty", "Drifted", false}, {"", "Drifted/AMIDrift", true}, {"", "", true},
		{"Drifted", "", false},
		{"Unhealthy", "Unhealthy/example.com/DiskHealthy", true}, {"Unhealthy/example.com", "Unhealthy/example.com/DiskHealthy", false},
		{"Unhealthy/example.com/DiskHealthy", "Unhealthy/example.com/DiskHealthy", true},
	} {
		if got := c.reason.Covers(c.child); got != c.covers {
			t.Errorf("%q covers %q: %t", c.reason, c.child, got)
		}
	}
	if got := candidate.Reason("Drifted/AMIDrift").Method(); got != candidate.Drifted {
		t.Error(got)
	}
	if got := candidate.Drifted.Method(); got != candidate.Drifted {
		t.Error(got)
	}
	for _, m := range candidate.Methods() {
		if got, err := candidate.ParseReason(string(m)); got != m || err != nil {
			t.Error(got, err)
		}
	}
}

func TestReasonsAtTheEdge(t *testing.T) {
	if r, err := candidate.ParseReason("", ""); err == nil {
		t.Errorf("the reason %q is declared", r)
	}
	if r, err := candidate.ParseReason("Moved/Moved", "Moved"); r != "Moved" || err != nil {
		t.Error(r, err)
	}
	for _, text := range []string{"Drifted/a:", "Drifted/a,", "Drifted|AMIDrift"} {
		if r, err := candidate.ParseReason(text); err == nil {
			t.Errorf("%q is %q", text, r)
		}
	}
}
