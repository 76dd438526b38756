package story_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/breaker"
)

// scenarioBreakers are the breakers of a story, and the history that they look at.
type scenarioBreakers struct {
	replacements *breaker.Replacement // of the pool "default"
	scaleDown    *breaker.ScaleDown   // of the whole cluster
	launches     []breaker.Launch
	down         []time.Time
}

var (
	replacementBreakerText = regexp.MustCompile(`^(\d+) of the last (\d+), cool-down (\S+|for ever)(?:, only (.+))?$`)
	scaleDownBreakerText   = regexp.MustCompile(`^more than (\d+) within (\S+), cool-down (\S+|for ever)(?:, only (.+))?$`)
)

func (s *scenario) setReplacementBreaker(argument string) (string, error) {
	argument = strings.TrimSpace(argument)
	found := replacementBreakerText.FindStringSubmatch(argument)
	if found == nil {
		return "", fmt.Errorf("%q is no breaker: write replacement breaker: 2 of the last 5, cool-down 1h", argument)
	}
	b := breaker.Replacement{Reasons: scenarioReasons(found[4])}
	b.Failures, _ = strconv.Atoi(found[1])
	b.Of, _ = strconv.Atoi(found[2])
	s.breakers.replacements = &b
	return scenarioDuration(func(*scenario) *time.Duration { return &b.CoolDown })(s, found[3])
}

func (s *scenario) setScaleDownBreaker(argument string) (string, error) {
	argument = strings.TrimSpace(argument)
	found := scaleDownBreakerText.FindStringSubmatch(argument)
	if found == nil {
		return "", fmt.Errorf("%q is no breaker: write scale-down breaker: more than 3 within 10m, cool-down 1h", argument)
	}
	b := breaker.ScaleDown{Reasons: scenarioReasons(found[4])}
	b.MoreThan, _ = strconv.Atoi(found[1])
	s.breakers.scaleDown = &b
	if _, err := scenarioDuration(func(*scenario) *time.Duration { return &b.Within })(s, found[2]); err != nil {
		return "", err
	}
	return scenarioDuration(func(*scenario) *time.Duration { return &b.CoolDown })(s, found[3])
}

func scenarioReasons(text string) (reasons []candidate.Reason) {
	for reason := range strings.FieldsSeq(text) {
		reasons = append(reasons, candidate.Reason(reason))
	}
	return reasons
}

func (s *scenario) resetBreakers() {
	if b := s.breakers.replacements; b != nil {
		b.ResetAt = s.now
	}
	if b := s.breakers.scaleDown; b != nil {
		b.ResetAt = s.now
	}
}

// verdicts returns what the breakers say of the whole cluster, or of a pool.
func (b scenarioBreakers) verdicts(pool string, now time.Time) (verdicts []probe.Verdict) {
	if b.scaleDown != nil && pool == wholeCluster {
		verdicts = append(verdicts, b.scaleDown.Verdict(b.down, now))
	}
	if b.replacements != nil && pool == "default" {
		verdicts = append(verdicts, b.replacements.Verdict(b.launches, now))
	}
	return verdicts
}

// goesDown tells the breakers of a node that is about to go, unless it is going already.
func (s *scenario) goesDown(n *candidate.Node) {
	if !n.InFlight() {
		s.breakers.down = append(s.breakers.down, s.now)
	}
}

// launched tells the breakers of a new node that has become Ready, or has failed to.
func (s *scenario) launched(n *candidate.Node, failed bool) {
	if n.Pool == "default" {
		s.breakers.launches = append(s.breakers.launches, breaker.Launch{At: s.now, Failed: failed})
	}
}

// becomesReady is the success of a new node that was not Ready at first.
func (s *scenario) becomesReady(n *candidate.Node) {
	if n.Phase.Joining() {
		s.launched(n, false)
	}
	n.Phase, n.ReadySince = candidate.Running, s.now
}

// giveUp ends the wait for new nodes that never became Ready.
func (s *scenario) giveUp(names string) (string, error) {
	nodes, err := s.find(names)
	for _, n := range nodes {
		if !n.Phase.Joining() {
			return "", fmt.Errorf("%q has been Ready", n.Name)
		}
		s.launched(n, true)
	}
	if err != nil {
		return "", err
	}
	s.nodes = slices.DeleteFunc(s.nodes, func(n candidate.Node) bool { return slices.Contains(strings.Fields(names), n.Name) })
	return "", nil
}

// failToReplace ends drains that never began: no new node became Ready, and the old one stays.
func (s *scenario) failToReplace(names string) (string, error) {
	nodes, err := s.find(names)
	for _, n := range nodes {
		if n.Leaving != candidate.Draining {
			return "", fmt.Errorf("%q is not in flight", n.Name)
		}
		s.launched(n, true)
		delete(s.started, n.Name)
		n.Leaving, n.DisruptedFor, n.Deadline = candidate.Staying, "", time.Time{}
		s.backOff(n.Pool)
	}
	return "", err
}
