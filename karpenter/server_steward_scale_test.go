package karpenter_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	manifests "github.com/disruptkit/disruptkit/cmd/steward"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
	"github.com/disruptkit/disruptkit/karpenter/steward"
)

// A nodeLog has the times at which nodes were written, and at which they were released, and how often anything else was written.
type nodeLog struct {
	sync.Mutex
	nodes, releases []time.Time
	others          int
}

func (l *nodeLog) listen(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		isNode := r.Method == http.MethodPatch && strings.HasPrefix(r.URL.Path, "/api/v1/nodes/")
		var body []byte
		if isNode {
			var err error
			if body, err = io.ReadAll(r.Body); err != nil {
				return nil, err
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		response, err := next.RoundTrip(r)
		l.Lock()
		defer l.Unlock()
		switch {
		case r.Method == http.MethodGet || strings.Contains(r.URL.Path, "/events"):
		case isNode:
			l.nodes = append(l.nodes, time.Now())
			if bytes.Contains(body, []byte(`"`+annotation.ReleasedFor+`":"`)) {
				l.releases = append(l.releases, time.Now())
			}
		default:
			l.others++
		}
		return response, err
	})
}

// written returns when nodes were written since a time, and how often anything else has been written at all.
func (l *nodeLog) written(since time.Time) (nodes []time.Time, others int) {
	l.Lock()
	defer l.Unlock()
	for _, at := range l.nodes {
		if !at.Before(since) {
			nodes = append(nodes, at)
		}
	}
	return nodes, l.others
}

// 5,000 nodes in 20 NodePools, with 50,000 pods, have all drifted, and a freeze of all NodePools ends: what the steward writes until all are
// held, and at rest, and how long after the end of the freeze a node of each NodePool is released. SCALE=1 runs it, in a fresh process.
func TestServerStewardScale(t *testing.T) {
	if os.Getenv("SCALE") == "" {
		t.Skip("SCALE is not set: it takes minutes, and shows figures")
	}
	const pools, perPool, pods = 20, 250, 10
	server := rest.CopyConfig(serverConfig(t))
	server.QPS, server.Burst = 2000, 4000
	kube := must(client.New(server, client.Options{Scheme: scheme.Scheme}))
	began := time.Now()
	const closed = `budgets: [{nodes: "1"}, {nodes: "0"}]`
	var all []*v1.NodePool
	for i := range pools {
		pool := world.NewPool(fmt.Sprintf("pool-%02d", i), v1.Budget{Nodes: "100%"})
		pool.Annotations = map[string]string{annotation.Disruption: closed, annotation.Steward: "true"}
		if err := populate(t.Context(), kube, pool, perPool, pods); err != nil {
			t.Fatal(err)
		}
		all = append(all, pool)
	}
	policies(t, server, manifests.Hold, manifests.Deny)
	t.Logf("%d nodes and %d pods were written in %s", pools*perPool, pools*perPool*pods, time.Since(began).Round(time.Second))

	log := &nodeLog{}
	to := rest.CopyConfig(server)
	to.QPS, to.Burst = 100, 200 // as the command of the steward
	to.Wrap(log.listen)
	ctx, stop := context.WithCancel(t.Context())
	m := must(newManager(to, nil))
	if err := steward.Add(m, steward.Options{}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- m.Start(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()

	begin := time.Now()
	for {
		before, _ := log.written(begin)
		time.Sleep(20 * time.Second)
		after, others := log.written(begin)
		if len(after) >= pools*perPool && len(after) == len(before) {
			break
		}
		t.Logf("after %s: %d writes of nodes, %d of other objects", time.Since(begin).Round(time.Second), len(after), others)
		if time.Since(begin) > 20*time.Minute {
			t.Fatalf("%d nodes were written in 20 minutes", len(before))
		}
	}
	held, _ := log.written(begin)
	t.Logf("all are held after %s, by %d writes of nodes", held[len(held)-1].Sub(begin).Round(time.Second), len(held))
	quiet := time.Now()
	_, others := log.written(quiet)
	time.Sleep(time.Minute)
	nodes, after := log.written(quiet)
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Logf("at rest: %d writes of nodes and %d of other objects in a minute; heap in use %d MB, of the test's process", len(nodes), after-others, memory.HeapInuse>>20)

	opens := time.Now().UTC().Truncate(time.Minute).Add(2 * time.Minute)
	for _, pool := range all {
		if err := kube.Get(t.Context(), client.ObjectKeyFromObject(pool), pool); err != nil {
			t.Fatal(err)
		}
		old := pool.DeepCopy()
		pool.Annotations[annotation.Disruption] = fmt.Sprintf(`budgets: [{nodes: "1"}, {nodes: "0", schedule: "%d %d * * *", duration: 1h, outside: true}]`,
			opens.Minute(), opens.Hour())
		if err := kube.Patch(t.Context(), pool, client.MergeFrom(old)); err != nil {
			t.Fatal(err)
		}
	}
	if left := time.Until(opens); left < 10*time.Second {
		t.Fatalf("the NodePools were written only %s before the freeze ends", left)
	}
	time.Sleep(time.Until(opens.Add(30 * time.Second)))
	told, _ := log.written(opens)
	log.Lock()
	defer log.Unlock()
	if len(log.releases) != pools || log.releases[0].Before(opens) {
		t.Fatalf("%d nodes were released, want one of each NodePool, after %s: %v", len(log.releases), opens, log.releases)
	}
	t.Logf("one node of each NodePool was released from %s to %s after the end of the freeze; in half a minute, %d nodes had another reason written on them",
		log.releases[0].Sub(opens).Round(time.Millisecond), log.releases[pools-1].Sub(opens).Round(time.Millisecond), len(told)-pools)
}
