package httpget

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"sync/atomic"
	"time"

	"github.com/disruptkit/disruptkit/probe"
)

// A question is one GET.
type question struct {
	probe    probe.Probe // with its defaults
	ctx      context.Context
	end      context.CancelFunc
	phase    atomic.Int32 // other goroutines connect, and may still do so when the question is answered
	interims atomic.Int32
}

// A phase is how far a question has come.
type phase int32

const (
	starting phase = iota
	lookingUp
	connecting
	handshaking
	waiting
	inHeader
	inBody
)

func (p phase) String() string {
	return [...]string{
		"before it was connected", "while looking up the name", "while connecting", "in the TLS handshake",
		"while waiting for the answer", "in the middle of the header", "in the middle of the body",
	}[p]
}

// errTimeout is why the context of a question ends at the probe's own timeout.
var errTimeout = errors.New("the probe timed out")

type questionKey struct{}

// questionOf returns the question that a context belongs to. It is how a dialer knows for whom it dials.
func questionOf(ctx context.Context) *question { return ctx.Value(questionKey{}).(*question) }

func newQuestion(ctx context.Context, p probe.Probe) *question {
	q := &question{probe: p.WithDefaults()}
	ctx, q.end = context.WithTimeoutCause(ctx, p.Timeout(), errTimeout)
	q.ctx = httptrace.WithClientTrace(context.WithValue(ctx, questionKey{}, q), &httptrace.ClientTrace{
		DNSStart:             func(httptrace.DNSStartInfo) { q.reached(lookingUp) },
		ConnectStart:         func(string, string) { q.reached(connecting) },
		GotConn:              func(httptrace.GotConnInfo) { q.reached(waiting) },
		GotFirstResponseByte: func() { q.reached(inHeader) },
		Got1xxResponse:       q.interim,
	})
	return q
}

// reached notes a phase. Only later ones count: of the addresses of a name several may be tried at once.
func (q *question) reached(p phase) {
	for {
		before := q.phase.Load()
		if int32(p) <= before || q.phase.CompareAndSwap(before, int32(p)) {
			return
		}
	}
}

// ask asks, and reads the answer whole.
func (q *question) ask(t *http.Transport) (probe.Response, error) {
	answer, err := t.RoundTrip(q.request()) // by an http.Client, redirects would be followed
	if status, ok := errors.AsType[finalStatus](err); ok {
		return probe.Response{Status: int(status)}, nil
	}
	if err != nil {
		return probe.Response{}, err
	}
	defer answer.Body.Close()
	q.reached(inBody)
	switch {
	case answer.StatusCode < 100:
		return probe.Response{}, errStatus
	case answer.StatusCode == http.StatusSwitchingProtocols:
		return probe.Response{Status: answer.StatusCode}, nil // what follows is no body, and does not end
	}
	body, err := q.read(answer)
	return probe.Response{Status: answer.StatusCode, Body: body}, err
}

func (q *question) request() *http.Request {
	r := (&http.Request{Method: http.MethodGet, URL: q.probe.URL(), Header: http.Header{}}).WithContext(q.ctx)
	for _, h := range q.probe.HTTPHeaders {
		if strings.EqualFold(h.Name, "Host") {
			r.Host = h.Value
		} else {
			r.Header.Add(h.Name, h.Value)
		}
	}
	if _, there := r.Header["User-Agent"]; !there {
		r.Header.Set("User-Agent", "disruptkit")
	}
	return r
}

// A finalStatus is a status below 200 that net/http takes for one that another follows, and nobody knows to be that: it blocks,
// rather than what the server says next.
type finalStatus int

func (s finalStatus) Error() string { return fmt.Sprintf("the answer is %d", int(s)) }

const (
	mostInterims = 5
	errInterims  = fault("malformed answer: too many interim responses")
	errStatus    = fault("malformed answer: its status is below 100")
	errLength    = fault("malformed answer: it does not say how long its body is, and might be cut short: send Content-Length")
)

var errBody = fault(fmt.Sprintf("too large: the body is longer than %d bytes", probe.MaxBody))

// interim is told of answers that another follows. Their headers are bounded one by one, so that there must not be too many.
func (q *question) interim(status int, _ textproto.MIMEHeader) error {
	switch status {
	case http.StatusContinue, http.StatusProcessing, http.StatusEarlyHints:
		if q.interims.Add(1) > mostInterims {
			return errInterims
		}
		return nil
	}
	return finalStatus(status)
}

// read reads the body, as far as it is needed: to know what it says, or that it is complete, and that the connection can be
// used again.
func (q *question) read(answer *http.Response) ([]byte, error) {
	body := io.LimitReader(answer.Body, probe.MaxBody+1)
	if q.probe.Mode == probe.StatusMode || answer.StatusCode < 200 || answer.StatusCode > 202 { // nobody reads it
		_, err := io.Copy(io.Discard, body)
		return nil, err
	}
	read, err := io.ReadAll(body)
	switch {
	case err != nil:
	case len(read) > probe.MaxBody:
		err = errBody
	case answer.ContentLength < 0 && len(answer.TransferEncoding) == 0:
		err = errLength
	}
	return read, err
}

// late reports whether the time of the question is over, even if its context has not been told yet.
func (q *question) late() bool {
	deadline, ok := q.ctx.Deadline()
	return ok && !time.Now().Before(deadline)
}
