package replay

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/internal/record"
)

// A Divergence is one value of a decision that is not as it should be.
type Divergence struct {
	Case  string // its name
	Line  int    // of a recording; 0: it is of an answer
	Where string // such as blocked[3].blockers[0].until
	Want  string // as JSON
	Got   string
}

// String describes the divergence on one line.
func (d Divergence) String() string {
	return fmt.Sprintf("%s: %s is %s, want %s", d.Case, d.Where, short(d.Got), short(d.Want))
}

func short(text string) string {
	if r := []rune(text); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return text
}

// Differences returns where a decision differs from the one that it should be. What is absent, null, false, and an empty list or object
// are the same, and so are two texts of the same instant. Messages are for people, and need not be the same unless they are compared as well.
func Differences(want, got json.RawMessage, messages bool) ([]Divergence, error) {
	var a, b any
	if err := json.Unmarshal(want, &a); err != nil {
		return nil, fmt.Errorf("the decision that should be made: %w", err)
	}
	if err := json.Unmarshal(got, &b); err != nil {
		return nil, fmt.Errorf("the decision: %w", err)
	}
	c := comparison{messages: messages}
	c.compare("", a, b)
	return c.found, nil
}

type comparison struct {
	messages bool
	found    []Divergence
}

func (c *comparison) compare(where string, want, got any) {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok || empty(got) {
			c.objects(where, w, g)
			return
		}
	case []any:
		if g, ok := got.([]any); ok || empty(got) {
			c.lists(where, w, g)
			return
		}
	case string:
		if g, ok := got.(string); ok && (g == w || sameInstant(g, w)) {
			return
		}
	case float64:
		if g, ok := got.(float64); ok && g == w {
			return
		}
	case bool:
		if g, ok := got.(bool); ok && g == w {
			return
		}
	}
	if empty(want) && empty(got) {
		return
	}
	c.found = append(c.found, Divergence{Where: where, Want: text(want), Got: text(got)})
}

func (c *comparison) objects(where string, want, got map[string]any) {
	keys := maps.Clone(want)
	maps.Copy(keys, got)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if key == "message" && !c.messages {
			continue
		}
		at := key
		if where != "" {
			at = where + "." + key
		}
		c.compare(at, want[key], got[key])
	}
}

func (c *comparison) lists(where string, want, got []any) {
	for i := range max(len(want), len(got)) {
		var w, g any
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		c.compare(fmt.Sprintf("%s[%d]", where, i), w, g)
	}
}

// empty reports whether a value is absent, or as good as that. 0 and "" are not: no node may be disrupted, and nodes without a label have the zone "".
func empty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case bool:
		return !v
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func sameInstant(a, b string) bool {
	s, errA := time.Parse(time.RFC3339Nano, a)
	t, errB := time.Parse(time.RFC3339Nano, b)
	return errA == nil && errB == nil && s.Equal(t)
}

func text(value any) string {
	if value == nil {
		return "absent"
	}
	made, err := record.Line(value)
	if err != nil {
		return err.Error()
	}
	return string(made)
}
