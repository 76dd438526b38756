package forecast

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/schedule"
)

// At every time of a timeline nothing is disrupted while a pause holds, and otherwise what went before.
func TestNothingGoesDuringAPause(t *testing.T) {
	start := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		minute := func(label string) time.Time {
			return start.Add(time.Duration(rapid.IntRange(-3, 23).Draw(t, label)) * time.Minute)
		}
		var timeline []budget.Segment
		for i := range rapid.IntRange(1, 4).Draw(t, "segments") {
			at := start.Add(time.Duration(i) * 5 * time.Minute)
			nodes := rapid.IntRange(0, 1).Draw(t, "nodes")
			timeline = append(timeline, budget.Segment{Span: schedule.Span{Start: at, End: at.Add(5 * time.Minute)},
				Allowance: budget.Allowance{Nodes: nodes, Binding: budget.Indexes(1 << i)}, Paces: budget.Indexes(nodes * 16 << i)})
		}
		var pauses []schedule.Event
		for range rapid.IntRange(0, 3).Draw(t, "pauses") {
			e := schedule.Event{Name: "paused", Span: schedule.Span{Start: minute("from"), End: minute("until")}}
			if rapid.IntRange(0, 3).Draw(t, "open") == 0 {
				e.End = time.Time{}
			}
			pauses = append(pauses, e)
		}
		at, got := start, engine.Paused(timeline, pauses)
		for i, s := range got {
			if !s.Start.Equal(at) || !s.End.After(at) || i > 0 && s.Allowance == got[i-1].Allowance && s.Paces == got[i-1].Paces {
				t.Fatalf("%v", got)
			}
			at = s.End
		}
		if !at.Equal(timeline[len(timeline)-1].End) {
			t.Fatalf("it ends at %v", at)
		}
		find := func(list []budget.Segment, at time.Time) budget.Segment {
			for _, s := range list {
				if s.Contains(at) {
					return s
				}
			}
			return budget.Segment{}
		}
		for at := start; at.Before(timeline[len(timeline)-1].End); at = at.Add(time.Minute) {
			want := find(timeline, at)
			for _, e := range pauses {
				if e.Contains(at) && want.Nodes > 0 {
					want.Allowance, want.Paces = budget.Allowance{}, 0
				}
			}
			if s := find(got, at); s.Allowance != want.Allowance || s.Paces != want.Paces {
				t.Fatalf("%v at %v, want %v", s, at, want)
			}
		}
	})
}

func TestPausesOfTheGuardAreForeseen(t *testing.T) {
	const pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: web\n  annotations:\n    disruptkit.dev/pause: '%'\nspec: {disruption: {consolidateAfter: 0s, budgets: [{nodes: \"1\"}]}}\n"
	for _, c := range []struct{ name, pause, reason, want string }{
		{"until it is removed", "true", "Drifted", "Drifted: no node may be disrupted at any time"},
		{"until a time", "2026-11-24T12:00:00Z", "Drifted", "0        paused by the annotation disruptkit.dev/pause"},
		{"of other reasons", "{reasons: [Empty]}", "Drifted", "Drifted: 1 at all times"},
		{"that is over", "2026-11-20T12:00:00Z", "Drifted", "Drifted: 1 at all times"},
		{"of single zones", "{zones: [a], by: alice}", "Drifted", "Drifted: 1 at all times"},
		{"of single zones is shown", "{zones: [a], by: alice, from: 2026-11-20T12:00:00Z, until: 2026-11-24T12:00:00Z}", "Drifted",
			"Not in the timeline, which is of the whole pool: paused in a by alice, from 2026-11-20T12:00:00Z, until 2026-11-24T12:00:00Z\n"},
		{"not of expiration, which asks no guard", "true", "Expired", "Expired: unlimited at all times"},
		{"false", "false", "Drifted", "Drifted: 1 at all times"},
		{"from a time on", "{from: 2026-11-25T00:00:00Z, by: alice}", "Drifted", "Wed 25 Nov 00:00  Mon 30 Nov 00:00  5d        0        paused by alice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := forecasted(strings.Replace(pool, "%", c.pause, 1), "--engine", "guard", "--from", "2026-11-23", "--reason", c.reason, "-")
			if got.status != good || !strings.Contains(unwrapped(got.stdout), unwrapped(c.want)) {
				t.Errorf("%s%s", got.stdout, got.stderr)
			}
		})
	}
}

// A SUMMARY of 10 kB does not make a line of 10 kB.
func TestALongNameOfAnEventIsCutOnATerminal(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	file := filepath.Join(t.TempDir(), "freeze.ics")
	lines := []string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VEVENT", "UID:1", "DTSTAMP:20260101T000000Z", "DTSTART;VALUE=DATE:20261225",
		"SUMMARY:" + strings.Repeat("x", 10_000), "END:VEVENT", "END:VCALENDAR", ""}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	got := forecasted(`{"budgets": [{"nodes": "0", "calendar": "freeze"}]}`, "--from", "2026-12-25", "--calendar", file, "-o", "text", "-")
	if got.status != good || !strings.Contains(got.stdout, strings.Repeat("x", 20)+"…\n") || strings.Contains(got.stdout, strings.Repeat("x", 30)) {
		t.Errorf("%d\n%s", got.status, got.stdout)
	}
}

// unwrapped returns a text in one line, with single spaces.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }
