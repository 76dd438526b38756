package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// With the address of an API server, the test binary is kubectl, which lists some kinds of objects.
func TestMain(m *testing.M) {
	server := os.Getenv("LIST_FROM")
	if server == "" {
		os.Exit(m.Run())
	}
	if os.Args[1] == "config" {
		fmt.Println("prod-eu")
		return
	}
	var all []json.RawMessage
	for _, kind := range strings.Split(os.Args[4], ",") { // --context prod-eu get KINDS
		items, err := list(server + map[string]string{
			"nodepools": "/apis/karpenter.sh/v1/nodepools", "nodeclaims": "/apis/karpenter.sh/v1/nodeclaims", "nodes": "/api/v1/nodes",
			"pods": "/api/v1/pods", "poddisruptionbudgets": "/apis/policy/v1/poddisruptionbudgets",
		}[kind])
		if err != nil {
			fmt.Fprintln(os.Stderr, "Error from server:", err)
			os.Exit(1)
		}
		all = append(all, items...)
	}
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"apiVersion": "v1", "kind": "List", "items": all})
}

func list(url string) ([]json.RawMessage, error) {
	answer, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", answer.Status, text)
	}
	var of struct{ Items []json.RawMessage }
	return of.Items, errors.Join(err, json.Unmarshal(text, &of))
}

// An apiServer lists three nodes that drift. Each time that it is asked, another one is done.
func apiServer(t *testing.T, failing int) string {
	t.Helper()
	began := time.Now().UTC().Add(-10 * time.Minute)
	stamp := func(after time.Duration) string { return began.Add(after).Format(time.RFC3339) }
	round := atomic.Int64{}
	round.Store(-1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/nodepools") { // the first to be asked for
			round.Add(1)
		}
		now := int(round.Load())
		var items []string
		add := func(format string, args ...any) { items = append(items, fmt.Sprintf(format, args...)) }
		for i := range 3 {
			for _, fresh := range []bool{false, true} {
				if fresh && i > now || !fresh && i < now {
					continue // it is not there yet, or gone
				}
				name, drifted, created, deleted := fmt.Sprint("node-", i), "True", stamp(-time.Hour), ""
				if fresh {
					name, drifted, created = name+"-new", "False", stamp(time.Minute)
				} else if i == now {
					deleted = fmt.Sprintf(`, "deletionTimestamp": %q`, stamp(4*time.Minute))
				}
				switch r.URL.Path {
				case "/apis/karpenter.sh/v1/nodeclaims":
					add(`{"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": %q, "labels": {"karpenter.sh/nodepool": "web"}, "creationTimestamp": %q%s},
"status": {"nodeName": %[1]q, "conditions": [{"type": "Drifted", "status": %[4]q, "reason": "Drifted", "lastTransitionTime": %[5]q},
{"type": "Initialized", "status": "True", "reason": "Initialized", "lastTransitionTime": %[6]q}]}}`, name, created, deleted, drifted, stamp(0), stamp(3*time.Minute))
				case "/api/v1/nodes":
					add(`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": %q, "labels": {"karpenter.sh/nodepool": "web", "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"}},
"status": {"conditions": [{"type": "Ready", "status": "True"}]}}`, name)
				}
			}
		}
		if r.URL.Path == "/apis/karpenter.sh/v1/nodepools" {
			add(`{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "web"}, "spec": {"disruption": {"consolidateAfter": "Never", "budgets": [{"nodes": "1"}]}}}`)
		}
		if now == failing && r.URL.Path == "/api/v1/nodes" {
			http.Error(w, "etcdserver: request timed out", http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, `{"items": [%s]}`, strings.Join(items, ",\n"))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// The API server fails once, says what launches and drains take, and at last has no node that drifts.
func TestAPlanFollowsTheClusterUntilItIsDone(t *testing.T) {
	fakeKubectl(t, `LIST_FROM="$SERVER" exec "$TESTS" "$@"`+"\n")
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TESTS", binary)
	t.Setenv("SERVER", apiServer(t, 1))
	got := ran(t, "plan", "--watch", "--watch-every", "1s", "--runs", "10")
	for _, want := range []string{
		"planned: 3 nodes to go, 3 done between ", "stale: kubectl get: exit status 1, and so ", "the last answer is of ",
		"measured in this roll: 1 launch of 2m", "2 of 3 done", "3 of 3 done", "nothing is left to do",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is not in\n%s", want, got.stdout)
		}
	}
	if got.status != 0 || strings.Count(got.stderr, "note: asking the cluster of context prod-eu") != 1 || !strings.Contains(got.stderr, "request timed out") {
		t.Errorf("status %d:\n%s", got.status, got.stderr)
	}
}
