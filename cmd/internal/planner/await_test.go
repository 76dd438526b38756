package planner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

// waited waits for a roll that is looked at every two minutes, until it ends or some hours are over, and returns what is printed.
func waited(t *testing.T, hours int, objects func(time.Time) string, began time.Time, args ...string) (out string, status int) {
	t.Helper()
	o := statusFor(t, append([]string{"--wait", "--engine", "karpenter"}, args...)...)
	var stdout, stderr bytes.Buffer
	w := newAwaiting(o, command.Environment{Stdout: &stdout, Stderr: &stderr})
	for now := began; w.ended == nil && w.failed == nil && now.Before(began.Add(time.Duration(hours)*time.Hour)); now = now.Add(2 * time.Minute) {
		w.see(snapshotOf(t, o, objects(now), now), nil)
	}
	status, err := w.end(false)
	if err != nil {
		t.Fatal(err)
	}
	last := strings.LastIndex(strings.TrimRight(stdout.String(), "\n"), "\n") + 1
	return stdout.String()[:last] + "(the time of day)" + stdout.String()[last+len("Fri 20 Nov 10:30"):], status
}

// withPods are the objects of a roll, and pods in two namespaces; one of them blocks a node.
func withPods(objects, keeps string) string {
	pods := `, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "idle", "namespace": "system"}, "spec": {}, "status": {"phase": "Pending"}}`
	if keeps != "" {
		pods += fmt.Sprintf(`, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "db", "namespace": "shop", "annotations": {"karpenter.sh/do-not-disrupt": "true"}},
"spec": {"nodeName": %q}, "status": {"phase": "Running", "startTime": "2026-11-01T00:00:00Z"}}`, keeps)
	}
	return strings.TrimSuffix(objects, "]}") + pods + "]}"
}

// A roll of 12 nodes, three at a time, ends as it may end.
func TestAWaitEndsWithTheRoll(t *testing.T) {
	r := newRoll(3, 12, 3)
	kept := newRoll(3, 12, 3)
	kept.nodes[11] = rolled{disrupted: kept.end.Add(1e6 * time.Hour), deleted: kept.end.Add(1e6 * time.Hour), gone: kept.end.Add(1e6 * time.Hour)}
	hangs := newRoll(3, 12, 3)
	hangs.nodes[11].gone = hangs.end.Add(1e6 * time.Hour)
	for _, test := range []struct {
		rule, file string
		roll       roll
		keeps      string
		args       []string
		status     int
		want       string
	}{
		{"it is done once no node is left, for a minute", "await-done.txt", r, "", nil, good, "done: web: 12 of 12 nodes up to date\n"},
		{"part of it is enough", "", r, "", []string{"--at-least", "50%"}, good, "done: web: 8 of 15 nodes up to date"},
		{"it is stuck half an hour after nothing but a node that nothing allows is left", "await-stuck.txt", kept, "node-11", nil, endedStuck, "stuck for longer than 30m: web: 11 of 12 nodes up to date, 1 to go, 1 stuck; 1 node stuck (nothing of the NodePool has moved since "},
		{"but that much may be enough", "", kept, "node-11", []string{"--at-least", "90%"}, good, "done: web: 11 of 12 nodes up to date, 1 to go"},
		{"it is stuck when a drain does not end", "", hangs, "", nil, endedStuck, "node-11: its drain takes longer than 30m"},
		{"it is behind a plan that was too good", "await-behind.txt", r, "", []string{"--behind", "10m", "--drain", "10s", "--launch", "1m"}, endedBehind, "behind plan: 11m behind ("},
		{"it may be behind where nobody minds", "", r, "", []string{"--drain", "10s", "--launch", "1m"}, good, "done: "},
		{"it takes longer than one wants to wait", "", kept, "node-11", []string{"--timeout", "6h", "--stuck-after", "9h"}, endedTimeout, "timeout after 6h: web: 11 of 12 nodes up to date, 1 to go, 1 stuck"},
	} {
		out, status := waited(t, 6, func(now time.Time) string { return withPods(test.roll.objects(now, 3), test.keeps) }, test.roll.began, test.args...)
		if status != test.status || !strings.Contains(out[strings.Index(out, "(the time"):], test.want) {
			t.Errorf("%s: status %d, want %d, %q\n%s", test.rule, status, test.status, test.want, out)
		}
		if test.file != "" {
			golden.Check(t, test.file, out)
		}
	}
}

func TestAChangeOfTheNodePoolIsSaidAndTheWaitGoesOn(t *testing.T) {
	revision := func(hash string, generation, seen int) string {
		return strings.Replace(webPool, "{name: web}", fmt.Sprintf(`{name: web, generation: %d, annotations: {karpenter.sh/nodepool-hash: %q, karpenter.sh/nodepool-hash-version: v3}}
status: {conditions: [{type: Ready, status: "True", observedGeneration: %d}]}`, generation, hash, seen), 1)
	}
	node := func(hash string, drifted bool) machine {
		return machine{name: "a", drifted: drifted, claim: fmt.Sprintf(`, annotations: {karpenter.sh/nodepool-hash: %q, karpenter.sh/nodepool-hash-version: v3}`, hash)}
	}
	steps := []string{
		machines(revision("1", 4, 4), node("1", false)),
		machines(revision("1", 5, 4), node("1", false)), // somebody changes it, and Karpenter has not looked yet
		machines(revision("2", 5, 5), node("1", false)), // it has, but not at the node
		machines(revision("2", 5, 5), node("1", true)),
		machines(revision("2", 6, 6), node("1", true)), // its budgets change
		machines(revision("2", 6, 6), node("2", false)),
	}
	out, status := waited(t, 1, func(now time.Time) string { return steps[min(int(now.Sub(noon)/(2*time.Minute)), len(steps)-1)] }, noon, "--settle", "4m")
	if status != good {
		t.Errorf("status %d", status)
	}
	golden.Check(t, "await-revision.txt", out)
}

// awaited waits for a cluster that answers with texts, one each second.
func awaited(t *testing.T, args []string, texts ...string) result {
	t.Helper()
	var out, failed bytes.Buffer
	cluster := &answers{texts: texts}
	env := command.Environment{Stdout: &out, Stderr: &failed, Cluster: cluster.get}
	var status int
	inNoTime(t, func(t *testing.T) {
		status = command.Run(t.Context(), env, StatusCommand, append([]string{"--watch-every", "1s", "--engine", "karpenter", "--runs", "10"}, args...))
	})
	return result{out.String(), failed.String(), status}
}

// inNoTime runs a test as if now, in a bubble where waiting takes no time.
func inNoTime(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	now := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now)) // a bubble begins in the year 2000
		test(t)
	})
}

func TestEachEndOfAWaitHasAnExitStatus(t *testing.T) {
	drifted := machines(webPool, machine{name: "a", drifted: true}) + "---\n" + otherPod
	kept := machines(webPool, machine{name: "a", drifted: true, pod: forGood}) + "---\n" + otherPod
	rolled := machines(webPool, machine{name: "a"}) + "---\n" + otherPod
	seen := func(objects string, generation int) string {
		return strings.Replace(objects, "{name: web}", fmt.Sprintf("{name: web, generation: 5}\nstatus: {conditions: [{type: Ready, status: \"True\", observedGeneration: %d}]}", generation), 1)
	}
	wait := func(args ...string) []string { return append([]string{"--wait", "--settle", "0s"}, args...) }
	for _, test := range []struct {
		rule   string
		args   []string
		texts  []string
		status int
		want   string // on standard output, or else on standard error
	}{
		{"done", wait(), []string{drifted, rolled}, 0, "done: web: 1 of 1 node up to date\n"},
		{"done, once Karpenter has looked at the change", wait("--timeout", "9s"), []string{seen(rolled, 4), seen(rolled, 5)}, 0, "done: web: 1 of 1 node up to date\n"},
		{"not before that, although no node is left", wait("--timeout", "2s"), []string{seen(rolled, 4)}, 5, "timeout after 2s: web: 1 of 1 node up to date"},
		{"done, after it could not be read", wait(), []string{drifted, "", rolled}, 0, "done: web: 1 of 1 node up to date\n"},
		{"done, but something is broken", wait(), []string{drifted, strings.Replace(rolled, `nodes: "1"`, `nodes: "one"`, 1)}, 1, "something in the input is invalid or missing"},
		{"done, but something is broken, although nothing was before", wait(), []string{drifted, strings.Replace(rolled, `nodes: "1"`, `nodes: "one"`, 1)}, 1, `"one"`},
		{"not read at last is not done", wait("--timeout", "3s"), []string{drifted, ""}, 1, "and since then connection refused"},
		{"nothing could be read", wait(), []string{""}, 2, "connection refused"},
		{"there is no such NodePool", wait("wbe"), []string{rolled}, 2, `there is no NodePool "wbe": there are web`},
		{"the NodePool is gone", wait(), []string{drifted, strings.ReplaceAll(machines(webPool), "kind: NodePool\nmetadata: {name: web}\nspec: {disruption: {consolidateAfter: Never, budgets: [{nodes: \"1\"}]}}", "kind: NodePoolList\nitems: []") + "---\n" + nodes(rolled)}, 2, "the cluster has no NodePool"},
		{"stuck", wait("--stuck-after", "1s"), []string{kept}, 3, "stuck for longer than 1s: web: 0 of 1 node up to date, 1 to go, 1 stuck; 1 node stuck"},
		{"timeout", wait("--timeout", "2s"), []string{drifted}, 5, "timeout after 2s: web: 0 of 1 node up to date, 1 to go"},
	} {
		got := awaited(t, test.args, test.texts...)
		if got.status != test.status || !strings.Contains(got.stdout, test.want) && !strings.Contains(got.stderr, test.want) {
			t.Errorf("%s: want status %d, %q: %+v", test.rule, test.status, test.want, got)
		}
	}
}

const otherPod = "apiVersion: v1\nkind: Pod\nmetadata: {namespace: system, name: idle}\nstatus: {phase: Pending}\n"

// nodes returns the documents of objects that are no NodePools.
func nodes(objects string) string {
	_, rest, _ := strings.Cut(objects, "---\n")
	return rest
}

func TestSomebodyWhoStopsAWaitDoesNotMakeItDone(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	env := command.Environment{Stdout: io.Discard, Stderr: io.Discard, Cluster: func(string) (io.ReadCloser, error) {
		time.AfterFunc(100*time.Millisecond, stop)
		return io.NopCloser(strings.NewReader(machines(webPool, machine{name: "a", drifted: true}))), nil
	}}
	if status := command.Run(ctx, env, StatusCommand, []string{"--wait", "--runs", "10"}); status != hopeless {
		t.Errorf("status %d", status)
	}
}

func TestAWaitWithJSONPrintsItInTheEndAndLinesElsewhere(t *testing.T) {
	got := awaited(t, []string{"--wait", "-o", "json", "--timeout", "2s"}, machines(webPool, machine{name: "a", drifted: true})+"---\n"+otherPod)
	var answer struct{ Ended *conclusion }
	if err := json.Unmarshal([]byte(got.stdout), &answer); err != nil {
		t.Fatalf("%v: %+v", err, got)
	}
	if e := answer.Ended; got.status != endedTimeout || e == nil || e.As != "timeout" || e.ExitStatus != endedTimeout || !strings.Contains(got.stderr, "web: 0 of 1 node up to date, 1 to go") {
		t.Errorf("%+v", got)
	}
}

// A cluster answers with texts one after the other; "" is that it fails.
type answers struct {
	texts []string
	asked int
}

func (a *answers) get(string) (io.ReadCloser, error) {
	text := a.texts[min(a.asked, len(a.texts)-1)]
	a.asked++
	if text == "" {
		return nil, errors.New("connection refused\nto read a file, write -f FILE")
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

func TestAClusterThatDoesNotAnswerMakesTheStatusStale(t *testing.T) {
	defer func(d time.Duration) { patience = d }(patience)
	patience = 50 * time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	var out bytes.Buffer
	first := true
	env := command.Environment{Stdout: &out, Stderr: io.Discard, Cluster: func(string) (io.ReadCloser, error) {
		if first {
			first = false
			return io.NopCloser(strings.NewReader(fleet(1, `[{nodes: "1"}]`))), nil
		}
		time.AfterFunc(200*time.Millisecond, stop)
		<-ctx.Done()
		time.Sleep(50 * time.Millisecond)
		return nil, ctx.Err()
	}}
	status := command.Run(ctx, env, StatusCommand, []string{"--watch", "--watch-every", "1s", "--engine", "karpenter", "--runs", "10"})
	if status != faulty || !strings.Contains(out.String(), "stale: the cluster has not answered for ") || strings.Contains(out.String(), "canceled") {
		t.Errorf("status %d:\n%s", status, out.String())
	}
}
