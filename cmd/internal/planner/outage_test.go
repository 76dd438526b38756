package planner

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOutages(t *testing.T) {
	at := func(text string) time.Time {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	for _, test := range []struct {
		text     string
		zone     string
		from, to string // when it begins, and when it is over
		fault    string
	}{
		{text: "0 9 * * mon-fri 8h", from: "2026-11-20T09:00:00Z", to: "2026-11-20T17:00:00Z"},
		{text: "0 9 * * mon-fri 8h", zone: "Europe/Berlin", from: "2026-11-20T08:00:00Z", to: "2026-11-20T16:00:00Z"},
		{text: "*/5 9 * * * 1m", from: "2026-11-20T09:00:00Z", to: "2026-11-20T09:01:00Z"},
		{text: "", fault: `--outage "": write a schedule and a duration, such as 0 9`},
		{text: "8h", fault: "write a schedule and a duration"},
		{text: "0 9 * * mon-fri", fault: "write a schedule and a duration"},
		{text: "0 9 * * sat-sun 8h", fault: `day of week "sat-sun" is not valid: write "sat,sun"`},
		{text: "0 9 * * * 0s", fault: "0s"},
	} {
		t.Run(test.text, func(t *testing.T) {
			zone, err := time.LoadLocation(test.zone)
			if err != nil {
				t.Fatal(err)
			}
			o, err := parseOutage(test.text, zone)
			if (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) {
				t.Fatal(err)
			}
			if err != nil {
				return
			}
			from, to := at(test.from), at(test.to)
			for when, want := range map[time.Time]bool{from.Add(-1): false, from: true, to.Add(-1): true, to: false} {
				if open, _ := o.Until(when); open != want {
					t.Errorf("at %s: %t", when, open)
				}
			}
		})
	}
}

func TestWhatIfProbesFailed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	write(t, file, fleet(2, nights))
	args := []string{"-f", file, "--now", "2026-11-20T22:30:00Z", "--outage", "0 22 20 nov * 3h"}
	for _, as := range []string{"guard", "disruptkit"} {
		if got := ran("", append(args, "--engine", as)...); got.status != good || !strings.Contains(got.stdout, "with 1 outage: done on Sat 21 Nov 2026 01:30 UTC instead of Fri 20 Nov 2026 23:00 UTC, 2h30m later.") {
			t.Errorf("%s: %+v", as, got)
		}
	}
	if got := ran("", append(args, "--engine", "karpenter")...); got.status != hopeless || !strings.Contains(got.stderr, "--outage: stock Karpenter asks no probes") {
		t.Errorf("%+v", got)
	}
	both := append(args, "--what-if", filepath.Join("testdata", "twice.yaml"), "--outage", "0 9 * * * 1h")
	if got := ran("", both...); got.status != good || !strings.Contains(got.stdout, "with twice.yaml and 2 outages: done on Sat 21 Nov 2026 01:15 UTC") {
		t.Errorf("%+v", got)
	}
}
