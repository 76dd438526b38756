package metrics

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/repair"
)

//go:embed nodepools.yaml
var nodePools string

// What is simulated, and how fast.
const (
	step = 5 * time.Minute  // between two decisions
	boot = 10 * time.Minute // from when a replacement is launched until it is Ready
	goes = 40 * time.Minute // from when a node begins to go until it is gone
)

// begin is when the simulation does: on a Thursday, in business hours.
var begin = time.Date(2026, 11, 19, 14, 45, 0, 0, time.UTC)

// sizes are how many nodes a pool has once it has scaled up.
var sizes = map[string]int{"web": 16, "batch": 6}

// A fleet is the simulated cluster. Nothing in it is left to chance.
type fleet struct {
	now      time.Time
	pools    []disruptkit.Pool
	machines []machine
	launched map[string]int // nodes ever, by pool
}

// A machine is a node, and what will become of it.
type machine struct {
	candidate.Node
	ready  time.Time
	broken time.Time // since when its kubelet is down; zero: it works
	gone   time.Time // zero: it stays
}

func newFleet() (*fleet, error) {
	read, err := manifest.Read(strings.NewReader(nodePools))
	if err != nil {
		return nil, err
	}
	f := &fleet{now: begin.Add(-4 * time.Hour), pools: read.Pools, launched: map[string]int{}}
	for _, p := range f.pools {
		for range sizes[p.Name] {
			f.launch(p.Name, f.now)
		}
	}
	f.adorn()
	for f.now.Before(begin) { // what has come over nodes in the morning
		f.advance()
	}
	return f, nil
}

// adorn gives some nodes a will of their own.
func (f *fleet) adorn() {
	var parser kube.Parser
	terms, _ := parser.Terms("ml", "train-0", map[string]string{
		kube.DisruptionScheduleAnnotation: "0 2 * * 6", kube.DisruptionScheduleDurationAnnotation: "4h",
	})
	for i := range f.machines {
		switch n := &f.machines[i].Node; n.Name {
		case "web-03":
			n.DoNotDisrupt = true
		case "batch-04":
			n.Pods = []candidate.Pod{{Namespace: "ml", Name: "train-0", Terms: terms, Started: begin}}
		}
	}
}

// launch adds a node that will be Ready at a time.
func (f *fleet) launch(pool string, ready time.Time) {
	f.launched[pool]++
	n := candidate.Node{Name: fmt.Sprintf("%s-%02d", pool, f.launched[pool]), Pool: pool}
	f.machines = append(f.machines, machine{Node: n, ready: ready})
}

// advance lets a step of time pass.
func (f *fleet) advance() {
	f.now = f.now.Add(step)
	f.machines = slices.DeleteFunc(f.machines, func(m machine) bool { return !m.gone.IsZero() && !m.gone.After(f.now) })
	for _, h := range daily {
		if f.now.Equal(f.now.Truncate(24 * time.Hour).Add(h.at)) {
			f.happen(h)
		}
	}
}

// input returns how the cluster stands.
func (f *fleet) input() (disruptkit.Input, error) {
	in := disruptkit.Input{Now: f.now, Pools: f.pools}
	for _, m := range f.machines {
		switch m.ReadySince = m.ready; {
		case m.ready.After(f.now):
			m.Phase, m.ReadySince = candidate.Launched, time.Time{}
		case m.broken.IsZero():
			m.Phase = candidate.Running
		default:
			m.Phase = candidate.NotReady
		}
		if c, ok := m.repair(f.now); ok {
			m.Conditions = append(slices.Clip(m.Conditions), c)
		}
		in.Nodes = append(in.Nodes, m.Node)
	}
	return in, nil
}

// policies are those by which nodes are repaired: after half an hour.
var policies, _ = repair.Compile([]repair.Policy{{
	ConditionType: "Ready", ConditionStatus: "False", TolerationDuration: 30 * time.Minute, TerminationGracePeriod: new(time.Duration), Action: repair.Replace,
}})

// repair returns the reason to repair a node, if its kubelet is down.
func (m machine) repair(now time.Time) (c candidate.Condition, ok bool) {
	if m.broken.IsZero() {
		return c, false
	}
	health := repair.Node{Conditions: []repair.Condition{{Type: "Ready", Status: "False", Reason: "KubeletDown", LastTransitionTime: m.broken}}}
	return repair.Resolve(policies, health, now).Condition()
}

// decide decides with all that disruptkit knows.
func (f *fleet) decide(in disruptkit.Input, reason candidate.Reason) disruptkit.Decision {
	return disruptkit.Decide(in, reason)
}

// repairs returns true: nodes are.
func (f *fleet) repairs() bool { return true }

// missing returns nothing: all is simulated.
func (f *fleet) missing() []manifest.Missing { return nil }

// unsure returns nothing: what is Underutilized is consolidated.
func (f *fleet) unsure([]disruptkit.Decision) map[string]bool { return nil }

// admitted returns nothing: no other budgets limit the pools.
func (f *fleet) admitted() map[string]budget.Set { return nil }

// rejected returns false: the pools are as they are written.
func (f *fleet) rejected(string) bool { return false }

// faults returns nothing: nothing is broken.
func (f *fleet) faults([]disruptkit.Decision) []candidate.Warning { return nil }

// planOptions say how the simulated cluster behaves.
func (f *fleet) planOptions() plan.Options {
	return plan.Options{Model: plan.Model{Every: step, Launch: plan.Constant(boot), Drain: plan.Constant(goes)}}
}

// start begins to disrupt what may be disrupted, reason by reason: what starts for one is in flight for the next. What drifted, or is broken, is
// replaced; what is empty, or consolidated, is not.
func (f *fleet) start(reasons []candidate.Reason, in disruptkit.Input) {
	for _, reason := range reasons {
		d := f.decide(in, reason)
		for _, c := range d.Allowed {
			f.remove(c.Node, c.Reason)
			if method := c.Reason.Method(); method == candidate.Drifted || method == candidate.Unhealthy {
				f.launch(c.Pool, f.now.Add(boot))
			}
		}
		in = in.Apply(d)
	}
}

func (f *fleet) remove(node string, reason candidate.Reason) {
	m := f.machine(node)
	m.Leaving, m.DisruptedFor, m.gone = candidate.Draining, reason, f.now.Add(goes)
}

// machine returns the one of a name, which there is.
func (f *fleet) machine(name string) *machine {
	return &f.machines[slices.IndexFunc(f.machines, func(m machine) bool { return m.Name == name })]
}
