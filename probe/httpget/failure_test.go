package httpget_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

const secret = "s3cret"

// ask asks a probe that has secrets, and returns the error, which has to be fit for a message.
func ask(t *testing.T, c *httpget.Client, p httpget.Spec) error {
	t.Helper()
	p.Path += "?token=" + secret
	p.HTTPHeaders = append(p.HTTPHeaders, httpget.Header{Name: "X-Token", Value: secret})
	r := c.Get(context.Background(), p, noon)
	if r.Err == nil {
		t.Errorf("it answered %d, %q", r.Status, r.Body)
		return errors.New("none")
	}
	text := r.Err.Error()
	if r.Status != 0 || r.Body != nil || !r.At.Equal(noon) {
		t.Errorf("beside the error %q, there is an answer: %+v", text, r)
	}
	if strings.Contains(text, secret) || strings.ContainsAny(text, "\n\r\x1b") || len(text) > 300 {
		t.Errorf("%q is not fit for a message", text)
	}
	o := httpget.Observe(p, probe.Observation{}, r)
	if v := probe.ProbeVerdict(p.Probe(), o, noon); v.Allowed || v.Cause != "no answer: "+text {
		t.Errorf("the verdict is %v: %q", v.Allowed, v.Cause)
	}
	return r.Err
}

// TestALateAnswerIsNoAnswer has servers that are silent at some point. The time is longer on a slow machine.
func TestALateAnswerIsNoAnswer(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	const header = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
	for _, c := range []struct {
		name   string
		scheme string
		do     func(connection) // nil: it never accepts
		mode   httpget.Mode
		want   string
	}{
		{name: "a server that does not accept", scheme: "http", want: "timeout: nothing came within %s, while waiting for the answer"},
		{name: "a server that hangs in the handshake", scheme: "https", do: connection.hang, want: "timeout: nothing came within %s, in the TLS handshake"},
		{name: "a server that does not answer", scheme: "http", do: connection.hang, want: "timeout: nothing came within %s, while waiting for the answer"},
		{
			name: "a server that hangs in the header", scheme: "http",
			do:   func(c connection) { c.request(); c.say("HTTP/1.1 200 OK\r\nServer: "); c.hang() },
			want: "timeout: not all came within %s, in the middle of the header",
		},
		{
			name: "a server that hints at an answer", scheme: "http",
			do:   func(c connection) { c.request(); c.say("HTTP/1.1 103 Early Hints\r\n\r\n"); c.hang() },
			want: "timeout: not all came within %s, in the middle of the header",
		},
		{
			name: "a server that hangs in the body", scheme: "http", mode: httpget.BodyMode,
			do:   func(c connection) { c.request(); c.say(header + `{"denied`); c.hang() },
			want: "timeout: not all came within %s, in the middle of the body",
		},
		{
			name: "a server that trickles a body without end", scheme: "http",
			do: func(c connection) {
				c.request()
				c.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
				c.trickle("1\r\nx\r\n")
			},
			want: "timeout: not all came within %s, in the middle of the body",
		},
	} {
		address := c.scheme + "://" + listen(t).Addr().String()
		if c.do != nil {
			address = serveRaw(t, c.scheme, c.do)
		}
		p := probeFor(t, address)
		p.Mode = c.mode
		all.Go(func() { timesOut(t, new(httpget.Client), p, c.name, c.want) })
	}
	all.Go(func() {
		c := httpget.NewClient(serveDNS(t, nil))
		p := httpget.Spec{Host: "health.test", Port: 80, Path: "/"}
		timesOut(t, c, p, "a DNS server that is silent", "timeout: nothing came within %s, while looking up the name")
	})
	all.Wait() // not parallel tests: few of these run at once
}

// timesOut asks until what a server does happens within the timeout.
func timesOut(t *testing.T, c *httpget.Client, p httpget.Spec, name, want string) {
	t.Helper()
	for p.TimeoutSeconds = 1; ; p.TimeoutSeconds *= 2 {
		began := time.Now()
		err := ask(t, c, p)
		took, text := time.Since(began), fmt.Sprintf(want, p.Timeout())
		slow := took > 3*p.Timeout()/2
		if (err.Error() != text || slow) && p.TimeoutSeconds < 16 {
			t.Logf("%s: %v, after %v: once more", name, err, took)
			continue
		}
		if slow || took < p.Timeout() {
			t.Errorf("%s: gave up after %v", name, took)
		}
		if err.Error() != text || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			t.Errorf("%s: %q, want %q", name, err, text)
		}
		return
	}
}

// TestWhatIsNoAnswerIsNamed has servers that answer at once, and wrongly.
func TestWhatIsNoAnswerIsNamed(t *testing.T) {
	respond := func(text string) func(connection) {
		return func(c connection) { c.request(); c.say(text) }
	}
	for _, c := range []struct {
		name   string
		scheme string // http
		do     func(connection)
		mode   httpget.Mode
		want   string // or one of those after another |
		is     error
	}{
		{name: "a server that hangs up", do: func(c connection) {}, want: "closed early: the server hung up, while waiting for the answer|closed early: the connection was reset, while waiting for the answer"},
		{name: "a server that hangs up on the question", do: func(c connection) { c.request() }, want: "closed early: the server hung up, while waiting for the answer", is: io.EOF},
		{
			name: "a server that resets the connection", do: func(c connection) { c.request(); c.reset() },
			want: "closed early: the connection was reset, while waiting for the answer", is: syscall.ECONNRESET,
		},
		{
			name: "a server that hangs up in the handshake", scheme: "https", do: func(c connection) { c.Read(make([]byte, 9999)) },
			want: "closed early: the server hung up, in the TLS handshake", is: io.EOF,
		},
		{
			name: "a server that hangs up in the header", do: respond("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"),
			want: "closed early: the server hung up, in the middle of the header", is: io.ErrUnexpectedEOF,
		},
		{
			name: "a server that hangs up after a hint", do: respond("HTTP/1.1 103 Early Hints\r\n\r\n"),
			want: "closed early: the server hung up, in the middle of the header", is: io.ErrUnexpectedEOF,
		},
		{
			name: "a body that is shorter than its Content-Length", mode: httpget.BodyMode, do: respond("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}"),
			want: "closed early: the server hung up, in the middle of the body", is: io.ErrUnexpectedEOF,
		},
		{
			name: "a body without its last chunk", mode: httpget.ClusterMode, do: respond("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"),
			want: "closed early: the server hung up, in the middle of the body", is: io.ErrUnexpectedEOF,
		},
		{name: "a body with a chunk of no length", do: respond("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + secret + "\r\n"), want: "malformed answer: its body is not chunked as its header says"},
		{name: "a mail server", do: respond("220 mail " + secret + " ESMTP\r\n"), want: "malformed answer: it is not HTTP"},
		{
			name: "a server that speaks first", do: func(c connection) { c.say("SSH-2.0-" + secret + "\r\n"); c.hang() },
			want: "malformed answer: it is not HTTP",
		},
		{name: "a status that is not a number", do: respond("HTTP/1.1 2x0 OK\r\n\r\n"), want: "malformed answer: it is not HTTP"},
		{name: "status 99", do: respond("HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n"), want: "malformed answer: its status is below 100"},
		{name: "a header without a colon", do: respond("HTTP/1.1 200 OK\r\nX-Token " + secret + "\r\n\r\n"), want: "malformed answer: its header is not HTTP"},
		{name: "two lengths", do: respond("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), want: "malformed answer: its header is not HTTP"},
		{name: "an encoding that nobody knows", do: respond("HTTP/1.1 200 OK\r\nTransfer-Encoding: " + secret + "\r\n\r\n{}"), want: "malformed answer: its header is not HTTP"},
		{
			name: "a header that is too large", do: respond("HTTP/1.1 200 OK\r\nX-Token: " + strings.Repeat(secret, 20_000) + "\r\n\r\n{}"),
			want: "too large: the header is longer than 65536 bytes",
		},
		{
			name: "an answer that never comes", do: respond(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 6) + whole),
			want: "malformed answer: too many interim responses",
		},
		{
			name: "a body that is too large", mode: httpget.BodyMode, do: respond("HTTP/1.0 200 OK\r\n\r\n" + strings.Repeat(" ", httpget.MaxBody+1)),
			want: "too large: the body is longer than 65536 bytes",
		},
		{
			name: "a body that never ends", mode: httpget.ClusterMode, do: func(c connection) {
				c.request()
				c.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
				for chunk := "400\r\n" + strings.Repeat("x", 1024) + "\r\n"; c.say(chunk); {
				}
			},
			want: "too large: the body is longer than 65536 bytes",
		},
		{
			name: "a server of plain HTTP that is asked by TLS", scheme: "https", do: func(c connection) { c.Read(make([]byte, 9999)); c.say("HTTP/1.1 400 Bad Request\r\n\r\n") },
			want: "TLS: the server speaks plain HTTP: write scheme http, or the port that speaks https",
		},
		{
			name: "a mail server that is asked by TLS", scheme: "https", do: func(c connection) { c.say("220 mail\r\n"); c.hang() },
			want: "TLS: the server does not speak TLS",
		},
		{
			name: "a server of TLS that is asked plainly", do: func(c connection) {
				c.request()
				c.say("\x15\x03\x01\x00\x02\x02\x46") // a fatal alert: protocol_version
			},
			want: "malformed answer: the server speaks TLS: write scheme https, or the port that speaks http",
		},
		{
			name: "a server that refuses the handshake", scheme: "https", do: func(c connection) {
				c.Read(make([]byte, 9999))
				c.say("\x15\x03\x03\x00\x02\x02\x28") // a fatal alert: handshake_failure
			},
			want: "TLS: the server refuses: handshake failure",
		},
		{
			name: "a server that breaks the handshake", scheme: "https", do: func(c connection) {
				c.Read(make([]byte, 9999))
				c.say("\x16\x03\x03\x00\x04\x0e\x00\x00\x00") // the end of a hello that never began
			},
			want: "TLS: received unexpected handshake message of type *tls.serverHelloDoneMsg when waiting for *tls.serverHelloMsg",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.scheme == "" {
				c.scheme = "http"
			}
			p := probeFor(t, serveRaw(t, c.scheme, c.do))
			p.Mode = c.mode
			err := ask(t, new(httpget.Client), p)
			if !slices.Contains(strings.Split(c.want, "|"), err.Error()) {
				t.Errorf("%q, want %q", err, c.want)
			}
			if c.is != nil && !errors.Is(err, c.is) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
				t.Errorf("%q is no %v, or one that it is not", err, c.is)
			}
		})
	}
}

// TestHostsThatCannotBeReachedAreNamed has no server.
func TestHostsThatCannotBeReachedAreNamed(t *testing.T) {
	closed := listen(t)
	closed.Close()
	code := func(rcode byte) func([]byte) []byte {
		return func(query []byte) []byte {
			query[2] |= 0x80
			query[3] = 0x80 | rcode
			return query
		}
	}
	for _, c := range []struct {
		name   string
		client *httpget.Client
		p      httpget.Spec
		want   string // the beginning
		is     error
	}{
		{
			name: "an address that is that of all hosts", client: new(httpget.Client),
			p: httpget.Spec{Host: "255.255.255.255", Port: 80, TimeoutSeconds: 60}, want: "unreachable: network is unreachable, while connecting",
			is: syscall.ENETUNREACH,
		},
		{
			name: "a port on which nothing listens", client: new(httpget.Client), p: probeFor(t, "http://"+closed.Addr().String()),
			want: "refused: nothing listens at " + closed.Addr().String(), is: syscall.ECONNREFUSED,
		},
		{
			name: "the same, for https", client: new(httpget.Client), p: probeFor(t, "https://"+closed.Addr().String()),
			want: "refused: nothing listens at " + closed.Addr().String(), is: syscall.ECONNREFUSED,
		},
		{
			name: "a name that does not exist", client: httpget.NewClient(serveDNS(t, code(3))),
			p: httpget.Spec{Host: "health.test", Port: 80, TimeoutSeconds: 60}, want: "DNS: no such host: health.test",
		},
		{
			name: "a DNS server that is ill", client: httpget.NewClient(serveDNS(t, code(2))),
			p: httpget.Spec{Host: "health.test", Port: 80, TimeoutSeconds: 60}, want: "DNS: server misbehaving, while looking up health.test",
		},
		{
			name: "a name that does not exist anywhere, with the network or without", client: new(httpget.Client),
			p: httpget.Spec{Host: "health.invalid", Port: 80, TimeoutSeconds: 60}, want: "DNS: ",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.p.Path = "/"
			err := ask(t, c.client, c.p)
			if !strings.HasPrefix(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%q, want %q", err, c.want)
			}
		})
	}
}

// TestABrokenProbeIsNotPolled has a server that nobody may ask.
func TestABrokenProbeIsNotPolled(t *testing.T) {
	t.Parallel()
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was asked") })
	p := probeFor(t, server.URL)
	p.TimeoutSeconds, p.Mode = -1, "yes"
	r := new(httpget.Client).Get(t.Context(), p, noon)
	want := `the probe is invalid: mode: "yes" is unknown: write status, body or cluster; timeoutSeconds: -1 is out of range: write 1 to 86400, or leave it out for its default`
	if r.Err == nil || r.Err.Error() != want || !r.At.Equal(noon) || r.Status != 0 {
		t.Errorf("%+v, want %q", r, want)
	}
}

// TestACancelledRequestIsDistinguished from a probe that is late.
func TestACancelledRequestIsDistinguished(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 10)
	address := serveRaw(t, "http", func(c connection) { c.request(); asked <- struct{}{}; c.hang() })
	c, p := new(httpget.Client), probeFor(t, address)

	t.Run("before it asks", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		r := c.Get(ctx, p, noon)
		if r.Err == nil || r.Err.Error() != "cancelled: the caller gave up, before it was connected" || !errors.Is(r.Err, context.Canceled) {
			t.Errorf("%v", r.Err)
		}
	})
	t.Run("while it waits", func(t *testing.T) {
		enough := errors.New("enough")
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() { <-asked; cancel(enough) }()
		r := c.Get(ctx, p, noon)
		if r.Err == nil || r.Err.Error() != "cancelled: the caller gave up, while waiting for the answer" {
			t.Errorf("%v", r.Err)
		}
		if !errors.Is(r.Err, context.Canceled) || !errors.Is(r.Err, enough) || errors.Is(r.Err, context.DeadlineExceeded) {
			t.Errorf("%v is not %v", r.Err, enough)
		}
	})
	t.Run("by a deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		r := c.Get(ctx, p, noon)
		if r.Err == nil || !strings.HasPrefix(r.Err.Error(), "timeout: nothing came before the caller's deadline, ") || !errors.Is(r.Err, context.DeadlineExceeded) {
			t.Errorf("%v", r.Err)
		}
	})
}
