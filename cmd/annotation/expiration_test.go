package annotation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

func TestExpiration(t *testing.T) {
	born := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]candidate.Condition{
		"{after: 720h}":                  {Reason: candidate.Expired, Since: born.Add(720 * time.Hour)},
		"{after: 720h, deadline: 1080h}": {Reason: candidate.Expired, Since: born.Add(720 * time.Hour), Deadline: born.Add(1080 * time.Hour)},
		"{after: 720h, deadline: 720h}":  {Reason: candidate.Expired, Since: born.Add(720 * time.Hour), Deadline: born.Add(720 * time.Hour)},
	} {
		p := annotation.Read("p", map[string]string{annotation.Expire: text})
		if got, there := p.Expiration.Condition(born); !there || got != want || len(p.Blockers) > 0 {
			t.Errorf("%s: %+v, %v, want %+v", text, got, p.Blockers, want)
		}
		if _, there := p.Expiration.Condition(time.Time{}); there {
			t.Errorf("%s: a node whose age is not known has expired", text)
		}
		if len(p.Topology.Reasons) != 2 {
			t.Errorf("%s: zones take turns for %v", text, p.Topology.Reasons)
		}
	}
	if _, there := annotation.Read("p", nil).Expiration.Condition(born); there {
		t.Error("without the annotation nodes expire")
	}
}

// What nobody can read makes no node expire, and holds all.
func TestAnExpirationThatNobodyCanRead(t *testing.T) {
	for text, want := range map[string]string{
		"720h":                            `"720h" is not an object: write one such as {after: 720h, deadline: 1080h}`,
		"{deadline: 720h}":                "has no after: write the age",
		"{after: -1h}":                    `"-1h" is not valid: write a duration such as 720h`,
		"{after: 30d}":                    `"30d" is not valid: write a duration such as 720h`,
		"{after: 720h, deadline: 700h}":   "nodes would be overdue before they expire",
		"{age: 720h}":                     `"age" is unknown`,
		"{after: 720h, deadline: Never}":  `"Never" is not valid`,
		"{after: 720h, after: 1h}":        "already set",
		"{after: 720, deadline: 1080000}": "720",
	} {
		p := annotation.Read("p", map[string]string{annotation.Expire: text})
		if len(p.Blockers) != 1 || !strings.Contains(p.Blockers[0].Message, want) {
			t.Errorf("%s: %v, want %q", text, p.Blockers, want)
		}
		if p.Expiration != (annotation.Expiration{}) {
			t.Errorf("%s: %+v", text, p.Expiration)
		}
	}
}

// "A node that is overdue by its age is so for all its reasons", also for one that began after that.
func TestANodeThatIsOverdueByItsAgeIsSoForAllItsReasons(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	set, err := budget.Spec{Drift: budget.Control{Deadline: "10h"}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	at := func(hours int) time.Time { return noon.Add(time.Duration(hours) * time.Hour) }
	for _, c := range []struct {
		name                string
		since, own, expires time.Time
		want                time.Time
	}{
		{"that of the budgets", at(0), time.Time{}, time.Time{}, at(10)},
		{"that of its age is earlier", at(0), time.Time{}, at(5), at(5)},
		{"that of its age is later", at(0), time.Time{}, at(15), at(10)},
		{"its own is earlier", at(0), at(2), at(5), at(2)},
		{"the reason began after it was overdue by its age", at(0), time.Time{}, at(-5), at(0)},
		{"its own is before the reason", at(0), at(-1), time.Time{}, at(10)},
		{"both are", at(0), at(-1), at(-2), at(0)},
	} {
		conditions := []candidate.Condition{{Reason: candidate.Drifted, Since: c.since, Deadline: c.own}}
		annotation.DueByAge(conditions, candidate.Condition{Deadline: c.expires}, set)
		if got := conditions[0].Deadline; !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
