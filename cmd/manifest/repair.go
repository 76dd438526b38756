package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/repair"
)

// usual has the default policies. Each cloud provider of Karpenter has its own policies, which no object of the API
// shows. All replace nodes that are not Ready for long: those of AWS and Azure after 30m, others after 10m or less.
// They differ in the other conditions that they check (on AWS, those of the EKS node monitoring agent). Nothing can be
// evicted from such nodes, so the drain takes no time.
var usual, _ = repair.Compile([]repair.Policy{
	{ConditionType: "Ready", ConditionStatus: "False", TolerationDuration: 30 * time.Minute, TerminationGracePeriod: new(time.Duration), Action: repair.Replace},
	{ConditionType: "Ready", ConditionStatus: "Unknown", ReasonRegex: ".*", TolerationDuration: 30 * time.Minute, TerminationGracePeriod: new(time.Duration), Action: repair.Replace},
})

// karpenters is the breaker of Karpenter's repair. (Karpenter: repairUnhealthyThreshold.)
var karpenters = repair.Breaker{Percent: 20}

// repairFlag adds the flag --repair.
func (p *Policy) repairFlag(flags *pflag.FlagSet) {
	p.Repair, p.repairAssumed = usual, true
	const usage = "repair nodes by the repair policies of a `file`, in JSON or YAML; usual replaces nodes that have not been Ready for 30m; " +
		"none repairs no node (default: for disruptkit, usual; for the other engines, where the feature gate NodeRepair is off by default, " +
		"none unless --reason asks for Unhealthy)"
	flags.Func("repair", usage, func(name string) (err error) {
		p.repairAssumed = false
		p.Repair, err = ReadRepair(name)
		return err
	})
}

// ReadRepair returns the repair policies of a file, in JSON or YAML; usual and none are the names of two sets.
func ReadRepair(name string) (repair.Set, error) {
	switch name {
	case "none":
		return repair.Set{}, nil
	case "usual":
		return usual, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return repair.Set{}, err
	}
	defer f.Close()
	return readPolicies(f)
}

// readPolicies reads a list of repair policies, in JSON or YAML.
func readPolicies(in io.Reader) (repair.Set, error) {
	text, err := readSource(in)
	if err != nil {
		return repair.Set{}, err
	}
	var list []byte
	for doc, broken := range documents(text) {
		switch {
		case broken != nil:
			return repair.Set{}, broken.error
		case list != nil:
			return repair.Set{}, errors.New("there are several documents: write all policies in one list")
		}
		list = doc.json
	}
	if list == nil {
		return repair.Set{}, errors.New("it is empty: write a list of policies, or --repair none")
	}
	return repair.Parse(list)
}

// conditionTypes returns the condition types of the policies.
func conditionTypes(set repair.Set) (types []string) {
	for _, p := range set.Policies() {
		types = append(types, p.ConditionType)
	}
	return types
}

// repair returns what to do with a machine at a time, if a policy concerns any of its conditions.
func (s state) repair(policies repair.Set, now time.Time) (r repair.Result, unhealthy bool) {
	if s.claim == nil || s.node == nil || !policies.Unhealthy(s.node.health) {
		return r, false
	}
	n := repair.Node{Conditions: s.node.health, Created: s.node.created, RebootEnded: s.claim.rebootEnded}
	return repair.Resolve(policies, n, now), true
}

// cost returns the cost of a machine's disruption at a time: of moving its pods, the less the shorter the rest of its
// lifetime. (Karpenter: NewCandidate, LifetimeRemaining.)
func (s state) cost(now time.Time) (cost float64) {
	if s.claim == nil || s.node == nil {
		return 0
	}
	for _, pod := range s.pods {
		cost += pod.cost
	}
	if s.claim.lifetime <= 0 {
		return cost
	}
	left := 1 - float64(now.Sub(s.claim.created))/float64(s.claim.lifetime)
	return cost * min(max(left, 0), 1)
}

// Repairing reports whether there are policies by which nodes are repaired.
func (c *Cluster) Repairing() bool { return c.policy.Repair != repair.Set{} }

// Repairs returns, by name, what to do with each unhealthy node at a time. Karpenter does not publish how often it has
// rebooted a node. So Repairs cannot know when RebootNode becomes ReplaceNode, after two reboots in a day.
func (c *Cluster) Repairs(now time.Time) map[string]repair.Result {
	results := map[string]repair.Result{}
	for i, s := range c.states {
		if r, unhealthy := s.repair(c.policy.Repair, now); unhealthy {
			results[c.Nodes[i].Name] = r
		}
	}
	return results
}

// nodes returns the nodes at a time, with unhealthy ones as candidates for repair.
func (c *Cluster) nodes(now time.Time) []candidate.Node {
	nodes := slices.Clone(c.Nodes)
	for i, s := range c.states {
		n := &nodes[i]
		n.Cost = s.cost(now)
		if r, unhealthy := s.repair(c.policy.Repair, now); unhealthy {
			if condition, ok := r.Condition(); ok {
				n.Conditions = append(slices.Clip(n.Conditions), condition)
			}
		}
	}
	c.age(nodes, now)
	return nodes
}

// addBreakers adds verdicts that stop the repair of pools with too many unhealthy nodes. It counts all Nodes with the
// pool's label, whoever manages them. (Karpenter: Repair.breakerTrippedPools.)
func (c *Cluster) addBreakers() {
	all, unhealthy := map[string]int{}, map[string]int{}
	for _, n := range c.from.nodes {
		pool := n.labels[annotation.PoolLabel]
		if all[pool]++; c.policy.Repair.Unhealthy(n.health) {
			unhealthy[pool]++
		}
	}
	for i := range c.Pools {
		pool := &c.Pools[i]
		if b, stops := karpenters.Blocker(all[pool.Name], unhealthy[pool.Name]); stops {
			pool.Verdicts = append(slices.Clip(pool.Verdicts), probe.Verdict{
				Probe: "repair breaker", Allowed: true, Code: b.Code, Denied: []probe.Denial{{Reason: candidate.Unhealthy, Cause: b.Message}},
			})
		}
	}
}

// DescribePolicies describes repair policies: "Ready=False or Ready=Unknown for 30m: ReplaceNode without a drain".
func DescribePolicies(set repair.Set) string {
	type how struct {
		action repair.Action
		after  time.Duration
		drain  string
	}
	var order []how
	conditions := map[how][]string{}
	for _, p := range set.Policies() {
		h := how{p.Action, p.TolerationDuration, ""}
		if bound := p.TerminationGracePeriod; bound != nil {
			h.drain = ", with a drain of " + wording.Duration(*bound) + " at the most"
			if *bound == 0 {
				h.drain = " without a drain"
			}
		}
		text := wording.Quote(p.ConditionType) + "=" + p.ConditionStatus
		if p.ReasonRegex != "" && p.ReasonRegex != ".*" {
			text += " (" + wording.Quote(p.ReasonRegex) + ")"
		}
		if conditions[h] == nil {
			order = append(order, h)
		}
		conditions[h] = append(conditions[h], text)
	}
	var texts []string
	for _, h := range order {
		texts = append(texts, fmt.Sprintf("%s for %s: %s%s", strings.Join(conditions[h], " or "), wording.Duration(h.after), h.action, h.drain))
	}
	return strings.Join(texts, "; ")
}

// unrepaired returns warnings about unhealthy nodes that are never repaired, because it is unknown since when they have
// been unhealthy.
func (c *Cluster) unrepaired() (warnings []candidate.Warning) {
	results := c.Repairs(time.Unix(0, 0).AddDate(1000, 0, 0)) // at some time in the far future
	for _, name := range slices.Sorted(maps.Keys(results)) {
		if r := results[name]; r.Action == "" {
			warnings = append(warnings, candidate.Warning{
				Code: CodeUnreadable, Object: "Node/" + name, Field: "status.conditions", Message: cmp.Or(r.Why, "it is not repaired"),
			})
		}
	}
	return warnings
}
