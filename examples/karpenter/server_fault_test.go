//go:build unix

package karpenter_test

import (
	"context"
	"encoding/json"
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

	"github.com/awslabs/operatorpkg/controller"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/examples/karpenter"
	"github.com/disruptkit/disruptkit/examples/karpenter/internal/world"
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

// Somebody else writes the NodePool all the time, so that some of the guard's writes come too late.
func TestServerConflictingWrites(t *testing.T) {
	var conflicts atomic.Int64
	s := tellOnServer(t, func(o *world.Options) {
		o.Karpenter = func(c *rest.Config) {
			c.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					response, err := next.RoundTrip(r)
					if err == nil && response.StatusCode == http.StatusConflict && strings.Contains(r.URL.Path, "/nodepools/") {
						conflicts.Add(1)
					}
					return response, err
				})
			})
		}
	})
	ctx, stop := context.WithCancel(t.Context())
	var writer sync.WaitGroup
	defer writer.Wait()
	defer stop()
	writer.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			_ = s.UpdatePool(func(p *v1.NodePool) { p.Annotations["example.com/count"] = fmt.Sprint(n) })
			time.Sleep(100 * time.Millisecond)
		}
	})
	s.drift()
	s.rolls(2 * patience)
	t.Logf("%d writes of the NodePool conflicted", conflicts.Load())
	s.oneByOne()
	s.once()
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// All that Karpenter watches, it sees ten seconds late.
func TestServerWatchesLag(t *testing.T) {
	const lag = 10 * time.Second
	s := tellOnServer(t, func(o *world.Options) {
		o.NodesPerZone = 1
		o.Karpenter = func(c *rest.Config) {
			c.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					response, err := next.RoundTrip(r)
					if err == nil && r.URL.Query().Get("watch") != "" {
						response.Body = delay(response.Body, lag)
					}
					return response, err
				})
			})
		}
	})
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

func delay(body io.ReadCloser, lag time.Duration) io.ReadCloser {
	d := &delayed{Closer: body, chunks: make(chan chunk, 100_000)}
	go func() {
		for {
			buffer := make([]byte, 64<<10)
			n, err := body.Read(buffer)
			d.chunks <- chunk{time.Now().Add(lag), buffer[:n], err}
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

// The leader crashes when it has stored that the roll goes on in another zone, and has not started anything there; another takes over.
func TestServerLeaderCrashesBetweenStoringAndStarting(t *testing.T) {
	crashed := make(chan string, 1)
	var s *story
	var ready atomic.Bool // s is
	s = tellOnServer(t, func(o *world.Options) {
		o.LeaderElection = true
		zone := ""
		o.Guard = func(ctx context.Context, list []controller.Controller, parts world.Parts) ([]controller.Controller, error) {
			parts.Client = watchingMemory{parts.Client, func(now string) {
				if now != zone && zone != "" && ready.CompareAndSwap(true, false) {
					s.Crash()
					crashed <- now
				}
				zone = now
			}}
			return guardAsMain(ctx, list, parts)
		}
	})
	ready.Store(true)
	s.drift()
	crashes := 0
	s.until(3*patience, "all nodes are new", func() bool {
		select {
		case zone := <-crashed:
			crashes++
			s.lasts(time.Second)
			for _, name := range s.started(0) {
				if strings.HasPrefix(name, zone) {
					t.Errorf("%s was started, although the leader crashed before", name)
				}
			}
			if err := s.Restart(); err != nil {
				t.Fatal(err)
			}
		default:
		}
		return s.Rolled()
	})
	if crashes != 1 {
		t.Errorf("the leader crashed %d times, want once", crashes)
	}
	s.oneByOne()
	s.once()
}

// watchingMemory tells of the zone that is rolled, once that is stored.
type watchingMemory struct {
	client.Client
	stored func(zone string)
}

func (c watchingMemory) Patch(ctx context.Context, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
	err := c.Client.Patch(ctx, o, patch, opts...)
	if np, is := o.(*v1.NodePool); is && err == nil {
		var memory struct{ Roll struct{ Domain string } }
		if json.Unmarshal([]byte(np.Annotations[karpenter.MemoryAnnotation]), &memory) == nil && memory.Roll.Domain != "" {
			c.stored(memory.Roll.Domain)
		}
	}
	return err
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
