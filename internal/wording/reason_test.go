package wording_test

import (
	"testing"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

func TestNamesAreNearButForCaseAndOneLetter(t *testing.T) {
	for _, row := range []struct {
		a, b string
		near bool
	}{
		{"web", "web", true}, {"web", "WEB", true}, {"web", "wbe", true}, {"web", "we", true}, {"web", "wweb", true},
		{"web", "wob", true}, {"a", "a", true}, {"a", "ab", true}, {"zone", "zonee", true}, {"", "", true},
		{"a", "b", false}, {"a", "", false}, {"web", "bew", false}, {"web", "w", false}, {"web", "webbb", false},
		{"abcd", "badc", false}, {"zone", "rack", false},
	} {
		if wording.Near(row.a, row.b) != row.near || wording.Near(row.b, row.a) != row.near {
			t.Errorf("%q and %q are near: want %t", row.a, row.b, row.near)
		}
	}
}

func TestOnlyChildrenOfOneMethodAreMisspelt(t *testing.T) {
	for _, row := range []struct {
		a, b     candidate.Reason
		misspelt bool
	}{
		{"Drifted/AMIDrift", "Drifted/AMIDrfit", true}, {"Drifted/AMIDrift", "Drifted/amidrift", true},
		{"Drifted/AMIDrift", "Drifted/AMIDrift", false}, {"Drifted/AMIDrift", "Expired/AMIDrfit", false},
		{"Drifted/AMIDrift", "Drifted", false}, {"Drifted", "Driftes", false}, {"", "", false},
		{"Drifted/a", "Drifte/ab", false}, {"Drifted/a", "DriftedXab", false},
	} {
		if wording.Misspelt(row.a, row.b) != row.misspelt || wording.Misspelt(row.b, row.a) != row.misspelt {
			t.Errorf("%s and %s are misspelt: want %t", row.a, row.b, row.misspelt)
		}
	}
}

// Otherwise a budget for one of them would block the other.
func TestNoTwoChildrenThatKarpenterReportsAreNear(t *testing.T) {
	for _, a := range wording.DriftReasons {
		for _, b := range wording.DriftReasons {
			if a != b && wording.Near(a, b) {
				t.Errorf("%s and %s", a, b)
			}
		}
	}
}
