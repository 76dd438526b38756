package pause

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// A pool is a NodePool, as far as pauses are concerned.
type pool struct {
	Kind     string
	Metadata struct {
		Name, ResourceVersion string
		Annotations, Labels   map[string]string
	}
	Spec struct {
		Disruption struct {
			Budgets []any // as they are written; nil: none are
		}
	}
}

// A stop is a pause.
type stop struct {
	From  time.Time `json:"-"`
	Until time.Time `json:"until,omitzero"`
	By    string    `json:"by,omitempty"`
	Why   string    `json:"why,omitempty"`
}

// A kept is what a NodePool had before a pause of stock Karpenter. It is in annotation.PausedBudgets.
type kept struct {
	Budgets []any `json:"budgets"` // null: it had none
	Added   any   `json:"added"`
	stop
}

// A change is what is written.
type change struct {
	pool, patch string // a merge patch; "": nothing is to be written
	says        string
}

// pause returns the change that pauses the pool.
func (p pool) pause(as engine.Engine, s stop) (change, error) {
	if whole := s.Until.Truncate(time.Minute); as == engine.Karpenter && whole.Before(s.Until) {
		s.Until = whole.Add(time.Minute) // schedules have no seconds
	}
	end := "until somebody resumes"
	if !s.Until.IsZero() {
		end = "until " + s.Until.Format(time.RFC3339)
	}
	if as != engine.Karpenter {
		value, err := json.Marshal(s)
		if err != nil {
			return change{}, err
		}
		if string(value) == "{}" {
			value = []byte("true")
		}
		return p.change(fmt.Sprintf("pauses %s: annotation %s: %s", end, annotation.Pause, value), annotation.Pause, string(value), nil), nil
	}
	zero, ends, why := manifest.Freeze(s.From, s.Until)
	if why != "" {
		return change{}, fmt.Errorf("NodePool/%s: %s", p.Metadata.Name, why)
	}
	before, _, was := p.before()
	if len(before) == mostBudgets {
		return change{}, fmt.Errorf("NodePool/%s has %d budgets, and the API server takes no more: take one out first", p.Metadata.Name, mostBudgets)
	}
	value, err := json.Marshal(kept{before, zero, s})
	if err != nil {
		return change{}, err
	}
	text, _ := json.Marshal(zero)
	says := fmt.Sprintf("pauses %s: adds the budget %s, which resume takes out", end, text)
	if ends {
		says += fmt.Sprintf("; it ends by itself, but its schedule comes each year: resume before %s", s.From.AddDate(1, 0, 0).Format(time.DateOnly))
	} else if !s.Until.IsZero() {
		says += "; nothing else ends it, since a schedule cannot be as long"
	}
	if was {
		says += "; it replaces the pause that is there"
	}
	if owner := p.gitOps(); owner != "" {
		says += "; " + owner + " may undo it: suspend that first"
	}
	return p.change(says, annotation.PausedBudgets, string(value), append(slices.Clip(before), zero)), nil
}

const mostBudgets = 50 // of a NodePool, in the CustomResourceDefinition

// before returns the budgets without a pause, whether somebody has changed them since it was written, and whether there is one.
func (p pool) before() (budgets []any, changed, paused bool) {
	text, paused := p.Metadata.Annotations[annotation.PausedBudgets]
	now := p.Spec.Disruption.Budgets
	var was kept
	if !paused || json.Unmarshal([]byte(text), &was) != nil {
		return now, false, paused
	}
	if reflect.DeepEqual(now, append(slices.Clip(was.Budgets), was.Added)) {
		return was.Budgets, false, true
	}
	for i, b := range slices.Backward(now) {
		if reflect.DeepEqual(b, was.Added) {
			return slices.Delete(slices.Clone(now), i, i+1), true, true
		}
	}
	return now, true, true
}

// resume returns the change that ends all pauses of the pool.
func (p pool) resume() change {
	_, annotated := p.Metadata.Annotations[annotation.Pause]
	before, changed, paused := p.before()
	switch {
	case !annotated && !paused:
		return change{pool: p.Metadata.Name, says: "is not paused"}
	case !paused:
		return p.change("goes on: the annotation "+annotation.Pause+" is removed", annotation.Pause, nil, nil)
	}
	says := "goes on: the budgets are as they were"
	if changed {
		says = "goes on: its budgets have changed since the pause, so only the one that was added is taken out"
	}
	if before == nil {
		return p.change(says, annotation.PausedBudgets, nil, json.RawMessage("null"))
	}
	return p.change(says, annotation.PausedBudgets, nil, before)
}

// change returns the merge patch that sets an annotation, and budgets unless they are nil. It fails if somebody else has changed the pool.
func (p pool) change(says, name string, value, budgets any) change {
	patch := map[string]any{"metadata": map[string]any{"annotations": map[string]any{name: value}}}
	if v := p.Metadata.ResourceVersion; v != "" {
		patch["metadata"].(map[string]any)["resourceVersion"] = v
	}
	if budgets != nil {
		patch["spec"] = map[string]any{"disruption": map[string]any{"budgets": budgets}}
	}
	text, err := json.Marshal(patch)
	if err != nil {
		panic(err) // it was JSON before
	}
	return change{p.Metadata.Name, string(text), says}
}

// gitOps names what writes the NodePool from a repository; "": nothing that is known.
func (p pool) gitOps() string {
	for _, of := range []struct{ prefix, name string }{
		{"argocd.argoproj.io/", "Argo CD"}, {"kustomize.toolkit.fluxcd.io/", "Flux"}, {"helm.toolkit.fluxcd.io/", "Flux"}, {"meta.helm.sh/", "Helm"},
	} {
		for _, all := range []map[string]string{p.Metadata.Annotations, p.Metadata.Labels} {
			for name := range all {
				if strings.HasPrefix(name, of.prefix) {
					return of.name
				}
			}
		}
	}
	return ""
}
