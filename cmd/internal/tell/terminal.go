package tell

import (
	"os"

	"golang.org/x/term"
)

// Terminal returns the terminal that an input or an output is, if it is one on which more than lines can be shown.
func Terminal(stream any) (f *os.File, ok bool) {
	f, ok = stream.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// size returns how wide a terminal is, and whether it knows: a serial line and some containers say 0.
func size(terminal *os.File) (columns int, known bool) {
	columns, _, err := term.GetSize(int(terminal.Fd()))
	return columns, err == nil && columns > 0
}
