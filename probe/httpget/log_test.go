package httpget_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/probe/httpget"
)

// logged is what the process has logged, which is to be nothing: net/http logs what a server says unasked, and a server may
// repeat what it was asked.
var logged safeBuffer

type safeBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *safeBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

const whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

// gone waits for the client to hang up, with some patience.
func (c connection) gone() {
	c.SetReadDeadline(time.Now().Add(time.Second))
	io.Copy(io.Discard, c)
}

// TestWhatAServerRepeatsIsNotLogged has servers that send the request back where no answer is expected.
func TestWhatAServerRepeatsIsNotLogged(t *testing.T) {
	a := newAuthority(t)
	later := func(c connection, text string) { time.Sleep(50 * time.Millisecond); c.say(text) }
	for name, answer := range map[string]func(c connection, heard string){
		"with the answer":                func(c connection, heard string) { c.say(whole + heard) },
		"after the answer":               func(c connection, heard string) { c.say(whole); later(c, heard) },
		"after an answer without a body": func(c connection, heard string) { c.say("HTTP/1.1 204 None\r\n\r\n"); later(c, heard) },
		"after an answer in chunks": func(c connection, heard string) {
			c.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
			later(c, heard)
		},
		"after an answer that is malformed": func(c connection, heard string) { c.say("HTTP/1.1 200 OK\r\nX\r\n\r\n"); later(c, heard) },
		"after an answer of another kind":   func(c connection, heard string) { c.say("HTTP/1.1 199 Odd\r\n\r\n"); later(c, heard) },
		"after a refusal": func(c connection, heard string) {
			c.say("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
			later(c, heard)
		},
		"after an upgrade": func(c connection, heard string) {
			c.say("HTTP/1.1 101 Up\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
			later(c, heard)
		},
		"as an answer":           func(c connection, heard string) { c.say(heard); later(c, heard) },
		"with no answer at all":  func(c connection, heard string) { later(c, heard) },
		"as a timeout, and more": func(c connection, heard string) { c.say(whole); later(c, "HTTP/1.1 408 Slow\r\n\r\n"+heard) },
	} {
		for _, scheme := range []string{"http", "https"} {
			t.Run(name+" by "+scheme, func(t *testing.T) {
				t.Parallel()
				var all sync.WaitGroup
				p := probeFor(t, serveRaw(t, scheme, func(c connection) {
					defer all.Done()
					c = c.secured(scheme, a.certificate(t, nil))
					answer(c, c.request())
					c.gone()
				}))
				client := &httpget.Client{Roots: a.pool()}
				for _, mode := range []httpget.Mode{httpget.StatusMode, httpget.BodyMode} {
					p.Mode, p.Path, p.TimeoutSeconds = mode, "/ok?token="+secret, 5
					p.HTTPHeaders = []httpget.Header{{Name: "Authorization", Value: "Bearer " + secret}}
					if name == "with no answer at all" || name == "as an answer" {
						p.TimeoutSeconds = 1
					}
					all.Add(1)
					r := client.Get(t.Context(), p, noon)
					if r.Err != nil && strings.Contains(r.Err.Error(), secret) {
						t.Error(r.Err)
					}
					all.Wait()
				}
				if text := logged.String(); strings.Contains(text, secret) {
					t.Errorf("it is in the log: %s", text)
				}
			})
		}
	}
}

// TestAnUnrequestedAnswerIsIgnored has a server that allows, unasked, after it has refused.
func TestAnUnrequestedAnswerIsIgnored(t *testing.T) {
	t.Parallel()
	const refusal = "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"
	for name, unasked := range map[string]func(c connection){
		"with an answer":  func(c connection) { c.say(refusal + whole) },
		"after an answer": func(c connection) { c.say(refusal); time.Sleep(time.Millisecond); c.say(whole) },
	} {
		p := probeFor(t, serveRaw(t, "http", func(c connection) { c.request(); unasked(c); c.gone() }))
		client := new(httpget.Client)
		for i := range 100 {
			if r := client.Get(t.Context(), p, noon); r.Status != http.StatusServiceUnavailable {
				t.Fatalf("%s, the question of number %d is answered by %d, %v", name, i, r.Status, r.Err)
			}
		}
	}
}
