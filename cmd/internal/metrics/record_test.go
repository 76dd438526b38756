package metrics

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/report"
)

// A roll is the simulated cluster on a day on which all images of web become old at 07:30, to be replaced within 9 hours. Its freeze by day
// (nodepools.yaml) falls in the middle, and at noon somebody lets go the node that must not be disrupted.
func roll(t *testing.T) *fleet {
	t.Helper()
	f, err := newFleet()
	if err != nil {
		t.Fatal(err)
	}
	read, err := manifest.Read(strings.NewReader(strings.Replace(nodePools, "    drift:\n", "    drift:\n      deadline: 9h\n", 1)))
	if err != nil {
		t.Fatal(err)
	}
	f.pools = read.Pools
	return f
}

// goOn lets a step pass.
func (f *fleet) goOn(w *watch) (picture, error) {
	p, err := w.advance(f)
	for i := range f.machines {
		m := &f.machines[i]
		switch since := f.now.Sub(f.now.Truncate(24 * time.Hour)); {
		case since == after(7, 30) && m.Pool == "web" && m.Leaving == candidate.Staying:
			m.Conditions = append(m.Conditions, candidate.Condition{Reason: "Drifted/AMIDrift", Since: f.now})
		case since == after(12, 0):
			m.DoNotDisrupt = false
		}
	}
	return p, err
}

// The file is what the panels of the dashboard are drawn from: what is scraped at each step of a day. It is in the notation for
// series of Prometheus' own tests.
func TestADayOfARollIsRecorded(t *testing.T) {
	f := roll(t)
	w := &watch{cluster: f, eta: true}
	p, err := w.look()
	series, scrapes := map[string][]string{}, 0
	for ; err == nil && !f.now.After(begin.Add(24*time.Hour)); p, err = f.goOn(w) {
		for _, m := range p.report.Metrics {
			for _, s := range m.Samples {
				name := m.Name + labels(s.Labels)
				for len(series[name]) < scrapes {
					series[name] = append(series[name], "_")
				}
				series[name] = append(series[name], strconv.FormatFloat(s.Value, 'f', -1, 64))
			}
		}
		scrapes++
	}
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# %d scrapes of what kubectl disruption metrics --eta exports, every %s from %s\n", scrapes, step, begin.Format(time.RFC3339))
	for _, name := range slices.Sorted(maps.Keys(series)) {
		fmt.Fprintf(&text, "%s %s\n", name, runs(series[name]))
	}
	golden.Check(t, "../../../../observability/testdata/roll.txt", text.String())
}

// labels writes labels as a series has them.
func labels(of []report.Label) string {
	var all []string
	for _, l := range of {
		all = append(all, fmt.Sprintf("%s=%q", l.Name, l.Value))
	}
	return "{" + strings.Join(all, ",") + "}"
}

// runs writes values with those that grow evenly as one: "4-1x3" is 4 3 2 1.
func runs(values []string) string {
	var all []string
	for i := 0; i < len(values); {
		n := 1
		for n < len(values)-i && grows(values[i:i+n+1]) == grows(values[i:i+2]) && grows(values[i:i+2]) != "no" {
			n++
		}
		switch grown := ""; {
		case values[i] == "_" && n > 1:
			all = append(all, fmt.Sprint("_x", n))
		case n > 2:
			if grown = grows(values[i : i+2]); grown == "+0" {
				grown = ""
			}
			all = append(all, fmt.Sprint(values[i], grown, "x", n-1))
		default:
			n = 1
			all = append(all, values[i])
		}
		i += n
	}
	return strings.Join(all, " ")
}

// grows returns by how much the last of values is more than the one before it, such as "+5", or "no" if one is missing.
func grows(values []string) string {
	a, b := values[len(values)-2], values[len(values)-1]
	if a == "_" && b == "_" {
		return "+0"
	}
	x, fault := strconv.ParseFloat(a, 64)
	y, fault2 := strconv.ParseFloat(b, 64)
	if fault != nil || fault2 != nil {
		return "no"
	}
	return fmt.Sprintf("%+g", y-x)
}

func TestWhatGrowsEvenlyIsWrittenAsOne(t *testing.T) {
	for values, want := range map[string]string{
		"4 3 2 1": "4-1x3", "1 1 1 1": "1x3", "_ _ _ 0 300 600": "_x3 0+300x2", "1 2": "1 2", "_ 1 _": "_ 1 _", "0 0 0 5 5 5": "0x2 5x2", "-300 0 300 1": "-300+300x2 1",
	} {
		if got := runs(strings.Fields(values)); got != want {
			t.Errorf("%s: %s, want %s", values, got, want)
		}
	}
}
