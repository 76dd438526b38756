package story_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
)

// A scenarioPDB allows what its maxUnavailable leaves of the pods that there are, as Kubernetes sees to.
type scenarioPDB struct {
	candidate.PDB
	maxUnavailable int
}

var scenarioPDBText = regexp.MustCompile(`^(\S+)/(\S+): maxUnavailable (\d+) of (\S+?)=(\S+)$`)

func (s *scenario) setPDB(argument string) (string, error) {
	argument = strings.TrimSpace(argument)
	found := scenarioPDBText.FindStringSubmatch(argument)
	if found == nil {
		return "", fmt.Errorf("%q is no PDB: write pdb web/api: maxUnavailable 1 of app=api", argument)
	}
	pdb := candidate.PDB{Namespace: found[1], Name: found[2]}
	pdb.Selector = &candidate.Selector{MatchLabels: map[string]string{found[4]: found[5]}}
	maxUnavailable, err := strconv.Atoi(found[3])
	s.pdbs = slices.DeleteFunc(s.pdbs, func(other scenarioPDB) bool {
		return other.Namespace == pdb.Namespace && other.Name == pdb.Name
	})
	s.pdbs = append(s.pdbs, scenarioPDB{pdb, maxUnavailable})
	return "", err
}

// setDisruptionSchedule reads the spec of a PodDisruptionSchedule.
func (s *scenario) setDisruptionSchedule(argument string) (string, error) {
	name, spec, _ := strings.Cut(strings.TrimSpace(argument), "\n")
	decoder := json.NewDecoder(bytes.NewReader([]byte(spec)))
	decoder.DisallowUnknownFields()
	var schedule candidate.PodSchedule
	if err := decoder.Decode(&schedule); err != nil {
		return "", fmt.Errorf("the spec of %s: %w", name, err)
	}
	schedule.Name = name
	s.schedules = slices.DeleteFunc(s.schedules, func(other candidate.PodSchedule) bool { return other.Name == name })
	s.schedules = append(s.schedules, schedule)
	return "", nil
}

// rules are what the cluster says of its pods now.
func (s *scenario) rules() candidate.Rules {
	var pdbs []candidate.PDB
	for _, b := range s.pdbs {
		_, unavailable := s.counts(b)
		b.DisruptionsAllowed = b.maxUnavailable - unavailable
		pdbs = append(pdbs, b.PDB)
	}
	rules, _ := candidate.CompileRules(pdbs, s.schedules) // each decision describes what is broken
	rules.FailClosed = s.failClosed
	return rules
}

// counts returns how many pods a PDB selects, and how many of them are not available.
func (s *scenario) counts(b scenarioPDB) (pods, unavailable int) {
	for _, n := range s.nodes {
		for _, p := range s.podsOf(n) {
			if p.Namespace != b.Namespace || !scenarioSelects(*b.Selector, p) {
				continue
			}
			pods++
			if p.Inactive || p.Unready {
				unavailable++
			}
		}
	}
	return pods, unavailable
}

func scenarioSelects(s candidate.Selector, p candidate.Pod) bool {
	for key, value := range s.MatchLabels {
		if p.Labels[key] != value {
			return false
		}
	}
	return true
}
