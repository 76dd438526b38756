package input

import (
	"bytes"
	"fmt"
	"io"
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

// A newest passes objects on, and finds the newest time in them: a file was printed then, or a little later.
type newest struct {
	io.ReadCloser
	beats  bool // a node has written a heartbeat: other objects may be much older than the file
	newest string
	rest   []byte // the end of what was read, in which a time may begin
}

const heartbeat = "lastHeartbeatTime"

// past are the fields of times that are over when a file is printed.
var past = []string{heartbeat, "lastTransitionTime", "creationTimestamp", "startTime"}

// aTime is a time as Kubernetes prints it. Span is how much text a field may take: "lastTransitionTime": "2026-11-20T10:30:00Z".
const (
	aTime = "2006-01-02T15:04:05Z"
	span  = len("lastTransitionTime") + len(`": "`) + len(aTime)
)

func (f *newest) Read(p []byte) (n int, err error) {
	n, err = f.ReadCloser.Read(p)
	text := append(f.rest, p[:n]...)
	for _, field := range past {
		for rest := text; ; {
			i := bytes.Index(rest, []byte(field))
			if i < 0 {
				break
			}
			rest = rest[i+len(field):]
			value := bytes.TrimLeft(rest[:min(len(rest), span-len(field))], `": `)
			if len(value) >= len(aTime) && value[len(aTime)-1] == 'Z' {
				f.newest = max(f.newest, string(value[:len(aTime)]))
				f.beats = f.beats || field == heartbeat
			}
		}
	}
	f.rest = append(f.rest[:0], text[max(0, len(text)-span):]...)
	return n, err
}

// at returns the newest time; zero: there is no heartbeat.
func (f *newest) at() time.Time {
	if !f.beats {
		return time.Time{}
	}
	at, _ := time.Parse(aTime, f.newest) // another text is none
	return at
}
