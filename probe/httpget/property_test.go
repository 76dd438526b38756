package httpget_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/probe/httpget"
)

// pieces are what answers are made of.
var pieces = []string{
	"HTTP/1.1 200 OK\r\n", "HTTP/1.0 201 OK\r\n", "HTTP/1.1 503 No\r\n", "HTTP/1.1 204 None\r\n", "HTTP/1.1 103 Hint\r\n\r\n", "HTTP/1.1 199 Odd\r\n\r\n",
	"HTTP/1.1 020 Low\r\n", "Content-Length: 2\r\n", "Content-Length: 9\r\n", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "X-Token " + secret + "\r\n",
	"\r\n", "\r\n", "\r\n{}", "2\r\n{}\r\n", "0\r\n\r\n", "{}", "\x15\x03\x01", "\x00", secret,
}

// TestWhateverAServerSaysOnlyACompleteAnswerCounts compares with a plain reading of the same bytes.
func TestWhateverAServerSaysOnlyACompleteAnswerCounts(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	said := ""
	address := serveRaw(t, "http", func(c connection) {
		c.request()
		mu.Lock()
		defer mu.Unlock()
		c.say(said)
	})
	complete := 0
	rapid.Check(t, func(rt *rapid.T) {
		start := rapid.SampledFrom([]string{"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"}).Draw(rt, "start")
		text := start + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(rt, "pieces"), "")
		mu.Lock()
		said = text
		mu.Unlock()
		p := probeFor(t, address)
		p.Mode = rapid.SampledFrom([]httpget.Mode{httpget.StatusMode, httpget.BodyMode}).Draw(rt, "mode")
		p.HTTPHeaders = []httpget.Header{{Name: "X-Token", Value: secret}}
		client := new(httpget.Client)
		r := client.Get(t.Context(), p, noon)
		status, body, whole, err := plainly(text)
		if p.Mode == httpget.StatusMode || status < 200 || status > 202 {
			body = ""
		} else if err == nil && !whole {
			err = errors.New("of no length")
		}
		if err != nil {
			if r.Err == nil || r.Status != 0 || r.Body != nil {
				rt.Fatalf("%q is %+v, want an error such as %v", text, r, err)
			}
			if strings.Contains(r.Err.Error(), secret) || strings.ContainsAny(r.Err.Error(), "\x00\r\n") {
				rt.Fatalf("%q tells too much", r.Err)
			}
			return
		}
		complete++
		if r.Err != nil || r.Status != status || string(r.Body) != body {
			rt.Fatalf("%q is %+v, want %d, %q", text, r, status, body)
		}
	})
	if complete == 0 && !testing.Short() { // a short run has too few answers for that
		t.Error("no answer was complete")
	}
}

// plainly reads an answer after which the connection ends, and reports whether it says where its body does.
func plainly(text string) (status int, body string, whole bool, err error) {
	for from := bufio.NewReader(strings.NewReader(text)); ; {
		r, err := http.ReadResponse(from, &http.Request{Method: http.MethodGet})
		switch {
		case err != nil:
			return 0, "", false, err
		case r.StatusCode < 100:
			return 0, "", false, errors.New("low")
		case r.StatusCode == 103:
			continue
		}
		read, err := io.ReadAll(r.Body)
		return r.StatusCode, string(read), r.ContentLength >= 0 || len(r.TransferEncoding) > 0, err
	}
}
