package candidate_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

func TestABlockerShowsItsTimeInUTC(t *testing.T) {
	b := candidate.Blocker{Gate: "g", Code: "c", Message: "m", Until: time.Date(2026, 1, 1, 1, 0, 0, 0, time.FixedZone("", 3600))}
	if got := b.String(); got != "g/c: m (until 2026-01-01T00:00:00Z)" {
		t.Error(got)
	}
}

func TestBlockersThatSayTheSameAreEqualWhereverTheirSourcesAre(t *testing.T) {
	blocker := func() candidate.Blocker {
		return candidate.Blocker{
			Gate: "g", Code: "c", Message: "m", Pod: "p", Until: time.Unix(0, 0), ForGood: true,
			Source: &candidate.Source{
				PDBs: []string{"p"}, PodSchedule: "s", Budgets: []int{1}, Key: "k", Domain: "d", WaitsFor: "w", Probe: "q", By: "b", Why: "y",
			},
		}
	}
	b := blocker()
	if b.Until = b.Until.UTC(); b.Compare(blocker()) != 0 {
		t.Error("the same are not equal")
	}
	for i, change := range []func(*candidate.Blocker){
		func(b *candidate.Blocker) { b.Gate = "" },
		func(b *candidate.Blocker) { b.Code = "" },
		func(b *candidate.Blocker) { b.Message = "" },
		func(b *candidate.Blocker) { b.Pod = "" },
		func(b *candidate.Blocker) { b.Until = time.Time{} },
		func(b *candidate.Blocker) { b.ForGood = false },
		func(b *candidate.Blocker) { b.Source = nil },
		func(b *candidate.Blocker) { b.Source.PDBs = nil },
		func(b *candidate.Blocker) { b.Source.PodSchedule = "" },
		func(b *candidate.Blocker) { b.Source.Budgets = nil },
		func(b *candidate.Blocker) { b.Source.Key = "" },
		func(b *candidate.Blocker) { b.Source.Domain = "" },
		func(b *candidate.Blocker) { b.Source.WaitsFor = "" },
		func(b *candidate.Blocker) { b.Source.Probe = "" },
		func(b *candidate.Blocker) { b.Source.By = "" },
		func(b *candidate.Blocker) { b.Source.Why = "" },
	} {
		other := blocker()
		if change(&other); b.Compare(other) == 0 || b.Compare(other) != -other.Compare(b) {
			t.Errorf("change %d makes no difference", i)
		}
	}
}
