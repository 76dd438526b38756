package tell

import (
	"fmt"
	"strings"
	"testing"
)

// Whatever a text is, its first screen has no more lines than asked for, says how to see the rest, and ends with no
// header alone.
func TestAFirstScreenFits(t *testing.T) {
	for lines := 1; lines < 40; lines++ {
		for header := 1; header < lines; header++ {
			var text strings.Builder
			for i := range lines {
				if i == header {
					text.WriteString("\nHEADER\n")
				}
				fmt.Fprintf(&text, "line %d\n", i)
			}
			got := First(text.String(), "-v shows all.", FirstScreen)
			all := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
			whole := strings.HasPrefix(got, text.String())
			switch last := all[len(all)-3]; {
			case !Fits(got) || all[len(all)-1] != "-v shows all." || all[len(all)-2] != "":
				t.Fatalf("%d lines, header %d:\n%s", lines, header, got)
			case strings.HasPrefix(last, "HEADER"):
				t.Fatalf("%d lines, header %d: a header alone:\n%s", lines, header, got)
			case !whole && len(all) < FirstScreen-2:
				t.Fatalf("%d lines, header %d: cut for nothing:\n%s", lines, header, got)
			}
		}
	}
}

// A command to be copied is not broken, and takes as many lines as a terminal breaks it into.
func TestALongLineTakesSeveral(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	for columns, fits := range map[int]bool{0: true, 80: true, 81: false} {
		text := strings.Repeat("x\n", FirstScreen-1) + strings.Repeat("x", columns) + "\n"
		if Fits(text) != fits {
			t.Errorf("%d columns", columns)
		}
	}
}
