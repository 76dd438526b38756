package story_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

func (s *scenario) find(names string) (found []*candidate.Node, err error) {
	for name := range strings.FieldsSeq(names) {
		i := slices.IndexFunc(s.nodes, func(n candidate.Node) bool { return n.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no node %q", name)
		}
		found = append(found, &s.nodes[i])
	}
	if found == nil {
		return nil, errors.New("which nodes?")
	}
	return found, nil
}

func (s *scenario) add(zone, names string, twice bool) (string, error) {
	if strings.TrimSpace(names) == "" {
		return "", errors.New("which nodes?")
	}
	for name := range strings.FieldsSeq(names) {
		if _, err := s.find(name); err == nil && !twice {
			return "", fmt.Errorf("there is a node %q already", name)
		}
		n := candidate.Node{Name: name, Pool: "default", Phase: candidate.Running, Created: s.now, ReadySince: s.now, Labels: map[string]string{}}
		if zone != "" {
			n.Labels[scenarioZone] = zone
		}
		s.nodes = append(s.nodes, n)
	}
	return "", nil
}

const scenarioZone = "topology.kubernetes.io/zone"

func (s *scenario) addZone(argument string) (string, error) {
	name, names, _ := strings.Cut(argument, ":")
	return s.add(strings.TrimSpace(name), names, false)
}

func (s *scenario) addDuplicate(argument string) (string, error) {
	name, names, _ := strings.Cut(argument, ":")
	if _, err := s.find(names); err != nil {
		return "", err
	}
	return s.add(strings.TrimSpace(name), names, true)
}

func (s *scenario) label(argument string) (string, error) {
	label, names, _ := strings.Cut(argument, ":")
	key, value, ok := strings.Cut(strings.TrimSpace(label), "=")
	if !ok {
		return "", fmt.Errorf("%q is no label: write key=value: a1 a2", key)
	}
	nodes, err := s.find(names)
	for _, n := range nodes {
		n.Labels[key] = value
	}
	return "", err
}

func (s *scenario) unlabel(argument string) (string, error) {
	key, names, _ := strings.Cut(argument, ":")
	nodes, err := s.find(names)
	key = strings.TrimSpace(key)
	for _, n := range nodes {
		if _, ok := n.Labels[key]; !ok {
			return "", fmt.Errorf("%q has no label %q", n.Name, key)
		}
		delete(n.Labels, key)
	}
	return "", err
}

// setUnit makes nodes a unit.
func (s *scenario) setUnit(argument string) (string, error) {
	name, names, _ := strings.Cut(argument, ":")
	nodes, err := s.find(names)
	for _, n := range nodes {
		n.Unit = strings.TrimSpace(name)
	}
	return "", err
}

// setPool moves nodes to another pool.
func (s *scenario) setPool(argument string) (string, error) {
	name, names, _ := strings.Cut(argument, ":")
	nodes, err := s.find(names)
	for _, n := range nodes {
		n.Pool = strings.TrimSpace(name)
	}
	return "", err
}

// setRevision gives all pools another revision: their new nodes are others from now on.
func (s *scenario) setRevision(argument string) (string, error) {
	s.pool.Revision = strings.TrimSpace(argument)
	return "", nil
}

// labelPools sets a label of pools.
func (s *scenario) labelPools(argument string) (string, error) {
	label, names, _ := strings.Cut(argument, ":")
	key, value, ok := strings.Cut(strings.TrimSpace(label), "=")
	if !ok || strings.Contains(value, " ") || strings.TrimSpace(names) == "" {
		return "", fmt.Errorf("%q is no label of a pool: write pool label key=value: default", strings.TrimSpace(argument))
	}
	for name := range strings.FieldsSeq(names) {
		if s.poolLabels[name] == nil {
			s.poolLabels[name] = map[string]string{}
		}
		s.poolLabels[name][key] = value
	}
	return "", nil
}

// drift lets nodes drift, each a minute after the one before, and the last one now; of one kind, if that is given.
func (s *scenario) drift(argument string) (string, error) {
	names, kind, of := strings.Cut(argument, " of kind ")
	reason := candidate.Drifted
	if of {
		reason += candidate.Reason("/" + kind)
	}
	nodes, err := s.find(names)
	for i, n := range nodes {
		since := s.now.Add(time.Duration(i-len(nodes)+1) * time.Minute)
		if !since.After(s.lastDrift) {
			return "", fmt.Errorf("%s would have drifted no later than the last node: advance the clock", n.Name)
		}
		s.lastDrift = since
		n.Conditions = append(n.Conditions, candidate.Condition{Reason: reason, Since: since})
	}
	return "", err
}

func (s *scenario) cannotStart(argument string) (string, error) {
	names, why, ok := strings.Cut(argument, ": ")
	if !ok {
		return "", errors.New("why not? write cannot start a1: there is no space for its pods")
	}
	nodes, err := s.find(names)
	for _, n := range nodes {
		s.held[n.Name] = strings.TrimSpace(why)
	}
	return "", err
}

func (s *scenario) gone(names string) (string, error) {
	nodes, err := s.find(names)
	if err != nil {
		return "", err
	}
	for _, n := range nodes {
		s.goesDown(n)
	}
	s.nodes = slices.DeleteFunc(s.nodes, func(n candidate.Node) bool { return slices.Contains(strings.Fields(names), n.Name) })
	return "", nil
}

// replaced ends drains: the new node of a1 is a1', in the same zone, and has its pods.
func (s *scenario) replaced(argument string) (string, error) {
	names, notReady := strings.CutSuffix(argument, "not ready")
	nodes, err := s.find(names)
	if err != nil {
		return "", err
	}
	for _, n := range nodes {
		if n.Leaving == candidate.Staying {
			return "", fmt.Errorf("%q is not in flight", n.Name)
		}
		s.spent[n.Labels[scenarioZone]] = s.now.Add(s.drained)
		delete(s.held, n.Name)
		delete(s.started, n.Name)
		if !notReady {
			s.launched(n, false)
		}
		*n = candidate.Node{Name: n.Name + "'", Pool: n.Pool, Unit: n.Unit, Labels: n.Labels, Pods: s.restarted(n.Pods), Phase: candidate.Launched, Created: s.now, Replaces: n.Name}
		if !notReady {
			n.Phase, n.ReadySince = candidate.Running, s.now
		}
	}
	return "", nil
}
