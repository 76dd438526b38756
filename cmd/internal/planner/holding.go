package planner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// Stands describes how a node is that uses up budgets, and what holds it: "draining since Sat 05:50, held by PDB
// default/db". It is "" of a node of which there is nothing to say.
func Stands(cluster *manifest.Cluster, in disruptkit.Input, n *candidate.Node) string {
	standing := cluster.Standing(*n)
	texts := []string{standing.Text(func(t time.Time) string { return tell.Day(t, in.Now) })}
	if standing.Going && standing.Begun {
		texts = append(texts, holders(in, n))
	}
	texts = append(texts, Outlived(n, in.Now), Lingers(cluster, in, n))
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), ", ")
}

// holders describes what holds up the drain of a node in flight, beyond the end of its grace period if that has one.
func holders(in disruptkit.Input, n *candidate.Node) string {
	var by []string
	for _, b := range plan.Holds(in, *n, in.Now) {
		if text := holder(&b); !slices.Contains(by, text) {
			by = append(by, text)
		}
	}
	text := titled("held by ", by, mostHolders)
	if text != "" && n.Deadline.After(in.Now) {
		text += " until " + tell.Day(n.Deadline, in.Now)
	}
	return text
}

// mostHolders is how many PodDisruptionBudgets and pods are named that hold up one drain.
const mostHolders = 2

// holder names what holds up a drain: "PDB default/db", or "pod default/db-0".
func holder(b *candidate.Blocker) string {
	if b.Source != nil && len(b.Source.PDBs) > 0 {
		return "PDB " + strings.Join(b.Source.PDBs, " and ")
	}
	return "pod " + b.Pod
}

// Lingers reports that a pod of a node was to be gone by a time that is over, and is still there; "": none is.
func Lingers(cluster *manifest.Cluster, in disruptkit.Input, n *candidate.Node) string {
	at := cluster.Terminates(*n)
	if at.IsZero() || at.After(in.Now) {
		return ""
	}
	return "its pod " + cluster.Terminating(*n) + " was to be gone by " + past(tell.Day(at, in.Now), at, in.Now) +
		", and it is still there"
}

// around describes which pods of some nodes are killed, hold up drains, or are past their deletion time.
func around(cluster *manifest.Cluster, in disruptkit.Input, p plan.Plan, of func(pool, node string) bool, most int) []string {
	asked := func(n plan.Node) bool { return of(n.Pool, n.Name) }
	texts := []string{kills(p, in.Now, asked, most), terminating(cluster, p, asked, mostUsing),
		Lingering(cluster, in, func(n *candidate.Node) bool { return of(n.Pool, n.Name) })}
	return only(texts, func(text string) bool { return text != "" })
}

// terminating names the pods that terminate, and whose end is what some nodes of a plan are gone by: "default/j-1 on node-a
// until Sat 11:50"; "": there are none, or they are gone soon.
func terminating(cluster *manifest.Cluster, of plan.Plan, asked func(plan.Node) bool, most int) string {
	var all []string
	for _, n := range only(slices.Concat(of.Nodes, of.Expiring), asked) {
		node := candidate.Node{Name: n.Name}
		if at := cluster.Terminates(node); at.Equal(n.Gone) && at.Sub(of.From) > terminatesSoon {
			all = append(all, fmt.Sprintf("%s on %s until %s", cluster.Terminating(node), wording.Quote(n.Name), tell.Day(at, of.From)))
		}
	}
	return titled("pods that terminate hold up drains: ", all, most)
}

// titled names the first of some things behind a title; "": there are none.
func titled(title string, all []string, most int) string {
	if len(all) == 0 {
		return ""
	}
	return title + wording.Some(all, most)
}

// terminatesSoon is how long pods terminate without a word.
const terminatesSoon = 10 * time.Minute

// Lingering names the pods of some nodes that are past their deletion time, the last of each node; "": there are none.
func Lingering(cluster *manifest.Cluster, in disruptkit.Input, of func(*candidate.Node) bool) string {
	var all []string
	for i := range in.Nodes {
		n := &in.Nodes[i]
		if at := cluster.Terminates(*n); !at.IsZero() && !at.After(in.Now) && of(n) {
			all = append(all, fmt.Sprintf("%s on %s since %s", cluster.Terminating(*n), wording.Quote(n.Name),
				past(tell.Day(at, in.Now), at, in.Now)))
		}
	}
	return titled(count(len(all), "pod is past its deletion time and still there: ", "nodes have pods past their deletion time: "), all, mostUsing)
}
