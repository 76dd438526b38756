package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var rows = []row{
	{"Window open? 0 9 * * mon-fri", "", cost{6364, 23}, cost{27.28, 0}},
	{"Nodes that may go, of all pools", "10,000 nodes", cost{261.5e6, 517_195}, cost{95e6, 220_731}},
	{"… as part of a whole pass of a guard", "10,000 nodes", cost{1.0049e9, 1_517_195}, cost{2.0061e9, 455_382}},
}

func print(l layout) string {
	t := table{l}
	lines := t.head()
	for _, r := range rows {
		lines += t.line(r)
	}
	return lines
}

func TestTable(t *testing.T) {
	t.Run("as text, numbers are below each other", func(t *testing.T) {
		want := `
RULE                                  SIZE         KARPENTER    ALLOCS DISRUPTKIT    ALLOCS  FASTER
Window open? 0 9 * * mon-fri                         6.36 µs        23    27.3 ns         0    233x
Nodes that may go, of all pools       10,000 nodes    262 ms   517,195    95.0 ms   220,731    2.8x
… as part of a whole pass of a guard  10,000 nodes    1.00 s 1,517,195     2.01 s   455,382    0.5x
`
		got := print(text)
		if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got); diff != "" {
			t.Error(diff)
		}
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	})
	t.Run("as Markdown, a rule aligns them", func(t *testing.T) {
		want := `
| RULE | SIZE | KARPENTER | ALLOCS | DISRUPTKIT | ALLOCS | FASTER |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
| Window open? 0 9 * * mon-fri |  | 6.36 µs | 23 | 27.3 ns | 0 | 233x |
| Nodes that may go, of all pools | 10,000 nodes | 262 ms | 517,195 | 95.0 ms | 220,731 | 2.8x |
| … as part of a whole pass of a guard | 10,000 nodes | 1.00 s | 1,517,195 | 2.01 s | 455,382 | 0.5x |
`
		if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), print(inMarkdown)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestHumanized(t *testing.T) {
	for nanos, want := range map[float64]string{
		0.4: "0.40 ns", 9.994: "9.99 ns", 9.996: "10.0 ns", 99.94: "99.9 ns", 99.96: "100 ns", 999.4: "999 ns",
		999.6: "1.00 µs", 999_600: "1.00 ms", 12_345_678: "12.3 ms", 61e9: "61.0 s",
	} {
		if got := humanized(nanos); got != want {
			t.Errorf("%v: got %s, want %s", nanos, got, want)
		}
	}
}
