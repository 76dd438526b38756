package forecast

import (
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/golden"
)

func TestPicturesAreOfEveryPoolAndItsReasons(t *testing.T) {
	args := []string{"--from", "2026-12-30", "--zone", "Europe/Berlin", "testdata/controls.yaml", "testdata/broken.yaml", "testdata/k1866.yaml"}
	got := forecasted("", append(args, "-o", "svg")...)
	for _, want := range []string{"example-nodepool", "fields", "k1866", "NodeImageDrift", "Expired", "Underutilized", "Dec"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%s is not there", want)
		}
	}
	if got.status != faulty {
		t.Errorf("exit status %d", got.status)
	}
}

// README.md shows this picture.
func TestTheBundledPicture(t *testing.T) {
	golden.Check(t, "bundled.svg", forecasted("", "-o", "svg").stdout)
}

// What cannot be seen is shown, as it is in tables.
func TestNamesThatReorderTextAreShownAsTheyAre(t *testing.T) {
	const pool = `{"kind": "NodePool", "apiVersion": "karpenter.sh/v1", "metadata": {"name": "a\u202eb"}, "spec": {"disruption": {"budgets": [
		{"nodes": "1", "reasons": ["Drifted/x\u202ey"], "schedule": "0 9 * * \u2066mon", "duration": "8h"}, {"nodes": "1", "topologyKey": "z\u202e"}]}}}`
	for _, format := range []string{"svg", "text"} {
		got := forecasted(pool, "--from", "2026-11-23", "-o", format, "-")
		golden.Visible(t, got.stdout+got.stderr)
		if !strings.Contains(got.stdout, `a\u202eb`) {
			t.Errorf("%s does not name the pool: %s", format, got.stdout)
		}
	}
}

func TestPicturesBeginTodayInTheZoneThatIsShown(t *testing.T) {
	for _, c := range []struct{ name, args, dates string }{
		{"on a Sunday", "--now 2026-11-22T12:00:00Z", "Sun 22 to Sat 28 Nov 2026"},
		{"where it is Monday already", "--now 2026-11-22T23:30:00Z --zone Europe/Berlin", "Mon 23 to Sun 29 Nov 2026"},
		{"where it is Saturday still", "--now 2026-11-22T02:00:00Z --zone America/New_York", "Sat 21 to Fri 27 Nov 2026"},
		{"on the day of --from, whatever the hour", "--from 2026-11-26T17:00:00Z", "Thu 26 Nov to Wed 2 Dec 2026"},
		{"--from counts, not --now", "--from 2026-12-30 --now 2026-12-31", "Wed 30 Dec 2026 to Tue 5 Jan 2027"},
	} {
		got := forecasted("", append(strings.Fields(c.args), "-o", "svg")...)
		if !strings.Contains(got.stdout, c.dates) {
			t.Errorf("%s: it is not of %s: %.200s", c.name, c.dates, got.stderr)
		}
	}
}
