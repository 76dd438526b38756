package httpget_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// A health service allows disruption until there is an incident.
func Example() {
	incident := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if incident {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	host, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	health := httpget.Spec{Name: "health", Host: host}
	health.Port, _ = strconv.Atoi(port)

	var client httpget.Client
	var observation probe.Observation
	for range 2 {
		now := time.Now()
		observation = httpget.Observe(health, observation, client.Get(context.Background(), health, now))
		verdict := probe.ProbeVerdict(health.Probe(), observation, now)
		fmt.Printf("%t %q\n", verdict.Allowed, verdict.Cause)
		incident = true
	}
	// Output:
	// true ""
	// false "it answered 503, and only 200 to 202 allow disruption"
}
