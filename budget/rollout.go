package budget

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Rollout lets nodes go in waves: first a canary, then a few, then the rest.
//
// A node is new if it does not have the reason. Until the first wave is done, no more of the counted nodes may be new
// or in flight than the wave says; then no more than the second one says, and so on. All the rest is the last wave.
// Nodes that are added meanwhile are new, too. A percentage is of the counted nodes, and rounds up: 5 % of 3 nodes is
// 1. A wave that is larger than the pool limits nothing. In a group, new nodes and those in flight count only in pools
// of which a node has the reason, or had it since the roll began: that nodes of another pool do not have the reason
// says nothing about the roll.
//
// Nodes that join, and those that are missing (disruptkit.Pool.Desired), count as in flight. A node that joins and the
// node in flight that it replaces count once: the one that candidate.Node.Replaces names, or else one that started
// (disruptkit.Memory.Starts) before the other was Created. If these times are unknown, both count.
//
// A wave is done when that many nodes are new and Ready, and none is in flight. Then it bakes. The bake starts over
// when the wave is no longer done (a node is in flight, joins or is missing, or a new one is no longer Ready), when
// another wave is done meanwhile, and after each decision in which a probe or a breaker denies the reason. If new nodes
// go, or have the reason again, the roll goes back to the wave that the remaining new nodes fill.
//
// An overdue node waits for its wave, too. (Not in Karpenter.)
type Rollout struct {
	// Waves are counts from 1, or percentages from 1% to 100%, at most 20. Each count is larger than the counts before
	// it, and each percentage than the percentages before it. If a percentage of few nodes is less than a count before
	// it, the smaller wave comes first.
	Waves []string `json:"waves"`
	// Bake is the time from when a wave is done until the next one begins: a duration up to 30 days, such as "1h". ""
	// means 10 minutes, because Karpenter looks for drift every 5 minutes, and nodes at which it has not looked yet
	// count as new. "0s" means no time.
	Bake string `json:"bake,omitzero"`
	// From selects the nodes that go first, by their labels. They go before the others in every wave, but after nodes
	// with a deadline; if a zone has the turn, they are first within the zone. Nil: no nodes go first.
	From *candidate.Selector `json:"from,omitzero"`
}

const rolloutExample = `{"waves": ["1", "10%"]}`

const (
	mostWaves   = 20
	defaultBake = 10 * time.Minute
	longestBake = 30 * 24 * time.Hour
)

func (r *Rollout) clone() *Rollout {
	if r == nil {
		return nil
	}
	c := *r
	c.Waves = slices.Clone(r.Waves)
	if r.From != nil {
		from := candidate.Selector{MatchLabels: maps.Clone(r.From.MatchLabels)}
		for _, e := range r.From.MatchExpressions {
			e.Values = slices.Clone(e.Values)
			from.MatchExpressions = append(from.MatchExpressions, e)
		}
		c.From = &from
	}
	return &c
}

// rollouts returns the waves of each method that has some.
func (spec Spec) rollouts() (all []WaveLimits, warnings []candidate.Warning) {
	if r := spec.Defaults.Rollout; r != nil {
		_, faults := r.compile(spec.Addition.place("defaults.rollout"))
		warnings = append(warnings, faults...)
	}
	for _, c := range spec.controls() {
		rolls := c.method == candidate.Drifted || c.method == candidate.Expired
		written, place := c.Rollout, c.name
		if written == nil && rolls {
			written, place = spec.Defaults.Rollout, "defaults"
		}
		if written == nil || c.method == "" {
			continue
		}
		place = spec.Addition.place(place + ".rollout")
		r, faults := written.compile(place)
		if !rolls {
			faults = append(faults, candidate.Warning{
				Code: candidate.CodeInvalidRollout, Field: place, Value: strings.Join(written.Waves, ", "),
				Message: "waves are for drift and expiration, since a node that replaces another one does not have " +
					"their reasons: write the rollout there; until then, nothing goes for " + string(c.method),
			})
		}
		if c.Rollout != nil {
			warnings = append(warnings, faults...)
		}
		r.Method, r.Faults = c.method, faults
		all = append(all, r)
	}
	return all, warnings
}

// compile returns the waves as they are enforced, and what is wrong with them.
func (r *Rollout) compile(place string) (WaveLimits, []candidate.Warning) {
	c := rolloutChecker{place: place}
	return WaveLimits{Waves: c.waves(r), Texts: r.Waves, Bake: c.bake(r.Bake), from: c.from(r.From)}, c.warnings
}

// A rolloutChecker collects the faults of a rollout.
type rolloutChecker struct {
	place    string
	warnings []candidate.Warning
}

func (c *rolloutChecker) fault(field, value, format string, args ...any) {
	c.warnings = append(c.warnings, candidate.Warning{
		Code: candidate.CodeInvalidRollout, Field: strings.TrimSuffix(c.place+"."+field, "."), Value: value,
		Message: fmt.Sprintf(format, args...) + "; until then, nothing that the waves are for is disrupted",
	})
}

// waves compiles the waves. They have to grow, as far as that can be told without a number of nodes.
func (c *rolloutChecker) waves(r *Rollout) (waves []Amount) {
	switch n := len(r.Waves); {
	case n == 0 && r.Bake != "":
		c.fault("bake", r.Bake, "there is no wave that could bake for %.100q: write waves, such as [\"1\", \"10%%\"]",
			r.Bake)
	case n == 0:
		c.fault("waves", "", "the rollout has no waves: write some, such as [\"1\", \"10%%\"], or delete it")
	case n > mostWaves:
		c.fault("waves", strconv.Itoa(n), "%d waves are too many: write at most %d", n, mostWaves)
		return nil
	}
	last := map[bool]string{} // of the counts, and of the percentages
	for i, text := range r.Waves {
		field := fmt.Sprintf("waves[%d]", i)
		w, ok := parseWave(text)
		if !ok {
			c.fault(field, text, "wave %.100q is no number of nodes: write a count from 1, such as 5, or a "+
				"percentage from 1%% to 100%%", text)
			continue
		}
		if before := last[w.Percent]; before != "" {
			if b, _ := parseWave(before); b.N >= w.N {
				c.fault(field, text, "wave %.100q is not larger than the wave %.100q before it: write the "+
					"smallest wave first", text, before)
			}
		}
		last[w.Percent] = text
		waves = append(waves, w)
	}
	return waves
}

// parseWave parses "5" or "10%".
func parseWave(text string) (w Amount, ok bool) {
	if !nodesPattern.MatchString(text) {
		return w, false
	}
	number, percent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseInt(number, 10, 32)
	return Amount{N: int(n), Percent: percent}, err == nil && n > 0
}

func (c *rolloutChecker) bake(text string) time.Duration {
	if text == "" {
		return defaultBake
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > longestBake {
		c.fault("bake", text, "bake %.100q is not a duration of at most 30 days: write one such as 1h", text)
		return 0
	}
	return d
}

// from returns the selector of the nodes that go first.
func (c *rolloutChecker) from(s *candidate.Selector) *candidate.Selector {
	if s == nil {
		return nil
	}
	if len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		c.fault("from", "", "from selects every node, so none goes first: write matchLabels, such as "+
			"{\"canary\": \"true\"}, or delete it")
	}
	_, err := s.Matches(nil)
	for _, w := range candidate.Warnings(err) {
		c.fault("from."+strings.TrimPrefix(w.Field, "spec.selector."), w.Value, "%s", w.Message)
	}
	return s
}

// UnmarshalJSON decodes a rollout, as strictly as Spec.UnmarshalJSON. A wave may be a string or a number.
func (r *Rollout) UnmarshalJSON(data []byte) error {
	if jsonobject.IsNull(data) {
		return nil
	}
	var d Rollout
	var waves []nodes
	var from json.RawMessage
	err := decode(data, "rollout", rolloutExample, []jsonobject.Field{
		{Name: "waves", Target: &waves, Example: `a list, such as ["1", "10%"]`},
		{Name: "bake", Target: (*text)(&d.Bake), Example: `a string, such as "1h"`},
		{Name: "from", Target: &from},
	})
	for _, w := range waves {
		d.Waves = append(d.Waves, string(w))
	}
	if err == nil && from != nil && !jsonobject.IsNull(from) {
		d.From = &candidate.Selector{}
		if err = selectorFields(from, d.From); err != nil {
			err = fmt.Errorf("rollout: %w", err)
		}
	}
	if err == nil {
		*r = d
	}
	return err
}

// selectorFields decodes a label selector. Unknown fields are errors, since a term could be lost.
func selectorFields(data []byte, s *candidate.Selector) error {
	err := jsonobject.Fields(data, func(name string, value json.RawMessage) error {
		switch name {
		case "matchLabels":
			return jsonobject.Set(name, value, &s.MatchLabels, `an object, such as {"canary": "true"}`)
		case "matchExpressions":
			return jsonobject.Set(name, value, &s.MatchExpressions,
				`a list, such as [{"key": "canary", "operator": "Exists"}]`)
		}
		return jsonobject.Unknown(name, "matchLabels", "matchExpressions")
	})
	if errors.Is(err, jsonobject.ErrNone) {
		return fmt.Errorf(`field "from": %s is not an object: write one such as {"matchLabels": {"canary": "true"}}`,
			wording.JSON(data, 100))
	}
	return err
}

// A Progress is how far a rollout has come in its waves. It is part of disruptkit.Memory.
type Progress struct {
	Method   candidate.Reason `json:"method"`
	Revision string           `json:"revision,omitzero"` // of the pool, or of all pools of a group, at that time
	Waves    []string         `json:"waves"`             // as they were written
	// Baked is how many waves are done, and have baked.
	Baked int `json:"baked,omitzero"`
	// Pools are those of a group that roll, or have rolled since the roll began.
	Pools []string `json:"pools,omitempty"`
	// Done is how many waves are done while one of them bakes, and Since is since when it bakes. Zero: none bakes.
	Done  int       `json:"done,omitzero"`
	Since time.Time `json:"since,omitzero"`
}

// Equal reports whether two say the same.
func (p Progress) Equal(other Progress) bool {
	return p.Method == other.Method && p.Revision == other.Revision && slices.Equal(p.Waves, other.Waves) &&
		p.Baked == other.Baked && slices.Equal(p.Pools, other.Pools) && p.Done == other.Done &&
		p.Since.Equal(other.Since)
}
