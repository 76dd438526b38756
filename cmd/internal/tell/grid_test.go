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
}

func TestNoHeaderOf20ColumnsIsCut(t *testing.T) {
	g := NewGrid("BLOCKED, IN USE, ETC", "POOL", "WITH x.budgets[0].nodes=20%", "SINCE").Keep(3)
	g.Width = usualWidth
	g.Add("ip-10-0-36-243.us-west-2.compute.internal", "general-purpose-spot", "x", "Mon 14:20 (3d20h ago)")
	if got := g.Lines()[0]; got != "BLOCKED, IN USE, ETC  POOL               WITH                  SINCE\n                                         x.budgets[0].nodes=…" {
		t.Errorf("got %q", got)
	}
}

func TestHeadersTakeTwoLinesBeforeCellsAreCut(t *testing.T) {
	g := NewGrid("POOL", "UP TO DATE", "NOT READY", "TO GO", "DONE").AlignRight(1, 2, 3)
	g.Width = 42
	g.Add("general-00", "32", "2", "6", "Fri 17:10")
	want := `POOL        UP TO    NOT  TO GO  DONE
             DATE  READY
general-00     32      2      6  Fri 17:10
`
	if got := g.String(); got != want {
		t.Errorf("got\n%s", got)
	}
}

// A text that is wrapped loses nothing, and a name that is cut does.
func TestTheLastColumnIsWrappedBeforeNamesAreCut(t *testing.T) {
	g := NewGrid("IN USE", "POOL", "WHY")
	g.Width = usualWidth
	g.Add("ip-10-0-34-75.us-west-2.compute.internal", "general", "in use: for Drifted, draining since Fri 08:51")
	want := `IN USE                                    POOL     WHY
ip-10-0-34-75.us-west-2.compute.internal  general  in use: for Drifted, draining
                                                   since Fri 08:51
`
	if got := g.String(); got != want {
		t.Errorf("got\n%s", got)
	}
}

// A pipe has no width: a name that is cut is of no use there, and a program reads a row from a line.
func TestWithoutATerminalNoCellIsCut(t *testing.T) {
	t.Setenv("COLUMNS", "")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z0-9.-]{1,90}`)
		g := NewGrid("NAME", "POOL", "SINCE", "WHY")
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			why := strings.Join(rapid.SliceOfN(text, 1, 3).Draw(t, "why"), " ")
			g.Add(text.Draw(t, "name"), text.Draw(t, "pool"), text.Draw(t, "since"), why)
			line := g.Lines()[len(g.Rows)-1]
			if got, want := strings.Join(strings.Fields(line), " "), strings.Join(g.Rows[len(g.Rows)-1], " "); got != want || strings.Contains(line, "\n") {
				t.Fatalf("%q, want %q", line, want)
			}
		}
	})
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
		var last []string
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			long := rapid.StringMatching(`[a-z0-9.-]{0,90}`)
			why := strings.Join(rapid.SliceOfN(word, 1, 12).Draw(t, "why"), " ")
			g.Add(long.Draw(t, "name"), long.Draw(t, "pool"), rapid.StringMatching(`[0-9]{1,4}`).Draw(t, "n"), long.Draw(t, "since"), why)
			last = append(last, strings.Fields(why)...)
		}
		got := g.String()
		if !narrow(got, usualWidth) {
			t.Fatalf("too wide:\n%s", got)
		}
		for _, w := range last {
			if !strings.Contains(got, w) {
				t.Fatalf("%q is lost:\n%s", w, got)
			}
		}
	})
}
