//go:build unix

package karpenter_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// once fails unless each old node was replaced by one new one: nothing was started twice.
func (s *story) once() { s.t.Helper(); s.fleetIs("a3 a4 b3 b4 c3 c4") }

func (s *story) fleetIs(want string) {
	s.t.Helper()
	all := func(world.Node) bool { return true }
	if got := s.names(all); got != want {
		s.t.Errorf("the fleet is %s, want %s", got, want)
	}
}

// inZones waits until the roll is in its first zone, its second and so on, and a node of it is in flight.
func (s *story) inZones(n int) {
	s.t.Helper()
	s.until(patience, fmt.Sprintf("zone %d has begun", n), func() bool {
		return len(s.InFlight()) > 0 && len(strings.Fields(zones(s.started(0)))) >= n
	})
}

func TestServerCrashesInARoll(t *testing.T) {
	s := tellOnServer(t, nil)
	s.drift()
	for _, zone := range []int{1, 2} {
		s.inZones(zone)
		if err := child(t, "kube-apiserver").Kill(); err != nil {
			t.Fatal(err)
		}
		s.lasts(5 * time.Second)
		if err := servers.ControlPlane.GetAPIServer().Start(); err != nil {
			t.Fatal(err)
		}
	}
	s.rolls(2 * patience)
	s.oneByOne()
	s.once()
}

// Somebody else writes the NodePool before the guard does, three times of four: the guard is too late, and nothing may start.
func TestServerConflictingWrites(t *testing.T) {
	var somebody atomic.Pointer[story] // nobody until the fleet is up
	var writes, conflicts atomic.Int64
	s := tellOnServer(t, func(o *world.Options) {
		o.Karpenter = func(c *rest.Config) {
			c.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					s := somebody.Load()
					if s == nil || r.Method != http.MethodPatch || !strings.HasSuffix(r.URL.Path, "/nodepools/default") {
						return next.RoundTrip(r)
					}
					n := writes.Add(1)
					if n%4 != 0 {
						err := s.UpdatePool(func(p *v1.NodePool) { p.Annotations["example.com/count"] = fmt.Sprint(n) })
						if err != nil {
							return nil, err
						}
					}
					response, err := next.RoundTrip(r)
					if err == nil && response.StatusCode == http.StatusConflict {
						conflicts.Add(1)
					}
					return response, err
				})
			})
		}
	})
	somebody.Store(s)
	s.drift()
	s.rolls(3 * patience)
	if n := conflicts.Load(); n < 3 {
		t.Errorf("%d writes of the NodePool conflicted: too few to show anything", n)
	}
	s.oneByOne()
	s.once()
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// All that Karpenter watches, it sees ten seconds late, once the fleet is up.
func TestServerWatchesLag(t *testing.T) {
	var lag atomic.Int64
	s := tellOnServer(t, func(o *world.Options) {
		o.NodesPerZone = 1
		o.Karpenter = func(c *rest.Config) {
			c.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					response, err := next.RoundTrip(r)
					if err == nil && r.URL.Query().Get("watch") != "" {
						response.Body = delay(response.Body, &lag)
					}
					return response, err
				})
			})
		}
	})
	lag.Store(int64(10 * time.Second))
	s.drift()
	s.rolls(3 * patience)
	s.oneByOne()
	s.fleetIs("a2 b2 c2")
}

// delayed is a body whose bytes come late.
type delayed struct {
	io.Closer
	chunks chan chunk
	left   []byte
	err    error
}

type chunk struct {
	at    time.Time
	bytes []byte
	err   error
}

func delay(body io.ReadCloser, lag *atomic.Int64) io.ReadCloser {
	d := &delayed{Closer: body, chunks: make(chan chunk, 100_000)}
	go func() {
		for {
			buffer := make([]byte, 64<<10)
			n, err := body.Read(buffer)
			d.chunks <- chunk{time.Now().Add(time.Duration(lag.Load())), buffer[:n], err}
			if err != nil {
				return
			}
		}
	}()
	return d
}

func (d *delayed) Read(into []byte) (int, error) {
	if len(d.left) == 0 && d.err == nil {
		c := <-d.chunks
		if c.err == nil {
			time.Sleep(time.Until(c.at))
		}
		d.left, d.err = c.bytes, c.err
	}
	n := copy(into, d.left)
	d.left = d.left[n:]
	if n == 0 {
		return 0, d.err
	}
	return n, nil
}

// A crash is one of the leader as the disruption of a node in a second zone begins: what the guard stores is stored by then, and nothing
// is written on the node yet. It comes whether anything was stored or not.
type crash struct {
	mu    sync.Mutex
	leads func() // ends the leader
	first string // zone that was begun
	node  string // that was about to be disrupted
}

// into makes a Karpenter crash.
func (c *crash) into(config *rest.Config) {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			name, isNode := strings.CutPrefix(r.URL.Path, "/api/v1/nodes/")
			if isNode && r.Method == http.MethodPatch {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return nil, err
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				if strings.Contains(string(body), v1.DisruptedTaintKey) && c.begins(name) {
					return nil, errors.New("the leader has crashed")
				}
			}
			return next.RoundTrip(r)
		})
	})
}

func (c *crash) begins(node string) (crashes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == "" {
		c.first = node[:1]
	}
	if node[:1] == c.first || c.node != "" {
		return false
	}
	c.node = node
	c.leads()
	return true
}

// after waits for the crash, and returns the node that was about to be disrupted, and its zone.
func (c *crash) after(s *story) (node, zone string) {
	s.t.Helper()
	s.until(3*patience, "the leader crashes as a second zone begins", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		node = c.node
		return node != ""
	})
	return node, node[:1]
}

// goesOn fails unless the server says that it is a zone's turn, and the next node that is disrupted is there. The node that was about to be
// disrupted may not be meanwhile, so that without a memory another zone would be next: that of the oldest node.
func (s *story) goesOn(node, zone string, takeOver func()) {
	s.t.Helper()
	if turn, _ := s.turn(); turn != zone {
		s.t.Errorf("%s was about to be disrupted, and on the server it was the turn of zone %q: want %q", node, turn, zone)
	}
	hold := func(text string) {
		s.t.Helper()
		if err := s.AnnotateNode(node, v1.DoNotDisruptAnnotationKey, text); err != nil {
			s.t.Fatal(err)
		}
	}
	hold("true")
	row := len(s.Timeline())
	takeOver()
	s.until(patience, "a node is disrupted after the crash", func() bool { return len(s.started(row)) > 0 })
	if next := s.started(row)[0]; next[:1] != zone || next == node {
		s.t.Errorf("%s was disrupted after the crash, want another node of zone %s: a zone began out of turn", next, zone)
	}
	hold("false")
}

// The leader crashes when it has stored that the roll goes on in another zone, and has not started anything there; another takes over.
func TestServerLeaderCrashesBetweenStoringAndStarting(t *testing.T) {
	var leader crash
	s := tellOnServer(t, func(o *world.Options) { o.LeaderElection, o.Karpenter = true, leader.into })
	leader.leads = s.Crash
	s.drift()
	node, zone := leader.after(s)
	s.goesOn(node, zone, func() {
		if err := s.Restart(); err != nil {
			t.Fatal(err)
		}
	})
	s.rolls(3 * patience)
	s.oneByOne()
	s.once()
}

// As before, but a second replica is there, whose caches are warm. It has not seen yet that the roll continued: so it wants to begin another
// zone, which the server refuses until it has.
func TestServerStandbyThatLagsTakesOver(t *testing.T) {
	var leader crash
	var refused atomic.Int64
	lag := &gate{}
	replicas := 0
	s := tellOnServer(t, func(o *world.Options) {
		o.LeaderElection = true
		o.Karpenter = func(c *rest.Config) {
			if replicas++; replicas == 1 {
				leader.into(c)
				return
			}
			c.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					response, err := next.RoundTrip(r)
					switch {
					case err != nil || !strings.Contains(r.URL.Path, "/nodepools") || strings.HasSuffix(r.URL.Path, "/status"):
					case response.StatusCode == http.StatusConflict:
						refused.Add(1)
					case r.URL.Query().Get("watch") != "":
						response.Body = lag.hold(response.Body)
					}
					return response, err
				})
			})
		}
	})
	leader.leads = s.Crash
	if err := s.StandBy(); err != nil {
		t.Fatal(err)
	}
	s.drift()
	s.inZones(1)
	lag.shut()
	node, zone := leader.after(s)
	s.goesOn(node, zone, func() {
		s.TakeOver()
		s.until(patience, "the server refuses what the second replica stores", func() bool {
			return refused.Load() > 0 || len(s.InFlight()) > 0
		})
		lag.open()
	})
	if refused.Load() == 0 {
		t.Error("the server refused nothing of what the second replica stored before it had seen the turn")
	}
	s.rolls(3 * patience)
	s.oneByOne()
	s.once()
}

// A gate holds up what watches tell while it is shut.
type gate struct {
	mu     sync.Mutex
	opened chan struct{} // while it is shut
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened = make(chan struct{})
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.opened)
	g.opened = nil
}

func (g *gate) hold(body io.ReadCloser) io.ReadCloser { return &held{body, g} }

// held is a body whose bytes wait for a gate.
type held struct {
	io.ReadCloser
	gate *gate
}

func (h *held) Read(into []byte) (int, error) {
	n, err := h.ReadCloser.Read(into)
	h.gate.mu.Lock()
	opened := h.gate.opened
	h.gate.mu.Unlock()
	if opened != nil && err == nil {
		<-opened
	}
	return n, err
}

func TestServerNodePoolIsDeletedInARoll(t *testing.T) {
	s := tellOnServer(t, nil)
	s.drift()
	s.inZones(1)
	var pool v1.NodePool
	if err := s.Client.Get(t.Context(), client.ObjectKey{Name: "default"}, &pool); err != nil {
		t.Fatal(err)
	}
	if err := s.Client.Delete(t.Context(), &pool); err != nil {
		t.Fatal(err)
	}
	s.lasts(10 * time.Second)
	s.stays(20 * time.Second)
	again := world.NewPool("default", pool.Spec.Disruption.Budgets...)
	again.Annotations = map[string]string{karpenter.DisruptionAnnotation: pool.Annotations[karpenter.DisruptionAnnotation]}
	if err := s.Client.Create(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	s.rolls(2 * patience)
	if n, _ := world.Peak(s.Timeline()); n != 1 { // the memory went with the NodePool: the roll may start anew in another zone
		t.Errorf("%d zones were in flight at once, want 1", n)
	}
	s.once()
}

// etcd stops for two seconds, every four.
func TestServerEtcdIsSlow(t *testing.T) {
	s := tellOnServer(t, nil)
	etcd := child(t, "etcd")
	ctx, stop := context.WithCancel(t.Context())
	var slow sync.WaitGroup
	defer slow.Wait()
	defer stop()
	slow.Go(func() {
		for ctx.Err() == nil {
			_ = etcd.Signal(syscall.SIGSTOP)
			time.Sleep(2 * time.Second)
			_ = etcd.Signal(syscall.SIGCONT)
			time.Sleep(2 * time.Second)
		}
	})
	s.drift()
	s.rolls(3 * patience)
	s.oneByOne()
	s.once()
}

// child returns a child of this process by the name of its program.
func child(t *testing.T, name string) *os.Process {
	t.Helper()
	status, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range status {
		text, err := os.ReadFile(file)
		var pid, parent int
		var program, state string
		if _, scanned := fmt.Sscanf(string(text), "%d %s %s %d", &pid, &program, &state, &parent); err != nil || scanned != nil {
			continue
		}
		if program == "("+name+")" && parent == os.Getpid() {
			return must(os.FindProcess(pid))
		}
	}
	t.Skipf("no process %s is seen: this needs /proc", name)
	return nil
}
