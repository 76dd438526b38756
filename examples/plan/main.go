// Command plan says when a roll will be done, what holds it up, and what would help. It needs no Kubernetes client: it reads what
// kubectl prints.
//
//	kubectl get nodepools,nodeclaims,nodes,pods,poddisruptionbudgets -A -o json | go run ./plan -f -
//
// Without a file it shows a cluster of its own. The cluster is read (package manifest), plan.Run plans, and what it returns is shown: as a
// page of text, as JSON, or as a picture.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/examples/internal/manifest"
	"github.com/disruptkit/disruptkit/examples/internal/tell"
	"github.com/disruptkit/disruptkit/plan"
)

// The exit status.
const (
	good     = 0
	faulty   = 1 // something in the input is broken or missing; all else was planned
	hopeless = 2 // nothing was planned
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, help)
		return good
	}
	if err != nil {
		fmt.Fprintln(stderr, "plan:", err)
		return hopeless
	}
	if o.watch != "" {
		err = o.follow(stdout, stderr)
	} else {
		var broken bool
		if broken, err = o.show(stdin, stdout, stderr); broken && err == nil {
			return faulty
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, "plan:", err)
		return hopeless
	}
	return good
}

// show plans, and shows the plan. It reports whether something in the input is broken or missing.
func (o *options) show(stdin io.Reader, stdout, stderr io.Writer) (broken bool, err error) {
	cluster, err := o.read(stdin)
	if err != nil {
		return false, err
	}
	in := o.input(cluster)
	r, err := o.report(in, stderr)
	if err != nil {
		return false, err
	}
	r.missing = cluster.Missing()
	broken = o.tell(stderr, cluster, r.plans[0].plan.Warnings)
	return broken, o.print(stdout, r)
}

// A report is all that is to be shown.
type report struct {
	plans   []planned    // as it is, and what if
	trials  []plan.Trial // of the first
	missing []manifest.Missing
}

// A planned is a plan and what it is called.
type planned struct {
	title string
	plan  plan.Plan
}

// report plans the cluster as it is, what if it were as the options have it, and what would help.
func (o *options) report(in disruptkit.Input, stderr io.Writer) (report, error) {
	progress := newProgress(stderr)
	options := o.planOptions(in)
	options.Observe = progress.observe
	r := report{plans: []planned{{"as it is", plan.Run(in, options)}}}
	if o.whatIf != "" {
		other, err := o.imagine(in, stderr)
		if err != nil {
			return report{}, err
		}
		r.plans = append(r.plans, planned{"with " + filepath.Base(o.whatIf), plan.Run(other, options)})
	}
	if o.try && len(r.plans) == 1 {
		progress.say("trying what would help")
		options.Observe = nil
		r.trials = plan.Try(in, options, r.plans[0].plan)
	}
	progress.done()
	return r, nil
}

// tell tells what is no plan, and reports whether something is broken or missing.
func (o *options) tell(stderr io.Writer, cluster *manifest.Cluster, warnings []candidate.Warning) (broken bool) {
	if o.file == "" {
		fmt.Fprintln(stderr, "note: this is a bundled cluster; for your own, write:", manifest.Command, "| plan -f -")
	}
	for _, note := range cluster.Notes() {
		fmt.Fprintln(stderr, "note:", note)
	}
	if len(cluster.Probes) > 0 && !o.ignoreProbes {
		fmt.Fprintln(stderr, "note: plan asks no disruptionProbes, and holds back pools that have any; to take for granted that they pass, write -ignore-probes")
	}
	all := cluster.Warnings(disruptkit.Decision{Warnings: warnings})
	for i, w := range all {
		if i == mostWarnings {
			fmt.Fprintf(stderr, "and %d warnings more; decide names them\n", len(all)-i)
			break
		}
		fmt.Fprintln(stderr, w.Error())
	}
	return slices.ContainsFunc(all, tell.IsFault) || len(cluster.Missing()) > 0
}

const mostWarnings = 10
