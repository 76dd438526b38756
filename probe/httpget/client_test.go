package httpget_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/probe/httpget"
)

// TestEveryStatusComesBackAsItIs but for those that say that another follows.
func TestEveryStatusComesBackAsItIs(t *testing.T) {
	t.Parallel()
	address := serveRaw(t, "http", func(c connection) {
		path, _ := url.PathUnescape(strings.Fields(c.request())[1])
		c.say("HTTP/1.1 " + path[1:] + "\r\nConnection: close\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	})
	client := new(httpget.Client)
	for given, want := range map[string]int{
		"100 Continue": 200, "102 Processing": 200, "103 Early Hints": 200, strings.Repeat("103 Hint\r\n\r\nHTTP/1.1 ", 5) + "200 OK\r\nContent-Length: 0": 200, // net/http's server also writes 199 in front of a 200:
		"199 Miscellaneous": 199, "104 Upload": 104, "101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x": 101, "101 Alone": 101,
		"200 OK\r\nContent-Length: 0": 200, "201 Created\r\nContent-Length: 0": 201, "202 Accepted\r\nContent-Length: 0": 202, "203 Transformed": 203, "204 No Content": 204, "205 Reset": 205,
		"300 Choices": 300, "301 Moved\r\nLocation: /200": 301, "304 Not Modified": 304, "404 Not Found": 404, "500 Error": 500, "999 ?": 999,
	} {
		for _, mode := range []httpget.Mode{httpget.StatusMode, httpget.BodyMode} {
			p := probeFor(t, address)
			p.Path = "/" + strings.NewReplacer(" ", "%20", "\r\n", "%0d%0a").Replace(given)
			p.Mode = mode
			r := client.Get(t.Context(), p, noon)
			if r.Err != nil || r.Status != want || !r.At.Equal(noon) {
				t.Errorf("%q in mode %s is %+v, want %d", given, mode, r, want)
			}
		}
	}
}

// A body that ends with its connection may have been cut short, and YAML does not show it.
func TestABodyOfNoLengthIsNotComplete(t *testing.T) {
	t.Parallel()
	address := serveRaw(t, "http", func(c connection) {
		c.request()
		c.say("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ndeniedActions:\n- emptiness\n")
	})
	client := new(httpget.Client)
	for mode, want := range map[httpget.Mode]int{httpget.StatusMode: 200, httpget.BodyMode: 0, httpget.ClusterMode: 0} {
		p := probeFor(t, address)
		p.Mode = mode
		r := client.Get(t.Context(), p, noon)
		if r.Status != want || (r.Err == nil) != (want == 200) || r.Err != nil && !strings.Contains(r.Err.Error(), "send Content-Length") {
			t.Errorf("in mode %s it is %+v", mode, r)
		}
	}
}

// TestABodyIsReadWhereItIsNeeded up to its limit.
func TestABodyIsReadWhereItIsNeeded(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var n int
		fmt.Sscan(r.URL.Query().Get("n"), &n)
		if status, err := strconv.Atoi(r.URL.Query().Get("status")); err == nil {
			w.WriteHeader(status)
		}
		io.WriteString(w, strings.Repeat("x", n))
	})
	client := new(httpget.Client)
	for _, status := range []string{"200", "201", "202"} {
		p := probeFor(t, server.URL+"/?n=9&status="+status)
		p.Mode = httpget.BodyMode
		if r := client.Get(t.Context(), p, noon); len(r.Body) != 9 || strconv.Itoa(r.Status) != status {
			t.Errorf("of status %s it is %+v", status, r)
		}
	}
	for _, n := range []int{100, 3 * httpget.MaxBody} {
		p := probeFor(t, fmt.Sprintf("%s/?n=%d&status=503", server.URL, n))
		p.Mode = httpget.BodyMode
		if r := client.Get(t.Context(), p, noon); r.Status != http.StatusServiceUnavailable || r.Body != nil || r.Err != nil {
			t.Errorf("a server that is down says so in %d bytes: %d of them, status %d, %v", n, len(r.Body), r.Status, r.Err)
		}
	}
	for _, c := range []struct {
		mode     httpget.Mode
		n        int
		want     string
		tooLarge bool
	}{
		{mode: "", n: 100}, {mode: httpget.StatusMode, n: 100}, {mode: httpget.StatusMode, n: httpget.MaxBody + 1}, {mode: httpget.StatusMode, n: 3 * httpget.MaxBody},
		{mode: httpget.BodyMode, n: 0}, {mode: httpget.BodyMode, n: 100, want: strings.Repeat("x", 100)},
		{mode: httpget.BodyMode, n: httpget.MaxBody, want: strings.Repeat("x", httpget.MaxBody)}, {mode: httpget.BodyMode, n: httpget.MaxBody + 1, tooLarge: true},
		{mode: httpget.ClusterMode, n: 100, want: strings.Repeat("x", 100)}, {mode: httpget.ClusterMode, n: 10 * httpget.MaxBody, tooLarge: true},
	} {
		p := probeFor(t, fmt.Sprintf("%s/?n=%d", server.URL, c.n))
		p.Mode = c.mode
		r := client.Get(t.Context(), p, noon)
		if string(r.Body) != c.want || (r.Err != nil) != c.tooLarge || (r.Status == 200) == c.tooLarge {
			t.Errorf("%d bytes in mode %s: %d of them, status %d, %v", c.n, c.mode, len(r.Body), r.Status, r.Err)
		}
		if c.mode == "" || c.mode == httpget.StatusMode {
			if r.Body != nil {
				t.Errorf("status mode has a body of %d bytes", len(r.Body))
			}
		}
	}
}

// TestARequestIsWhatTheProbeSays, and nothing else.
func TestARequestIsWhatTheProbeSays(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 1)
	address := serveRaw(t, "http", func(c connection) {
		heard <- c.request()
		c.say("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	})
	host := strings.TrimPrefix(address, "http://")
	client := new(httpget.Client)
	for _, c := range []struct {
		name    string
		path    string
		headers []httpget.Header
		want    []string
	}{
		{name: "nothing", want: []string{"GET / HTTP/1.1", "Host: " + host, "User-Agent: disruptkit", "Connection: close"}},
		{name: "a path with a query", path: "/healthz?pool=gpu&zone=a%20b", want: []string{"GET /healthz?pool=gpu&zone=a%20b HTTP/1.1", "Host: " + host, "User-Agent: disruptkit", "Connection: close"}},
		{name: "a path that looks like a host", path: "//evil/x", want: []string{"GET //evil/x HTTP/1.1", "Host: " + host, "User-Agent: disruptkit", "Connection: close"}},
		{name: "a path with escapes", path: "/a%2fb/%7e/../c;d=1", want: []string{"GET /a%2fb/%7e/../c;d=1 HTTP/1.1", "Host: " + host, "User-Agent: disruptkit", "Connection: close"}},
		{name: "a path with a user", path: "/@evil:80/", want: []string{"GET /@evil:80/ HTTP/1.1", "Host: " + host, "User-Agent: disruptkit", "Connection: close"}},
		{
			name: "headers, some repeated", headers: []httpget.Header{{Name: "X-Pool", Value: "a"}, {Name: "x-pool", Value: "b"}, {Name: "Accept", Value: "*/*"}, {Name: "X-Empty"}},
			want: []string{"GET / HTTP/1.1", "Host: " + host, "User-Agent: disruptkit", "Accept: */*", "X-Empty: ", "X-Pool: a", "X-Pool: b", "Connection: close"},
		},
		{
			name: "a user agent", headers: []httpget.Header{{Name: "user-agent", Value: "me"}},
			want: []string{"GET / HTTP/1.1", "Host: " + host, "User-Agent: me", "Connection: close"},
		},
		{
			name: "no user agent", headers: []httpget.Header{{Name: "User-Agent"}},
			want: []string{"GET / HTTP/1.1", "Host: " + host, "Connection: close"},
		},
		{
			name: "a host", headers: []httpget.Header{{Name: "HOST", Value: "health.example:99"}},
			want: []string{"GET / HTTP/1.1", "Host: health.example:99", "User-Agent: disruptkit", "Connection: close"},
		},
	} {
		p := probeFor(t, address)
		p.Path, p.HTTPHeaders = c.path, c.headers
		if r := client.Get(t.Context(), p, noon); r.Err != nil || r.Status != 200 {
			t.Errorf("%s: %+v", c.name, r)
			continue
		}
		if diff := cmp.Diff(c.want, strings.Split(strings.TrimSuffix(<-heard, "\r\n\r\n"), "\r\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestARequestGoesToTheProbesAddress whatever the server and the environment say. TestMain names a proxy, which is not for loopback: so
// the probe has a name.
func TestARequestGoesToTheProbesAddress(t *testing.T) {
	t.Parallel()
	other := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the other one was asked") })
	var asked atomic.Int64
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, other.URL, http.StatusFound)
	})
	client := httpget.NewClient(serveDNS(t, loopbackFor))
	p := probeFor(t, server.URL)
	p.Host = "health.test"
	if r := client.Get(t.Context(), p, noon); r.Err != nil || r.Status != 302 || asked.Load() != 1 {
		t.Errorf("%+v, after %d questions", r, asked.Load())
	}
}

// TestABodyIsNotUnpacked since nobody asked for it to be packed.
func TestABodyIsNotUnpacked(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, "packed")
	})
	p := probeFor(t, server.URL)
	p.Mode = httpget.BodyMode
	if r := new(httpget.Client).Get(t.Context(), p, noon); r.Err != nil || string(r.Body) != "packed" {
		t.Errorf("%+v", r)
	}
}

// TestEachQuestionHasAConnectionOfItsOwn whatever comes of it, and hangs up after the answer.
func TestEachQuestionHasAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		mode httpget.Mode
		n    int // the length of the body
	}{
		{name: "no body", n: 0},
		{name: "a body that is not needed", n: 100},
		{name: "a body that is not needed, and too long", n: 40 * httpget.MaxBody},
		{name: "a body that is read", mode: httpget.BodyMode, n: httpget.MaxBody},
		{name: "a body that is too long", mode: httpget.BodyMode, n: 40 * httpget.MaxBody},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("x", c.n)) }))
			var connections atomic.Int64
			var open sync.WaitGroup
			s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				switch state {
				case http.StateNew:
					connections.Add(1)
				case http.StateClosed:
					open.Done()
				}
			}
			s.Start()
			t.Cleanup(s.Close)
			client := new(httpget.Client)
			p := probeFor(t, s.URL)
			p.Mode = c.mode
			for range 5 {
				open.Add(1)
				client.Get(t.Context(), p, noon)
			}
			if n := connections.Load(); n != 5 {
				t.Fatalf("%d connections", n)
			}
			open.Wait()
		})
	}
}

// TestIPv6 asks a server at an address of IPv6, and at one with a zone.
func TestIPv6(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skipf("this machine has no IPv6: %v", err)
	}
	a := newAuthority(t)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) }))
	s.Listener.Close()
	s.Listener = listener
	s.TLS = a.certificate(t, nil)
	s.StartTLS()
	t.Cleanup(s.Close)
	p := probeFor(t, s.URL)
	p.Mode = httpget.BodyMode
	client := &httpget.Client{Roots: a.pool()}
	for _, host := range []string{"::1", "[::1]", "0:0:0:0:0:0:0:1", "::1%" + loopback(t)} {
		p.Host = host
		want := fmt.Sprintf("[%s]:%d", strings.Trim(strings.Split(host, "%")[0], "[]"), p.Port)
		if r := client.Get(t.Context(), p, noon); r.Err != nil || string(r.Body) != want {
			t.Errorf("%s: %q, %v; want %q", host, r.Body, r.Err, want)
		}
	}
}

// loopback returns the name of the interface of ::1.
func loopback(t *testing.T) string {
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range interfaces {
		addrs, _ := i.Addrs()
		for _, addr := range addrs {
			if prefix, err := netip.ParsePrefix(addr.String()); err == nil && prefix.Addr() == netip.IPv6Loopback() {
				return i.Name
			}
		}
	}
	t.Fatal("no interface has ::1")
	return ""
}

func TestMain(m *testing.M) {
	log.SetOutput(&logged)
	os.Setenv("HTTP_PROXY", "http://192.0.2.1:99") // there is none
	os.Unsetenv("NO_PROXY")
	os.Unsetenv("no_proxy")
	code := m.Run()
	if left := leftOvers(anything...); code == 0 && left != "" {
		fmt.Println("goroutines are left:\n" + left)
		code = 1
	}
	if text := logged.String(); code == 0 && text != "" {
		fmt.Println("this is in the log:\n" + text)
		code = 1
	}
	os.Exit(code)
}
