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

// A Rollout disrupts nodes in waves: first a canary, then a few, then the rest.
//
// A node is new if it does not have the reason. Until the first wave is done, at most as many of the counted nodes may
// be new or in flight as the wave has; then as many as the second one has, and so on. The last wave is the rest. Nodes
// that are added meanwhile are also new. A percentage is of the counted nodes, and rounds up: 5 % of 3 nodes is 1. A
// wave that is larger than the pool limits nothing. In a group, only pools of the roll count: pools with a node that
// has the reason, or had it since the roll began.
//
// Nodes that join or are missing (disruptkit.Pool.Desired) count as in flight. A node that joins and the node in flight
// that it replaces count once: the node that candidate.Node.Replaces names, or else one whose disruption started
// (disruptkit.Memory.Starts) before the other was Created. If these times are unknown, both count.
//
// A wave is done when that many nodes are new and Ready, and none is in flight. Then it bakes. The bake starts over
// when the wave is no longer done (a node is in flight, joins or is missing, or fewer new ones are Ready), when another
// wave is done meanwhile, and after each decision in which a probe or a breaker denies the reason. If new nodes are
// removed, or have the reason again, the roll returns to the wave that the remaining new nodes fill.
//
// An overdue node also waits for its wave. (Not in Karpenter.)
type Rollout struct {
	// Waves are counts from 1, or percentages from 1% to 100%, at most 20. Each count is larger than the counts before
	// it, and each percentage than the percentages before it. If a percentage of few nodes is less than a count before
	// it, the smaller wave comes first.
	Waves []string `json:"waves"`
	// Bake is the time from when a wave is done until the next one begins: a duration up to 30 days, such as "1h". ""
	// means 10 minutes, because Karpenter checks for drift every 5 minutes, and unchecked nodes count as new. "0s"
	// means no time.
	Bake string `json:"bake,omitzero"`
	// From selects the nodes that are first in line, by their labels: ahead of the others in every wave, but behind
	// nodes with a deadline; if a zone has the turn, first within the zone. Nil: no nodes are first.
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

// WaveLimits are the waves of one method, as they are enforced.
type WaveLimits struct {
	Method candidate.Reason
	Waves  []Amount
	Texts  []string // the waves as written
	Bake   time.Duration
	From   *candidate.Selector // of the nodes that are first in line; nil: none are
	Faults []candidate.Warning // of invalid waves, which allow nothing
}

// Covers reports whether the rollout is for a reason. One that is not said may be any.
func (r *WaveLimits) Covers(reason candidate.Reason) bool {
	return reason == "" || r.Method.Covers(reason)
}

// Sizes returns how many of a number of nodes may be new or in flight until each wave is done. If counts and
// percentages are out of order for that number of nodes, the smaller wave is first: one more wave never allows more.
func (r *WaveLimits) Sizes(nodes int) (sizes []int) {
	for _, w := range r.Waves {
		sizes = append(sizes, w.Of(nodes))
	}
	slices.Sort(sizes)
	return sizes
}

// rollouts returns the waves of each method that has some.
func (spec Spec) rollouts() (all []WaveLimits, warnings []candidate.Warning) {
	if r := spec.Defaults.Rollout; r != nil {
		warnings = r.compile(spec.Addition.place("defaults.rollout")).Faults
	}
	for _, c := range spec.controls() {
		rolls := c.method == candidate.Drifted || c.method == candidate.Expired
		written, name := c.Rollout, c.name
		if written == nil && rolls {
			written, name = spec.Defaults.Rollout, "defaults"
		}
		if written == nil || c.method == "" {
			continue
		}
		place := spec.Addition.place(name + ".rollout")
		r := written.compile(place)
		if r.Method = c.method; !rolls {
			r.Faults = append(r.Faults, candidate.Warning{
				Code: candidate.CodeInvalidRollout, Field: place, Value: strings.Join(written.Waves, ", "),
				Message: "waves are for drift and expiration, since a node that replaces another one does not have " +
					"their reasons: write the rollout there; until then, no node is disrupted for " + string(c.method),
			})
		}
		if c.Rollout != nil {
			warnings = append(warnings, r.Faults...)
		}
		all = append(all, r)
	}
	return all, warnings
}

// compile returns the waves as they are enforced, with what is wrong with them.
func (r *Rollout) compile(place string) WaveLimits {
	w := WaveLimits{Texts: r.Waves, From: r.From}
	fault := func(field, value, format string, args ...any) {
		w.Faults = append(w.Faults, candidate.Warning{
			Code: candidate.CodeInvalidRollout, Field: place + "." + field, Value: value,
			Message: fmt.Sprintf(format, args...) + "; until then, nothing that the waves are for is disrupted",
		})
	}
	switch n := len(r.Waves); {
	case n == 0 && r.Bake != "":
		fault("bake", r.Bake, "there is no wave that could bake for %.100q: write waves, such as [\"1\", \"10%%\"]",
			r.Bake)
	case n == 0:
		fault("waves", "", "the rollout has no waves: write some, such as [\"1\", \"10%%\"], or delete it")
	case n > mostWaves:
		fault("waves", strconv.Itoa(n), "%d waves are too many: write at most %d", n, mostWaves)
	default:
		w.Waves = parseWaves(r.Waves, fault)
	}
	if w.Bake = defaultBake; r.Bake != "" {
		var err error
		if w.Bake, err = time.ParseDuration(r.Bake); err != nil || w.Bake < 0 || w.Bake > longestBake {
			fault("bake", r.Bake, "bake %.100q is not a duration of at most 30 days: write one such as 1h", r.Bake)
			w.Bake = 0
		}
	}
	if s := r.From; s != nil {
		if len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
			fault("from", "", "from selects every node, so none is first: write matchLabels, such as "+
				"{\"canary\": \"true\"}, or delete it")
		}
		_, err := s.Matches(nil)
		for _, w := range candidate.Warnings(err) {
			fault("from."+strings.TrimPrefix(w.Field, "spec.selector."), w.Value, "%s", w.Message)
		}
	}
	return w
}

// parseWaves parses waves. Counts have to grow, and so do percentages.
func parseWaves(texts []string, fault func(field, value, format string, args ...any)) (waves []Amount) {
	last := map[bool]int{} // positions of the last count, and of the last percentage
	for i, text := range texts {
		field := fmt.Sprintf("waves[%d]", i)
		w, ok := parseWave(text)
		if !ok {
			fault(field, text, "wave %.100q is no number of nodes: write a count from 1, such as 5, or a percentage "+
				"from 1%% to 100%%", text)
			continue
		}
		if j, found := last[w.Percent]; found {
			if before, _ := parseWave(texts[j]); before.N >= w.N {
				fault(field, text, "wave %.100q is not larger than the wave %.100q before it: write the smallest "+
					"wave first", text, texts[j])
			}
		}
		last[w.Percent] = i
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

// UnmarshalJSON decodes a rollout, as strictly as Spec.UnmarshalJSON, but for fields of a label or a term of From. A
// wave may be a string or a number.
func (r *Rollout) UnmarshalJSON(data []byte) error {
	var d Rollout
	var waves []nodes
	var from json.RawMessage
	rest := func() error {
		for _, w := range waves {
			d.Waves = append(d.Waves, string(w))
		}
		if from == nil || jsonobject.IsNull(from) {
			return nil
		}
		d.From = &candidate.Selector{}
		return selectorFields(from, d.From)
	}
	return decode(data, r, &d, "rollout", rolloutExample, rest, []jsonobject.Field{
		{Name: "waves", Target: &waves, Example: `a list, such as ["1", "10%"]`},
		{Name: "bake", Target: (*text)(&d.Bake), Example: `a string, such as "1h"`},
		{Name: "from", Target: &from},
	})
}

// selectorFields decodes a label selector. Unknown fields are errors, since a term could be lost.
func selectorFields(data []byte, s *candidate.Selector) error {
	err := jsonobject.Decode(data, []jsonobject.Field{
		{Name: "matchLabels", Target: &s.MatchLabels, Example: `an object, such as {"canary": "true"}`},
		{Name: "matchExpressions", Target: &s.MatchExpressions,
			Example: `a list, such as [{"key": "canary", "operator": "Exists"}]`},
	})
	if errors.Is(err, jsonobject.ErrNone) {
		return fmt.Errorf(`field "from": %s is not an object: write one such as {"matchLabels": {"canary": "true"}}`,
			wording.JSON(data, 100))
	}
	return err
}
