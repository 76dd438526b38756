package httpget_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// A probe is asked now and then. What it answers stops drift at once.
func ExampleObserve() {
	p := httpget.Spec{
		Name: "incidents", Mode: httpget.BodyMode, Host: "health.monitoring.svc", Port: 8080, Path: "/gpu",
	}
	fmt.Println("ask", p.URL(), "every", p.Period())

	var o probe.Observation // kept from answer to answer
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	fmt.Println(probe.ProbeVerdict(p.Probe(), o, start))
	for i, answer := range []httpget.Response{
		{Status: 200, Body: []byte(`{"deniedActions": []}`)},
		{Status: 200, Body: []byte(`{"deniedActions": ["drift"]}`)},
		{Status: 503},
	} {
		answer.At = start.Add(time.Duration(i) * p.Period())
		o = httpget.Observe(p, o, answer)
		fmt.Println(probe.ProbeVerdict(p.Probe(), o, answer.At))
	}
	fmt.Println(probe.ProbeVerdict(p.Probe(), o, start.Add(time.Hour)))
	// Output:
	// ask http://health.monitoring.svc:8080/gpu every 10s
	// incidents: nothing has been observed yet
	// incidents: all nodes are allowed, until 2026-11-20T12:00:21Z
	// incidents: it denies Drifted
	// incidents: it answered 503, and only 200 to 202 allow disruption
	// incidents: the last answer is 59m40s old, and counts only for 21s
}

// In ClusterMode one endpoint speaks for all pools.
func ExampleObserve_clusterMode() {
	p := httpget.Spec{Name: "cluster", Mode: httpget.ClusterMode, Host: "health.monitoring.svc", Port: 8080}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	o := httpget.Observe(p, probe.Observation{}, httpget.Response{At: now, Status: 200, Body: []byte(`{"deniedActions": [
		{"name": "drift", "nodePools": {"labels": ["gpu", "team=search"]}},
		{"name": "consolidation", "clusterWide": true}]}`)})
	v := probe.ProbeVerdict(p.Probe(), o, now)
	for _, pool := range []struct {
		name   string
		labels map[string]string
	}{{"gpu", nil}, {"web", map[string]string{"team": "search"}}, {"batch", nil}} {
		for _, reason := range []candidate.Reason{candidate.Drifted, candidate.Empty} {
			if b, blocked := v.Blocker(reason, pool.name, pool.labels, now); blocked {
				fmt.Println("keep", pool.name, "-", b)
			} else {
				fmt.Println(pool.name, "is allowed for", reason)
			}
		}
	}
	// Output:
	// keep gpu - probe/denied: cluster: it denies Drifted in gpu
	// keep gpu - probe/denied: cluster: it denies Empty
	// keep web - probe/denied: cluster: it denies Drifted in team=search
	// keep web - probe/denied: cluster: it denies Empty
	// batch is allowed for Drifted
	// keep batch - probe/denied: cluster: it denies Empty
}

// An endpoint may write something else than JSON: here an action on each line.
func ExampleDecoder() {
	lines := httpget.Decoder(func(body []byte) ([]byte, error) {
		var denied []string
		for line := range bytes.Lines(body) {
			action, isLine := strings.CutSuffix(string(line), "\n")
			if !isLine {
				return nil, errors.New("the last line is cut off")
			}
			denied = append(denied, fmt.Sprintf("%q", action))
		}
		return []byte(`{"deniedActions": [` + strings.Join(denied, ", ") + `]}`), nil
	})
	p := httpget.Spec{Name: "health", Mode: httpget.BodyMode, Host: "health.monitoring.svc", Port: 8080}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, body := range []string{"drift\nexpiration\n", "drift\nexpi"} {
		o := lines.Observe(p, probe.Observation{}, httpget.Response{At: now, Status: 200, Body: []byte(body)})
		fmt.Println(probe.ProbeVerdict(p.Probe(), o, now))
	}
	// Output:
	// health: it denies Drifted; Expired
	// health: its answer is not understood: the last line is cut off
}
