// Command probe polls an endpoint that can stop disruption, and decides by its answers.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// answers is what the endpoint says, one after the other.
var answers = []struct {
	status int
	body   string
}{
	{200, `{"deniedActions": []}`},
	{503, "the shop is down"},
	{200, `{"deniedActions": ["drift"]}`},
	{200, "<html>Please log in</html>"},
	{200, `{"deniedActions": []}`},
}

func main() {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(answers[asked].status)
		_, _ = io.WriteString(w, answers[asked].body)
	}))
	defer server.Close()
	health := probe.Probe{Name: "health", Host: "127.0.0.1", Port: server.Listener.Addr().(*net.TCPAddr).Port, Mode: probe.BodyMode}

	var (
		client      httpget.Client
		observation probe.Observation // of all answers so far: a value to keep between two polls
		now         = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	)
	for asked = range answers {
		now = now.Add(10 * time.Second) // here time is simulated: a program that runs for real waits, and takes time.Now()
		observation = probe.Observe(health, observation, client.Get(context.Background(), health, now))
		decide(now, probe.ProbeVerdict(health, observation, now))
	}
	now = now.Add(time.Minute) // nobody has asked for a minute
	decide(now, probe.ProbeVerdict(health, observation, now))
}

// decide decides on one drifted node, which only the probe can hold back: an empty list of budgets has no limit.
func decide(now time.Time, verdict probe.Verdict) {
	unlimited, err := budget.Compile([]budget.Budget{})
	if err != nil {
		log.Fatal(err)
	}
	pool := disruptkit.Pool{Name: "default", Budgets: unlimited, Verdicts: []probe.Verdict{verdict}}
	node := candidate.Node{
		Name: "node-0", Pool: pool.Name, Phase: candidate.Running,
		Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-time.Hour)}},
	}
	d := disruptkit.Decide(disruptkit.Input{Now: now, Pools: []disruptkit.Pool{pool}, Nodes: []candidate.Node{node}}, candidate.Drifted)
	at := d.Now.Format(time.TimeOnly)
	for _, c := range d.Allowed {
		fmt.Println(at, "drain", c.Node)
	}
	for _, c := range d.Blocked {
		fmt.Println(at, "keep", c.Node, c.Blockers)
	}
}
