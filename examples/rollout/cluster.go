package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A cluster stands for the API server, for the cloud, and for the clock.
type cluster struct {
	now    time.Time
	nodes  []candidate.Node
	coming []event // by time
}

// An event is something that will happen to the nodes.
type event struct {
	at      time.Time
	happens func()
}

// newCluster returns three zones of four nodes. All have drifted, those of different zones in turn.
func newCluster(now time.Time) *cluster {
	c := &cluster{now: now}
	for i := range 12 {
		n := newNode(fmt.Sprintf("%c%d", 'a'+i%3, i/3), now.AddDate(0, 0, -9))
		n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(time.Duration(i-24) * time.Minute)}}
		c.nodes = append(c.nodes, n)
	}
	return c
}

func newNode(name string, ready time.Time) candidate.Node {
	return candidate.Node{
		Name: name, Pool: "default", Labels: map[string]string{zone: name[:1]}, Phase: candidate.Running, ReadySince: ready,
	}
}

// replace launches a node for another one, which then drains. That takes 5 and 15 minutes.
func (c *cluster) replace(name string) {
	old := slices.IndexFunc(c.nodes, func(n candidate.Node) bool { return n.Name == name })
	c.nodes[old].Leaving, c.nodes[old].DisruptedFor = candidate.Draining, candidate.Drifted
	c.after(5*time.Minute, func() { c.nodes = append(c.nodes, newNode(name+"-new", c.now)) })
	c.after(20*time.Minute, func() {
		c.nodes = slices.DeleteFunc(c.nodes, func(n candidate.Node) bool { return n.Name == name })
	})
}

func (c *cluster) after(d time.Duration, happens func()) {
	c.coming = append(c.coming, event{c.now.Add(d), happens})
	slices.SortStableFunc(c.coming, func(a, b event) int { return a.at.Compare(b.at) })
}

// sleep sleeps for a time, or until something happens before that. It reports whether some node has drifted. A program that runs for real
// waits for a watch of the API server and for a timer instead.
func (c *cluster) sleep(d time.Duration) bool {
	if !slices.ContainsFunc(c.nodes, func(n candidate.Node) bool { return len(n.Conditions) > 0 }) {
		return false
	}
	if wakes := c.now.Add(d); len(c.coming) == 0 || wakes.Before(c.coming[0].at) {
		c.now = wakes
		return true
	}
	for c.now = c.coming[0].at; len(c.coming) > 0 && !c.coming[0].at.After(c.now); c.coming = c.coming[1:] {
		c.coming[0].happens()
	}
	return true
}
