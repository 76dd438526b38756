package observability

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
)

var update = flag.Bool("update", false, "rewrite the picture in docs")

// The picture is what the panels show of a day, as they can be drawn without Grafana.
func TestEachPanelDrawsSomething(t *testing.T) {
	const path = "../docs/dashboard.svg"
	d, samples, curves := read(t), recorded(t, "testdata/roll.txt", "testdata/writers.txt"), map[int][]curve{}
	for _, p := range d.Panels {
		if curves[p.ID] = samples.ask(t, d, p); len(curves[p.ID]) == 0 {
			t.Errorf("%s: no data", p.Title)
		}
	}
	got := draw(t, d, curves)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got {
		t.Errorf("%s is old; go test -update rewrites it (%v)", path, err)
	}
}

func TestTicksAreRoundAndThoseOfCountsWhole(t *testing.T) {
	var hours, counts panel
	zero := 0
	counts.FieldConfig.Defaults.Decimals, counts.FieldConfig.Defaults.Custom.AxisSoftMax = &zero, 1
	for _, c := range []struct {
		name        string
		of          panel
		least, most float64
		want        string
	}{
		{"small counts", counts, 0, 2, "[0 1 2]"},
		{"no count at all", counts, 0, 0, "[0 1]"},
		{"larger counts", counts, 0, 16, "[0 5 10 15]"},
		{"parts", hours, 0, 2, "[0 0.5 1 1.5 2]"},
		{"far from 0", hours, 100, 120, "[100 105 110 115 120]"},
		{"below 0", hours, -4, 4, "[-4 -2 0 2 4]"},
	} {
		if got := fmt.Sprint(axis(c.of, c.least, c.most, 180).at); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestValuesHaveTheUnitOfTheirPanel(t *testing.T) {
	for _, c := range []struct {
		unit string
		v    float64
		want string
	}{
		{"s", 59, "59 s"}, {"s", 1200, "20 mins"}, {"s", -8100, "-2.25 hours"}, {"s", 200000, "2.31 days"}, {"short", 12, "12"},
		{"suffix: h", 2.5, "2.5 h"}, {"dateTimeAsIso", 1795201200000, "2026-11-20 19:00:00"},
	} {
		var p panel
		p.FieldConfig.Defaults.Unit = c.unit
		if got := said(t, p, c.v, -1); got != c.want {
			t.Errorf("%v in %s: %s, want %s", c.v, c.unit, got, c.want)
		}
	}
}

// A counter that begins with 4 has grown by 4, and one that is gone is not drawn any more.
func TestWhatBeginsIsCountedAndWhatIsGoneIsNotDrawn(t *testing.T) {
	of, values, err := parser.NewParser(parser.Options{}).ParseSeriesDesc(`karpenter_nodepool_disrupted_nodes{nodepool="web",method="Drifted"} _x20 4x19 6 _x200`)
	if err != nil {
		t.Fatal(err)
	}
	d, samples := read(t), table{series(of, values)}
	for _, p := range d.Panels {
		if p.Title != "Started within an hour" {
			continue
		}
		curves := samples.ask(t, d, p)
		if len(curves) != 1 || curves[0].name != "web Drifted" {
			t.Fatalf("%v", curves)
		}
		points := curves[0].points
		if len(points) != 21 || points[0].F != 4 || points[11].F != 4 || points[12].F != 0 || points[20].F != 2 {
			t.Errorf("%v", points)
		}
	}
}
