package metrics

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/internal/bundled"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

// A said is what a command has said so far.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// A running is a dashboard that runs.
type running struct {
	address string
	stderr  *said
	stop    func() (status int)
}

// dashboardOf runs the command until the test ends, or stop is called.
func dashboardOf(t *testing.T, cluster func(kinds string) (io.ReadCloser, error), args ...string) running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stderr, ended := &said{}, make(chan int, 1)
	env := command.Environment{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: stderr, Cluster: cluster}
	of := func(env *command.Environment) *cobra.Command { return DashboardCommand(env) }
	go func() { ended <- command.Run(ctx, env, of, append([]string{"--runs", "1"}, args...)) }()
	r := running{stderr: stderr, stop: sync.OnceValue(func() int { cancel(); return <-ended })}
	t.Cleanup(func() { r.stop() })
	serves := regexp.MustCompile(`http://(\S+)/ is the page`)
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(5 * time.Millisecond) {
		if found := serves.FindStringSubmatch(stderr.String()); found != nil {
			r.address = found[1]
			return r
		}
		select {
		case status := <-ended:
			ended <- status
			return r
		default:
		}
	}
	t.Fatalf("it does not serve: %s", stderr)
	return r
}

// asked asks for a path, with a method and by a host.
func (r running) asked(t *testing.T, method, host, path string) (status int, text string) {
	t.Helper()
	request, err := http.NewRequest(method, "http://"+r.address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		request.Host = host
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func TestTheDashboardShowsARollAtOneLook(t *testing.T) {
	d := dashboardOf(t, nil, "--demo")
	status, page := d.asked(t, http.MethodGet, "", "/")
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, page)
	}
	text := texts([]byte(page))
	for _, want := range []string{
		"37 of 50 nodes up to date in 2 NodePools", "Planned: 13 nodes to go, 12 done", // how far it is, and the plan
		"general 41 32 2 1 6 2 Fri 17:00", "us-west-2c 12 10 0 0 2 1 Fri 17:00", // of each NodePool and zone
		"general : 1 node stuck (nothing of the NodePool has moved since Fri 20 Nov 10:28): ip-10-0-108-90",
		"0 of 12 nodes done. The first plan, from Fri 10:30, is done Fri 17:10",
		"general Drifted closed until Fri 17:00",                                              // the week
		"14 nodes wait", "budget/allows-none 6 ip-", "; the first lifts Fri 17:00 (in 6h30m)", // blockers, by count
		"BudgetExceeded general 2 in flight for Drifted or not Ready", // events
		"(--engine karpenter).",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(page, `role="alert">This is old`) {
		t.Error("it is old")
	}
	if status := d.stop(); status != good || !strings.Contains(d.stderr.String(), "note: this is a bundled cluster") {
		t.Errorf("exit status %d: %s", status, d.stderr)
	}
}

// failing is a cluster that can be read until the test changes that.
type failing struct {
	mu    sync.Mutex
	fault error
	text  string
}

func (f *failing) set(fault error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

func (f *failing) read(string) (io.ReadCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return io.NopCloser(strings.NewReader(f.text)), f.fault
}

// until asks for the page until its text has something, or has it no more.
func (r running) until(t *testing.T, want string, is bool) (page string) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
		if _, page = r.asked(t, http.MethodGet, "", "/"); strings.Contains(page, want) == is {
			return page
		}
	}
	t.Fatalf("%q: want %v\n%s", want, is, texts([]byte(page)))
	return ""
}

func TestWhatCannotBeReadAnyMoreIsOldOnThePageAndSaysWhy(t *testing.T) {
	cluster := &failing{text: string(bundled.Cluster)}
	d := dashboardOf(t, cluster.read, "--watch-every", "1s")
	d.until(t, "This is old", false)
	cluster.set(errors.New("connection <refused>"))
	page := d.until(t, "This is old", true)
	old := regexp.MustCompile(`<p class="alert" role="alert">This is old: since (\w{3} \d\d:\d\d:\d\d UTC) the cluster cannot be read: connection &lt;refused&gt;</p>`)
	found := old.FindStringSubmatch(page)
	if found == nil || !strings.Contains(page, `<main class="stale">`) || !strings.Contains(page, "<title>Old: ") || !strings.Contains(page, "general") {
		t.Fatalf("%s", texts([]byte(page)))
	}
	time.Sleep(1500 * time.Millisecond) // it fails again
	if again := old.FindStringSubmatch(d.until(t, "This is old", true)); again == nil || again[1] != found[1] {
		t.Errorf("it is old since %q, and was since %q", again, found[1])
	}
	cluster.set(nil)
	d.until(t, "This is old", false)
	cluster.set(errors.New("gone"))
	d.until(t, "This is old", true)
	if status := d.stop(); status != faulty {
		t.Errorf("exit status %d", status)
	}
}

func TestADashboardWithoutAClusterIsAnError(t *testing.T) {
	cluster := &failing{fault: errors.New("connection refused")}
	if d := dashboardOf(t, cluster.read); d.address != "" || d.stop() != hopeless || !strings.Contains(d.stderr.String(), "connection refused") {
		t.Errorf("%+v", d.stderr)
	}
	if d := dashboardOf(t, nil, "--demo", "--listen", "8080"); d.stop() != hopeless || !strings.Contains(d.stderr.String(), "is not an address") {
		t.Errorf("%+v", d.stderr)
	}
	if d := dashboardOf(t, nil, "--demo", "-f", "cluster.json"); d.stop() != hopeless || !strings.Contains(d.stderr.String(), "leave it out to read a file") {
		t.Errorf("%+v", d.stderr)
	}
	if d := dashboardOf(t, nil, "-f", "-"); d.stop() != hopeless || !strings.Contains(d.stderr.String(), "can be read once") {
		t.Errorf("%+v", d.stderr)
	}
}

// A name that somebody else points at this machine is none of ours, so that his page cannot read this one.
func TestAPageIsServedOnlyByNamesOfThisMachine(t *testing.T) {
	d := dashboardOf(t, nil, "--demo")
	for host, want := range map[string]int{
		"": http.StatusOK, "localhost:1234": http.StatusOK, "LOCALHOST": http.StatusOK, "127.0.0.1": http.StatusOK, "[::1]:80": http.StatusOK,
		"192.0.2.7:80": http.StatusOK, "evil.example": http.StatusForbidden, "evil.example:80": http.StatusForbidden,
		"localhost.evil.example": http.StatusForbidden, "127.0.0.1.evil.example": http.StatusForbidden,
	} {
		for _, path := range []string{"/", "/page.js"} {
			if status, text := d.asked(t, http.MethodGet, host, path); status != want {
				t.Errorf("%s of %q: %d, want %d: %.100s", path, host, status, want, text)
			}
		}
	}
}

func TestAPageIsServedByTheNameInListen(t *testing.T) {
	for _, c := range []struct {
		asked, host string
		want        bool
	}{
		{"localhost:0", "localhost", true},
		{"Dash.example:80", "dash.example:80", true},
		{"dash.example:80", "other.example:80", false},
		{":80", "other.example:80", false},
		{":80", "", false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = c.host
		if got := newHost(c.asked, nil).knows(r); got != c.want {
			t.Errorf("--listen %s, asked for %q: %v", c.asked, c.host, got)
		}
	}
}

func TestAnAddressThatOthersReachIsSaidToBeOne(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1:0": false, "localhost:0": false, "0.0.0.0:0": true, ":0": true} {
		d := dashboardOf(t, nil, "--demo", "--listen", address)
		if said := strings.Contains(d.stderr.String(), "note: whoever reaches this address can read the page"); said != want {
			t.Errorf("--listen %s: %s", address, d.stderr)
		}
	}
}

func TestAPageIsOnlyRead(t *testing.T) {
	d := dashboardOf(t, nil, "--demo")
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions, http.MethodTrace} {
		for _, path := range []string{"/", "/page.js"} {
			if status, _ := d.asked(t, method, "", path); status != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d", method, path, status)
			}
		}
	}
	if status, _ := d.asked(t, http.MethodGet, "", "/other"); status != http.StatusNotFound {
		t.Errorf("another path: %d", status)
	}
}

func TestAPageThatIsAsItWasIsNotSentAgain(t *testing.T) {
	p := pictureOf(t, nil, fleetOf(3, 1)...)
	l, s := pages(t, p)
	_, header, _ := get(t, s, "/")
	again := func() int {
		request, _ := http.NewRequest(http.MethodGet, s.URL, nil)
		request.Header.Set("If-None-Match", header.Get("ETag"))
		answer, err := s.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	if status := again(); status != http.StatusNotModified {
		t.Errorf("as it was: %d", status)
	}
	l.draw(p)
	if status := again(); status != http.StatusNotModified {
		t.Errorf("drawn again: %d", status)
	}
	p.read = begin
	l.draw(p)
	if status := again(); status != http.StatusOK {
		t.Errorf("it has changed: %d", status)
	}
}
