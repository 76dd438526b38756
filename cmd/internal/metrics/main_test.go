package metrics

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

// result is what a run of the program leaves behind.
type result struct {
	stdout, stderr string
	status         int
}

func ran(ctx context.Context, stdin string, args ...string) result {
	var stdout, stderr bytes.Buffer
	status := command.Run(ctx, command.Environment{Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr}, Command, args)
	return result{stdout.String(), stderr.String(), status}
}

const twoNodes = `
kind: NodePool
metadata: {name: default}
spec: {disruption: {consolidateAfter: 0s, budgets: [{nodes: "1"}]}}
---
kind: NodeClaim
metadata: {name: claim-a, labels: {karpenter.sh/nodepool: default}}
status:
  nodeName: a
  conditions:
  - {type: Initialized, status: "True", lastTransitionTime: 2026-11-01T00:00:00Z}
  - {type: Drifted, status: "True", reason: AMIDrift, lastTransitionTime: 2026-11-01T00:00:00Z}
---
kind: Node
metadata: {name: a, labels: {karpenter.sh/nodepool: default, karpenter.sh/initialized: "true"}}
status: {conditions: [{type: Ready, status: "True"}]}
` + noPods + noPDBs

// Lists that say that there are no objects of a kind.
const (
	noPods = "---\n{apiVersion: v1, kind: PodList, items: []}\n"
	noPDBs = "---\n{apiVersion: policy/v1, kind: PodDisruptionBudgetList, items: []}\n"
)

// A node that is not Ready uses up the budget of drift, and not that of its repair. Karpenter repairs nodes only where its feature gate
// NodeRepair is on; by default it is off, and there is no budget for repair.
func TestUnhealthyNodesOfAFileAreWatched(t *testing.T) {
	unhealthy := strings.NewReplacer("type: Drifted", "type: Other", `{type: Ready, status: "True"}`, `{type: Ready, status: "False", lastTransitionTime: 2026-11-01T00:00:00Z}`).Replace(twoNodes)
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{"-f", "-"}, false}, {[]string{"-f", "-", "--engine", "guard"}, false}, {[]string{"-f", "-", "--engine", "disruptkit"}, true},
		{[]string{"-f", "-", "--repair", "usual"}, true}, {[]string{"-f", "-", "--engine", "disruptkit", "--repair", "none"}, false},
	} {
		got := ran(t.Context(), unhealthy, c.args...)
		for _, line := range []string{
			"karpenter_nodepools_allowed_disruptions{nodepool=\"default\",reason=\"unhealthy\"} 1\n",
			"karpenter_nodepools_nodes_consuming_budgets{nodepool=\"default\",reason=\"unhealthy\"} 0\n",
			"karpenter_nodepool_disruption_stopped{method=\"Unhealthy\",nodepool=\"default\",reason=\"Ready\"} 0\n",
		} {
			if got.status != good || strings.Contains(got.stdout, line) != c.want {
				t.Errorf("%v: want %t: %s%+v", c.args, c.want, line, got)
			}
		}
		if line := "karpenter_nodepools_nodes_consuming_budgets{nodepool=\"default\",reason=\"drifted\"} 1\n"; !strings.Contains(got.stdout, line) {
			t.Errorf("%v: want %s%+v", c.args, line, got)
		}
	}
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBadInputIsNamed(t *testing.T) {
	taken, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct {
		name, stdin string
		args        []string
		status      int
		want        string
	}{
		{"an argument that is not a flag", "", []string{"cluster.json"}, hopeless, `metrics: "cluster.json" is not a flag: to read a file, write -f cluster.json`},
		{"a flag that there is not", "", []string{"-port", "80"}, hopeless, "write metrics --help to see the flags"},
		{"standard input, again and again", "", []string{"-f", "-", "--listen", "localhost:0"}, hopeless, "-f - can be read once"},
		{"a time for each scrape", "", []string{"--now", "2026-11-20", "--listen", "localhost:0"}, hopeless, "--now is for what is read once"},
		{"an address that is taken", "", []string{"--listen", taken.Addr().String()}, hopeless, "--listen " + taken.Addr().String() + ": "},
		{"a budget that is broken", strings.Replace(twoNodes, `"1"`, `"many"`, 1), []string{"-f", "-"}, faulty, `"many"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ran(t.Context(), c.stdin, c.args...)
			if got.status != c.status || !strings.Contains(got.stderr, c.want) {
				t.Errorf("exit status %d, want %d; stderr:\n%swant: %s", got.status, c.status, got.stderr, c.want)
			}
		})
	}
}

var served = regexp.MustCompile(`http://(\S+)/metrics are the metrics`)

// serving runs the command until it serves, and returns its address.
func serving(t *testing.T, ctx context.Context, args ...string) (address string, ended chan int) {
	t.Helper()
	stderr, ended := &said{}, make(chan int, 1)
	go func() {
		ended <- command.Run(ctx, command.Environment{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: stderr}, Command, args)
	}()
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if found := served.FindStringSubmatch(stderr.String()); found != nil {
			return found[1], ended
		}
	}
	t.Fatalf("it does not serve: %s", stderr)
	return "", nil
}

func TestItServesUntilItIsInterrupted(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "cluster.yaml"), twoNodes)
	for _, args := range [][]string{{"--listen", "localhost:0"}, {"--listen", "localhost:0", "-f", path}} {
		ctx, interrupt := context.WithCancel(t.Context())
		address, ended := serving(t, ctx, args...)
		for path, want := range map[string]int{"/metrics": http.StatusOK, "/": http.StatusNotFound, "/metrics/": http.StatusNotFound} {
			client := http.Client{Timeout: time.Minute}
			answer, err := client.Get("http://" + address + path)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("%v: %s answers %s", args, path, answer.Status)
			}
		}
		interrupt()
		select {
		case status := <-ended:
			if status != good {
				t.Errorf("%v: exit status %d", args, status)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%v: it does not end", args)
		}
	}
}
