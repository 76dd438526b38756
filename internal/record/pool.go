package record

import (
	"encoding/json"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
	"github.com/disruptkit/disruptkit/topology"
)

// A policy is what pools and groups have in common.
type policy struct {
	Name       string    `json:"name"`
	Disruption spec      `json:"disruption,omitzero"`
	Topology   options   `json:"topology,omitzero"`
	Verdicts   []verdict `json:"verdicts,omitzero"`
	Blockers   []blocker `json:"blockers,omitzero"`
}

// A pool is a disruptkit.Pool.
type pool struct {
	policy
	Labels         map[string]string `json:"labels,omitzero"`
	Desired        int               `json:"desired,omitzero"`
	RepairBacksOff bool              `json:"repairBacksOff,omitzero"`
	Revision       string            `json:"revision,omitzero"`
}

func newPool(p disruptkit.Pool) pool {
	return pool{
		policy{
			p.Name, newSpec(p.Budgets), newOptions(p.Topology),
			each(p.Verdicts, newVerdict), each(p.Blockers, newBlocker),
		},
		p.Labels, p.Desired, p.RepairBacksOff, p.Revision,
	}
}

func (j pool) pool() disruptkit.Pool {
	return disruptkit.Pool{
		Name: j.Name, Labels: j.Labels, Budgets: j.Disruption.compile(), Topology: j.Topology.options(),
		Verdicts: each(j.Verdicts, verdict.verdict), Blockers: each(j.Blockers, blocker.blocker),
		Desired: j.Desired, RepairBacksOff: j.RepairBacksOff, Revision: j.Revision,
	}
}

// A group is a disruptkit.Group.
type group struct {
	policy
	Pools []string `json:"pools,omitzero"`
}

func newGroup(g disruptkit.Group) group {
	return group{
		policy{
			g.Name, newSpec(g.Budgets), newOptions(g.Topology),
			each(g.Verdicts, newVerdict), each(g.Blockers, newBlocker),
		},
		g.Pools,
	}
}

func (j group) group() disruptkit.Group {
	return disruptkit.Group{
		Name: j.Name, Pools: j.Pools, Budgets: j.Disruption.compile(), Topology: j.Topology.options(),
		Verdicts: each(j.Verdicts, verdict.verdict), Blockers: each(j.Blockers, blocker.blocker),
	}
}

// A spec is a budget.Spec: the JSON of spec.disruption, and what is not written there.
type spec struct {
	Spec         plainSpec          `json:"spec,omitzero"`
	MostSpecific bool               `json:"mostSpecific,omitzero"`
	Calendars    map[string]window  `json:"calendars,omitzero"`
	Addition     addition           `json:"addition,omitzero"`
	Methods      []candidate.Reason `json:"methods,omitzero"`
	Dialect      dialect.Dialect    `json:"dialect,omitzero"`
}

// A plainSpec is a budget.Spec that is left out if nothing is written in it.
type plainSpec budget.Spec

func (s plainSpec) MarshalJSON() ([]byte, error) { return json.Marshal(budget.Spec(s)) }

func (s *plainSpec) UnmarshalJSON(data []byte) error { return (*budget.Spec)(s).UnmarshalJSON(data) }

// IsZero is asked by encoding/json: an empty list of budgets is not zero, as it limits nothing.
func (s plainSpec) IsZero() bool {
	text, err := json.Marshal(budget.Spec(s))
	return err == nil && string(text) == "{}"
}

type addition struct {
	Name  string `json:"name,omitzero"`
	First int    `json:"first,omitzero"`
}

func newSpec(set budget.Set) spec {
	s := set.Spec()
	return spec{plainSpec(s), s.MostSpecific, windowsOf(s.Calendars), addition(s.Addition), s.Methods, s.Dialect}
}

func windowsOf(calendars map[string]schedule.Window) (windows map[string]window) {
	for name, w := range calendars {
		if windows == nil {
			windows = map[string]window{}
		}
		windows[name] = window(w)
	}
	return windows
}

func (j spec) compile() budget.Set {
	s := budget.Spec(j.Spec)
	s.MostSpecific, s.Addition = j.MostSpecific, budget.Addition(j.Addition)
	for name, w := range j.Calendars {
		if s.Calendars == nil {
			s.Calendars = map[string]schedule.Window{}
		}
		s.Calendars[name] = schedule.Window(w)
	}
	s.Methods, s.Dialect = j.Methods, j.Dialect
	set, _ := s.Compile() // its faults are part of the decision
	return set
}

// options are topology.Options.
type options struct {
	Reasons    []candidate.Reason `json:"reasons,omitzero"`
	Unlabelled unlabelled         `json:"unlabelled,omitzero"`
	Patience   span               `json:"patience,omitzero"`
	Soak       span               `json:"soak,omitzero"`
	Unsettled  bool               `json:"unsettled,omitzero"`

	LabelOptional bool `json:"labelOptional,omitzero"`
}

func newOptions(o topology.Options) options {
	return options{o.Reasons, unlabelled(o.Unlabelled), span(o.Patience), span(o.Soak), o.Unsettled, o.LabelOptional}
}

func (j options) options() topology.Options {
	return topology.Options{
		Reasons: j.Reasons, Unlabelled: topology.Unlabelled(j.Unlabelled),
		Patience: time.Duration(j.Patience), Soak: time.Duration(j.Soak), Unsettled: j.Unsettled,
		LabelOptional: j.LabelOptional,
	}
}

// unlabelled is a topology.Unlabelled: TakeTurn, Exempt or Block.
type unlabelled topology.Unlabelled

var unlabelledNames = names[unlabelled]{"nodes without the label", []string{"TakeTurn", "Exempt", "Block"}}

func (u unlabelled) MarshalText() ([]byte, error) {
	return unlabelledNames.text(min(u, unlabelled(topology.Block)))
}
func (u *unlabelled) UnmarshalText(text []byte) error { return unlabelledNames.read(text, u) }
