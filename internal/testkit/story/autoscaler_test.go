package story_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/repair"
	"github.com/disruptkit/disruptkit/topology"
)

func (s *scenario) input() disruptkit.Input {
	nodes := slices.Clone(s.nodes)
	for i := range nodes {
		nodes[i].Blockers = s.blockers(nodes[i])
		nodes[i].HasGracePeriod = s.grace > 0
		nodes[i].Pods = s.podsOf(nodes[i])
		if c, ok := s.resolution(nodes[i].Name).Condition(); ok {
			nodes[i].Conditions = append(slices.Clip(nodes[i].Conditions), c)
		}
	}
	var pools []disruptkit.Pool
	for _, name := range s.poolNames() {
		p := s.pool
		p.Name, p.Labels, p.Verdicts = name, s.poolLabels[name], s.verdicts(name)
		pools = append(pools, p)
	}
	return disruptkit.Input{
		Now: s.now, Pools: pools, Groups: s.groups, Nodes: nodes, Rules: s.rules(), Memory: s.memory, Verdicts: s.verdicts(wholeCluster),
	}
}

// poolNames returns those of the pools that there are: that of the story, and those of nodes.
func (s *scenario) poolNames() []string {
	names := []string{s.pool.Name}
	for _, n := range s.nodes {
		if !slices.Contains(names, n.Pool) {
			names = append(names, n.Pool)
		}
	}
	return names
}

func (s *scenario) blockers(n candidate.Node) []candidate.Blocker {
	var now []candidate.Blocker
	if why, ok := s.held[n.Name]; ok {
		now = append(now, candidate.Blocker{Gate: candidate.GateNode, Code: "cannot-start", Message: why})
	}
	if zone := n.Labels[scenarioZone]; s.now.Before(s.spent[zone]) {
		now = append(now, candidate.Blocker{Gate: candidate.GatePod, Code: candidate.CodeAllowsNone, Message: "PDB db/" + zone + " allows no disruption"})
	}
	return now
}

func (s *scenario) decide(argument string) (string, error) {
	reason := candidate.Drifted
	if argument = strings.TrimSpace(argument); argument != "" {
		reason = candidate.Reason(argument)
	}
	if err := s.note(reason); err != nil {
		return "", err
	}
	d := disruptkit.Decide(s.input(), reason)
	s.decision = &d
	return s.tell(d, "may be disrupted"), nil
}

func (s *scenario) store() {
	if s.decision != nil && !s.forgets {
		s.memory = s.decision.Memory
	}
}

// start starts all that may be disrupted, or some of it.
func (s *scenario) start(names string) (string, error) {
	if s.decision == nil {
		return "", errors.New("decide first")
	}
	d := *s.decision
	if names != "" {
		d.Allowed = nil
		for name := range strings.FieldsSeq(names) {
			i := slices.IndexFunc(s.decision.Allowed, func(c candidate.Candidate) bool { return c.Node == name })
			if i < 0 {
				return "", fmt.Errorf("%q was not allowed to go", name)
			}
			d.Allowed = append(d.Allowed, s.decision.Allowed[i])
		}
	}
	for _, c := range d.Allowed {
		nodes, _ := s.find(c.Node)
		s.started[c.Node] = s.now
		if candidate.Unhealthy.Covers(c.Reason) && s.resolution(c.Node).Action == repair.Reboot {
			s.reboot(nodes[0])
		} else {
			s.mark(nodes[0], c.Reason)
		}
	}
	return "", nil
}

// roll does all that an autoscaler does: decide, store, start.
func (s *scenario) roll(argument string) (string, error) {
	if argument != "" {
		return "", fmt.Errorf("%q does not belong here: a roll is for drift", argument)
	}
	d := disruptkit.Decide(s.input(), candidate.Drifted)
	s.decision = &d
	s.store()
	told := s.tell(d, "starts")
	_, err := s.start("")
	return told, err
}

func (s *scenario) setRoll(argument string) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader([]byte(argument)))
	decoder.DisallowUnknownFields()
	var r topology.Roll
	err := decoder.Decode(&r)
	s.memory = map[string]disruptkit.Memory{"default": {Roll: r}}
	return "", err
}

// untilDone rolls every minute until nothing is left to do, where each replacement takes five. It tells each turn of a
// zone.
func (s *scenario) untilDone(argument string) (string, error) {
	const drain = 5 * time.Minute
	var turns []string
	var last string
	for began := s.now; s.now.Sub(began) < 96*time.Hour; s.now = s.now.Add(time.Minute) {
		for name, at := range s.started {
			if s.now.Sub(at) >= drain {
				if _, err := s.replaced(name); err != nil {
					return "", err
				}
			}
		}
		if _, err := s.roll(argument); err != nil {
			return "", err
		}
		for _, c := range s.decision.Allowed {
			nodes, _ := s.find(c.Node)
			if zone := scenarioTitle(nodes[0].Labels[scenarioZone]); zone != last {
				last = zone
				turns = append(turns, s.clock()+"  "+zone+" ")
			}
			turns[len(turns)-1] += " " + c.Node
		}
		if len(s.started) == 0 && s.toGo() == 0 {
			return strings.Join(append(turns, fmt.Sprintf("%s  done; turns: %d", s.clock(), len(turns))), "\n") + "\n", nil
		}
	}
	return "", fmt.Errorf("not done by %s:\n%s", s.clock(), s.tell(*s.decision, "may be disrupted"))
}

// watch decides every minute up to a time. It reports when what may be disrupted, or what signals say, is different
// from the minute before, and whether that decision did not foresee it.
func (s *scenario) watch(argument string) (string, error) {
	end, err := scenarioTime(argument)
	if err != nil {
		return "", err
	}
	var told, last string
	var next time.Time
	for ; !s.now.After(end); s.now = s.now.Add(time.Minute) {
		d := disruptkit.Decide(s.input(), "")
		may := ""
		for _, c := range d.Allowed {
			may += " " + c.Node
		}
		if may = cmp.Or(may, " nothing") + " may be disrupted" + scenarioSignals(d); may != last {
			told += s.clock() + " " + may
			if last != "" && (next.IsZero() || next.After(s.now)) {
				told += " (unforeseen)"
			}
			told += "\n"
		}
		last, next = may, d.NextChange
	}
	s.now = end
	return told, nil
}

func (s *scenario) toGo() (n int) {
	for _, node := range s.nodes {
		if len(node.Conditions) > 0 && !node.DoNotDisrupt && node.Leaving == candidate.Staying {
			n++
		}
	}
	return n
}
