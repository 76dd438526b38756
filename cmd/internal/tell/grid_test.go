package tell

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestAGridThatIsTooWideIsCutAndWrapped(t *testing.T) {
	g := NewGrid("NODE", "POOL", "N", "WHY").AlignRight(2)
	g.Width = 49
	g.Add("ip-10-0-36-243.us-west-2.compute.internal", "general", "7", "a budget that allows none")
	g.Add("b", "", "12", "short")
	want := `NODE               POOL      N  WHY
ip-10-0-36-243.u…  general   7  a budget that
                                allows none
b                  -        12  short
`
	if got := g.String(); got != want {
		t.Errorf("got\n%s", got)
	}
	g.Wide = true
	if got := g.String(); !strings.Contains(got, "\nip-10-0-36-243.us-west-2.compute.internal  general   7  a budget that allows none\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestNoHeaderOf20ColumnsIsCut(t *testing.T) {
	g := NewGrid("BLOCKED, IN USE, ETC", "POOL", "WITH x.budgets[0].nodes=20%", "SINCE").Keep(3)
	g.Width = usualWidth
	g.Add("ip-10-0-36-243.us-west-2.compute.internal", "general-purpose-spot", "x", "Mon 14:20 (3d20h ago)")
	if got := g.Lines()[0]; got != "BLOCKED, IN USE, ETC  POOL           WITH x.budgets[0].n…  SINCE" {
		t.Errorf("got %q", got)
	}
}

func narrow(text string, columns int) bool {
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > columns {
			return false
		}
	}
	return true
}

// Whatever is in the cells, a table of five columns is at most 80 wide, and of a last cell that is wrapped no word is lost.
func TestATableFitsTheWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zé0-9.]{1,11}`)
		g := NewGrid("NAME", "POOL", "NODES", "SINCE", "WHY").AlignRight(2)
		g.Width = usualWidth
		marks := rapid.Bool().Draw(t, "marks")
		if marks {
			g.Marks = map[int]string{}
		}
		var last []string
		for i := range rapid.IntRange(1, 5).Draw(t, "rows") {
			long := rapid.StringMatching(`[a-z0-9.-]{0,90}`)
			why := strings.Join(rapid.SliceOfN(word, 1, 12).Draw(t, "why"), " ")
			g.Add(long.Draw(t, "name"), long.Draw(t, "pool"), rapid.StringMatching(`[0-9]{1,4}`).Draw(t, "n"), long.Draw(t, "since"), why)
			if marks {
				g.Marks[i+1] = []string{"  ← now", ""}[min(i, 1)]
			}
			last = append(last, strings.Fields(why)...)
		}
		got := g.String()
		if !narrow(got, usualWidth) {
			t.Fatalf("too wide:\n%s", got)
		}
		if marks {
			if strings.Count(got, "  ← now") != 1 {
				t.Fatalf("the mark is not there:\n%s", got)
			}
			return
		}
		for _, w := range last {
			if !strings.Contains(got, w) {
				t.Fatalf("%q is lost:\n%s", w, got)
			}
		}
	})
}
