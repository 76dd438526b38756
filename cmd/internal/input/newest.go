package input

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/internal/display"
)

// fresh is how old a file may be without a note: nodes write a heartbeat every five minutes.
const fresh = time.Hour

// noteAge prints a note if a file was printed long ago, and nobody has said for which time the answer is to be.
func (s *Source) noteAge(env command.Environment, newest time.Time) {
	if age := s.At.Sub(newest); s.File != "" && s.now == "" && !newest.IsZero() && age > fresh {
		at := newest.UTC().Format(time.RFC3339)
		fmt.Fprintf(env.Stderr, "note: the newest time in the file is %s, %s ago, and the answer is for now: write --now %s for that time\n",
			at, display.Rough(age), at)
	}
}
