package tell

import (
	"os"
	"strings"
	"testing"
)

// A new one says that it has 0 columns and lines, until its window has a size.
func TestATerminalThatDoesNotKnowItsSizeIsAsWideAsIsUsual(t *testing.T) {
	t.Setenv("TERM", "xterm")
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer terminal.Close()
	if _, ok := Terminal(terminal); !ok {
		t.Skip("it is no terminal here")
	}
	stdout := os.Stdout
	os.Stdout = terminal
	defer func() { os.Stdout = stdout }()
	if text := strings.Repeat("word ", 20); Wrap(text, "") != text {
		t.Error("it is not as wide as is usual")
	}
}
