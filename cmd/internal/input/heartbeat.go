package input

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// fresh is how old a file may be without a note: nodes write a heartbeat every five minutes.
const fresh = time.Hour

// noteAge prints a note if a file was printed long ago, and nobody has said for which time the answer is to be.
func (s *Source) noteAge(env command.Environment, newest time.Time) {
	if age := s.At.Sub(newest); s.File != "" && s.now == "" && !newest.IsZero() && age > fresh {
		at := newest.UTC().Format(time.RFC3339)
		fmt.Fprintf(env.Stderr, "note: the last heartbeat of a node in the file is of %s, %s ago, and the answer is for now: write --now %s for that time\n",
			at, wording.Duration(age.Truncate(time.Minute)), at)
	}
}

// heartbeats passes objects on, and finds the last heartbeat of a node in them.
type heartbeats struct {
	io.ReadCloser
	newest string
	rest   []byte // the end of what was read, in which a heartbeat may begin
}

// The field, and how much text after its name may hold a time: "lastHeartbeatTime": "2026-11-20T10:30:00Z".
const (
	heartbeatField = "lastHeartbeatTime"
	heartbeatSpan  = len(heartbeatField) + len(`": "`) + len(time.RFC3339)
)

func (h *heartbeats) Read(p []byte) (n int, err error) {
	n, err = h.ReadCloser.Read(p)
	text := append(h.rest, p[:n]...)
	for {
		i := bytes.Index(text, []byte(heartbeatField))
		if i < 0 {
			break
		}
		text = text[i:]
		if len(text) < heartbeatSpan && err == nil {
			break
		}
		text = text[len(heartbeatField):]
		value := bytes.TrimLeft(text[:min(len(text), heartbeatSpan-len(heartbeatField))], `": `)
		if len(value) >= len("2026-11-20T10:30:00Z") {
			h.newest = max(h.newest, string(value[:len("2026-11-20T10:30:00Z")]))
		}
	}
	h.rest = append(h.rest[:0], text[max(0, len(text)-heartbeatSpan):]...)
	return n, err
}

// last returns the last heartbeat; zero: there is none.
func (h *heartbeats) last() time.Time {
	at, _ := time.Parse(time.RFC3339, h.newest) // another text is none
	return at
}
