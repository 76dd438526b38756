// Command probe polls an endpoint that can stop disruption, and decides by its answers.
package main

import (
	"context"
	"crypto/x509"
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
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(answers[asked].status)
		_, _ = io.WriteString(w, answers[asked].body)
	}))
	defer server.Close()
	port := server.Listener.Addr().(*net.TCPAddr).Port
	health := httpget.Spec{Name: "health", Scheme: "HTTPS", Host: "127.0.0.1", Port: port, Mode: httpget.BodyMode}
	roots := x509.NewCertPool() // a cluster's own authority; by default, those of the system are trusted
	roots.AddCert(server.Certificate())

	var (
		client      = httpget.Client{Roots: roots}
		observation probe.Observation // of all answers so far: a value to keep between two polls
		now         = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	)
	for asked = range answers {
		now = now.Add(10 * time.Second) // here time is simulated: a program that runs for real waits, and takes time.Now()
		observation = httpget.Observe(health, observation, client.Get(context.Background(), health, now))
		show(observation)
		decide(now, probe.ProbeVerdict(health.Probe(), observation, now))
	}
	now = now.Add(health.MaxAge()) // nobody has asked for so long
	verdict := probe.ProbeVerdict(health.Probe(), observation, now)
	fmt.Println(now.Format(time.TimeOnly), verdict)
	decide(now, verdict)
}

// show prints what is remembered of the answers up to now.
func show(o probe.Observation) {
	at := o.At.Format(time.TimeOnly)
	if o.Healthy {
		fmt.Printf("%s healthy, and denies %v: %d good in a row\n", at, o.Denied, o.Streak)
	} else {
		fmt.Printf("%s not healthy: %d bad in a row, %s: %s\n", at, -o.Streak, o.Code, o.Cause)
	}
}

// decide decides on one drifted node, which only the probe can block: an empty list of budgets has no limit.
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
		fmt.Println(at, "keep", c.Node, c.Blockers[0].Code)
	}
}
