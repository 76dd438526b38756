package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/cmd/probe/poll"
	"github.com/disruptkit/disruptkit/probe"
)

// The NodePools of the story. Budgets let all nodes go, so that only signals hold any back.
const nodePools = `
kind: NodePool
metadata: {name: web, labels: {team: shop}}
spec:
  disruption:
    budgets: [{nodes: 100%%}]
    disruptionProbes:
    - {name: web's probe, host: 127.0.0.1, port: %[1]d, path: /web, periodSeconds: 1}
---
kind: NodePool
metadata: {name: batch}
spec:
  disruption:
    budgets: [{nodes: 100%%}]
    disruptionProbes:
    - {name: batch's probe, host: 127.0.0.1, port: %[1]d, path: /batch, periodSeconds: 1, mode: body}
`

// breaker stops drift once three of the last five new nodes have failed.
var breaker = probe.ReplacementBreaker{
	Name: "web's new nodes", Reasons: []candidate.Reason{candidate.Drifted}, Failures: 3, Of: 5, CoolDown: 3 * time.Second,
}

// A cluster is two pools, each with a node that has drifted and one that is empty, and whoever has a say in whether they go.
type cluster struct {
	*manifest.Cluster
	probes   []probe.Probe  // of the whole cluster
	launches []probe.Launch // of pool web
	runner   *poll.Runner
}

func newCluster(port int, getter poll.Getter) (*cluster, error) {
	read, err := manifest.Read(strings.NewReader(fmt.Sprintf(nodePools, port)))
	if err != nil {
		return nil, err
	}
	for _, p := range read.Pools {
		for i, reason := range []candidate.Reason{candidate.Drifted, candidate.Empty} {
			read.Nodes = append(read.Nodes, candidate.Node{
				Name: p.Name + "-" + strings.ToLower(string(reason)), Pool: p.Name, Initialized: true, Ready: true,
				Conditions: []candidate.Condition{{Reason: reason, Since: time.Unix(int64(i), 0)}},
			})
		}
	}
	c := &cluster{Cluster: read, runner: poll.New(getter, poll.YAML)}
	c.probes = []probe.Probe{{
		Name: "the cluster's probe", Host: "127.0.0.1", Port: port, Path: "/cluster", PeriodSeconds: 1, Mode: probe.ClusterMode,
	}}
	c.runner.Set(c.all())
	return c, nil
}

// all returns the probes of the pools and the cluster.
func (c *cluster) all() []probe.Probe {
	var all []probe.Probe
	for _, p := range c.Pools {
		all = append(all, c.Probes[p.Name]...)
	}
	return append(all, c.probes...)
}

// decide decides for all reasons, by what the signals say now.
func (c *cluster) decide() disruptkit.Decision {
	for i := range c.Pools {
		c.Pools[i].Verdicts = c.runner.Verdicts(c.Probes[c.Pools[i].Name]...)
	}
	in := c.Input(time.Time{})
	in.Verdicts = c.runner.Verdicts(c.probes...)
	in.Now = time.Now()
	c.Pools[0].Verdicts = append(c.Pools[0].Verdicts, breaker.Verdict(c.launches, in.Now))
	return disruptkit.Decide(in, "")
}

// observedSince reports whether all probes have answered, or failed to, what they were asked since a time.
func (c *cluster) observedSince(t time.Time) bool {
	all := c.all()
	for i, v := range c.runner.Verdicts(all...) {
		if v.StaleAt.Add(-all[i].MaxAge()).Before(t) {
			return false
		}
	}
	return true
}
