package annotation_test

import (
	"slices"
	"strings"
	"testing"
	"time"

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
		if !slices.Contains(p.Topology.Reasons, candidate.Expired) {
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
