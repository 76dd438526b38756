package story_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/repair"
)

// scenarioRepair is all that a story knows of repair.
type scenarioRepair struct {
	policies repair.Set
	breaker  *repair.Breaker
	health   map[string]*repair.Node // by the name of the node
	backsOff bool                    // replacements that fail make their pool wait
}

// healthOf returns what there is to know of a node for its repair.
func (s *scenario) healthOf(name string) *repair.Node {
	if s.repair.health == nil {
		s.repair.health = map[string]*repair.Node{}
	}
	if s.repair.health[name] == nil {
		s.repair.health[name] = &repair.Node{Created: s.now}
	}
	return s.repair.health[name]
}

// setPolicies reads repair policies, each on a line of its own.
func (s *scenario) setPolicies(argument string) (string, error) {
	text, lines, _ := strings.Cut(argument, "\n")
	if text != "" {
		return "", errors.New("write each policy on a line of its own, as JSON")
	}
	var err error
	s.repair.policies, err = repair.Parse([]byte("[" + strings.ReplaceAll(lines, "\n", ",") + "]"))
	told := ""
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			told += scenarioWrapped("! " + line)
		}
	}
	return told, nil
}

var conditionText = regexp.MustCompile(`^([^:]+): (\w+)=(True|False|Unknown)(?: \((\w+)\))?$`)

// setCondition sets a condition of nodes. It holds from now on.
func (s *scenario) setCondition(argument string) (string, error) {
	argument = strings.TrimSpace(argument)
	found := conditionText.FindStringSubmatch(argument)
	if found == nil {
		return "", fmt.Errorf("%q is no condition: write condition a1: Ready=False (KubeletDown)", argument)
	}
	c := repair.Condition{Type: found[2], Status: found[3], Reason: found[4], LastTransitionTime: s.now}
	nodes, err := s.find(found[1])
	for _, n := range nodes {
		health := s.healthOf(n.Name)
		health.Conditions = append(slices.DeleteFunc(health.Conditions, func(other repair.Condition) bool { return other.Type == c.Type }), c)
		switch {
		case c.Type != "Ready":
		case n.Phase.Joining():
			n.ReadySince = time.Time{}
			if c.Status == "True" {
				n.ReadySince = s.now
			}
		case c.Status == "True":
			n.Phase, n.ReadySince = candidate.Running, s.now
		default:
			n.Phase, n.ReadySince = candidate.NotReady, s.now
		}
	}
	return "", err
}

// neverInitialized are nodes that joined, and got no further.
func neverInitialized(_ *scenario, n *candidate.Node) {
	n.Phase = candidate.Registered
}

// reboot begins a reboot, which is remembered before it begins.
func (s *scenario) reboot(n *candidate.Node) {
	health := s.healthOf(n.Name)
	health.Reboots = health.Reboots.Add(s.now)
	n.Rebooting = true
}

// rebooted ends reboots. The conditions stay as they are, until somebody reports others.
func (s *scenario) rebooted(names string) (string, error) {
	nodes, err := s.find(names)
	for _, n := range nodes {
		if !n.Rebooting {
			return "", fmt.Errorf("%q does not reboot", n.Name)
		}
		n.Rebooting = false
		s.healthOf(n.Name).RebootEnded = s.now
	}
	return "", err
}

func (s *scenario) setRepairBreaker(argument string) (string, error) {
	percent, ok := strings.CutSuffix(strings.TrimSpace(argument), "%")
	n, err := strconv.Atoi(percent)
	if !ok || err != nil {
		return "", fmt.Errorf("%q is no percentage: write repair breaker: 20%%", strings.TrimSpace(argument))
	}
	s.repair.breaker = &repair.Breaker{Percent: n}
	return "", nil
}

// resolution returns what is to be done with a node.
func (s *scenario) resolution(name string) repair.Result {
	return repair.Resolve(s.repair.policies, *s.healthOf(name), s.now)
}

// repairVerdicts returns what the breaker says of a pool.
func (s *scenario) repairVerdicts(pool string) []probe.Verdict {
	if s.repair.breaker == nil || pool == wholeCluster {
		return nil
	}
	nodes, unhealthy := 0, 0
	for _, n := range s.nodes {
		if n.Pool == pool {
			nodes++
			if s.repair.policies.Unhealthy(s.healthOf(n.Name).Conditions) {
				unhealthy++
			}
		}
	}
	b, blocked := s.repair.breaker.Blocker(nodes, unhealthy)
	if !blocked {
		return nil
	}
	return []probe.Verdict{{Probe: "repair breaker", Allowed: true, Code: b.Code, Denied: []probe.Denial{{Reason: candidate.Unhealthy, Cause: b.Message}}}}
}

// numbers describes how many nodes of the pool may be disrupted for each reason, and what uses that up.
func (s *scenario) numbers() (string, error) {
	told := s.clock() + "\n"
	for _, reason := range []candidate.Reason{candidate.Unhealthy, candidate.Drifted, candidate.Empty, candidate.Underutilized} {
		for _, p := range disruptkit.Decide(s.input(), reason).Pools {
			if p.Pool == s.pool.Name && p.Reason == reason {
				told += fmt.Sprintf("   %-13s  %d of %d at once, %d in use, %d left\n", reason, p.Allowance.Nodes, p.Nodes, p.Disrupting, p.Remaining)
			}
		}
	}
	return told, nil
}

// backOff makes the pool of a node wait whose replacement failed, where the autoscaler does so. It is without jitter.
func (s *scenario) backOff(pool string) {
	if !s.repair.backsOff {
		return
	}
	if s.memory == nil {
		s.memory = map[string]disruptkit.Memory{}
	}
	m := s.memory[pool]
	m.Backoff = m.Backoff.Fail(s.now, 1)
	s.memory[pool] = m
}
