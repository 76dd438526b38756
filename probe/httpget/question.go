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
)

// A question is one GET.
type question struct {
	probe    Spec // with defaults filled in
	ctx      context.Context
	end      context.CancelFunc
	phase    atomic.Int32 // atomic, since other goroutines connect and may still do so after the answer
	interims atomic.Int32
}

// A phase is how far a question has got.
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

// errTimeout is the cause of a question's context when the probe's timeout ends it.
var errTimeout = errors.New("the probe timed out")

type questionKey struct{}

// questionOf returns the question that a context belongs to. A dialer needs it.
func questionOf(ctx context.Context) *question { return ctx.Value(questionKey{}).(*question) }

func newQuestion(ctx context.Context, p Spec) *question {
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

// reached records a phase, unless the question is already further: several addresses of a name may be tried at once.
func (q *question) reached(p phase) {
	for {
		before := q.phase.Load()
		if int32(p) <= before || q.phase.CompareAndSwap(before, int32(p)) {
			return
		}
	}
}

// ask sends the request and reads the whole answer.
func (q *question) ask(t *http.Transport) (Response, error) {
	answer, err := t.RoundTrip(q.request()) // not http.Client, which would follow redirects
	if status, ok := asType[finalStatus](err); ok {
		return Response{Status: int(status)}, nil
	}
	if err != nil {
		return Response{}, err
	}
	defer answer.Body.Close()
	q.reached(inBody)
	switch {
	case answer.StatusCode < 100:
		return Response{}, errStatus
	case answer.StatusCode == http.StatusSwitchingProtocols:
		return Response{Status: answer.StatusCode}, nil // what follows is not a body, and has no end
	}
	body, err := q.read(answer)
	return Response{Status: answer.StatusCode, Body: body}, err
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

// A finalStatus is an unknown status below 200. net/http expects another answer to follow it. Here it is the answer,
// and blocks, whatever the server sends next.
type finalStatus int

func (s finalStatus) Error() string { return fmt.Sprintf("the answer is %d", int(s)) }

const (
	mostInterims = 5
	errInterims  = fault("malformed answer: too many interim responses")
	errStatus    = fault("malformed answer: its status is below 100")
	errLength    = fault("malformed answer: it does not say how long its body is, and might be cut short: " +
		"send Content-Length")
)

var errBody = fault(fmt.Sprintf("too large: the body is longer than %d bytes", maxBody))

// interim is called for statuses that precede the answer. net/http limits the header of each, but not their number.
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

// read reads the body. If its content does not matter, it checks only that the body is complete.
func (q *question) read(answer *http.Response) ([]byte, error) {
	body := io.LimitReader(answer.Body, maxBody+1)
	if q.probe.Mode == StatusMode || answer.StatusCode < 200 || answer.StatusCode > 202 {
		_, err := io.Copy(io.Discard, body)
		return nil, err
	}
	read, err := io.ReadAll(body)
	switch {
	case err != nil:
	case len(read) > maxBody:
		err = errBody
	case answer.ContentLength < 0 && len(answer.TransferEncoding) == 0:
		err = errLength
	}
	return read, err
}

// late reports whether the question's deadline is over, even if its context is not done yet.
func (q *question) late() bool {
	deadline, ok := q.ctx.Deadline()
	return ok && !time.Now().Before(deadline)
}
