package httpget_test

import (
	"context"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/probe/httpget"
)

// TestNoGoroutineIsLeft asks servers that are silent at some point, which is still so when nobody asks them any more.
func TestNoGoroutineIsLeft(t *testing.T) {
	silent := func(scheme string, first string) httpget.Spec {
		p := probeFor(t, serveRaw(t, scheme, func(c connection) {
			if scheme == "http" {
				c.request()
			}
			c.say(first)
			c.hang()
		}))
		return p
	}
	dial := serveDNS(t, nil)
	dns := func(ctx context.Context, network, server string) (net.Conn, error) {
		conn, err := dial(ctx, network, server)
		if udp, ok := conn.(*net.UDPConn); ok {
			return patient{udp}, nil
		}
		return conn, err
	}
	probes := map[string]httpget.Spec{
		"does not accept": probeFor(t, "http://"+listen(t).Addr().String()),
		"handshake":       silent("https", ""),
		"in handshake":    silent("https", "\x16\x03\x03\x00\x50\x02\x00"),
		"answer":          silent("http", ""),
		"header":          silent("http", "HTTP/1.1 200 OK\r\nServer:"),
		"body":            silent("http", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}"),
		"upgrade":         silent("http", "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
		"whole":           silent("http", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
		"odd":             silent("http", "HTTP/1.1 199 Odd\r\n\r\n"),
		"name":            {Host: "health.test", Port: 80},
	}
	before := leftOvers(anything...)
	if before != "" {
		t.Fatalf("there are goroutines at the beginning:\n%s", before)
	}
	client := httpget.NewClient(dns)
	var all sync.WaitGroup
	for _, p := range probes {
		short, long := p, p
		short.TimeoutSeconds, long.TimeoutSeconds = 1, 3600
		all.Go(func() { client.Get(t.Context(), short, noon) })
		all.Go(func() { client.Get(t.Context(), short, noon) }) // two at once may share something
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			client.Get(ctx, long, noon)
		})
	}
	all.Wait()
	if left := leftOvers(anything...); left != "" {
		t.Errorf("goroutines are left:\n%s", left)
	}
}

// patient is a connection on which the resolver waits for ever, rather than for some seconds.
type patient struct{ *net.UDPConn }

func (patient) SetDeadline(time.Time) error { return nil }

// What goroutines of a client do, by their stacks.
var (
	connecting = []string{"net/http.(*Transport).dialConn(", "net.(*Resolver)", "net.(*Dialer)", "net.(*sysDialer)", "crypto/tls.(*Conn).clientHandshake", "net.cgo"}
	anything   = append([]string{"net/http.(*Transport)", "net/http.(*persistConn)", "httpget.(*"}, connecting...)
)

// leftOvers returns the goroutines that do something of this and do not end, after some patience.
func leftOvers(doing ...string) string {
	var left string
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if left = goroutines(doing); left == "" {
			break
		}
	}
	return left
}

func goroutines(doing []string) string {
	buffer := make([]byte, 8<<20)
	var found []string
	for stack := range strings.SplitSeq(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		if slices.ContainsFunc(doing, func(what string) bool { return strings.Contains(stack, what) }) {
			found = append(found, stack)
		}
	}
	return strings.Join(found, "\n\n")
}
