package repair

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// Parse reads a list of policies from JSON and compiles it. The error joins a [candidate.Warning] for every fault of
// the text and of the policies. If there is any fault, the Set repairs nothing.
//
//	[{"conditionType": "Ready", "conditionStatus": "False", "tolerationDuration": "30m", "action": "ReplaceNode"}]
func Parse(text []byte) (Set, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(text, &entries); err != nil || entries == nil {
		wrong := warning(listField, string(text),
			`%s is not a list: write one such as [{"conditionType": "Ready", …}]`, shown(text))
		if !json.Valid(text) {
			wrong.Message = fmt.Sprintf("not valid JSON: %v: write a list of policies", err)
		}
		s := &set{warnings: []candidate.Warning{wrong}}
		return Set{s}, s.check()
	}
	policies := make([]Policy, len(entries))
	unread := map[int][]candidate.Warning{}
	for i, entry := range entries {
		for _, fault := range policies[i].read(entry) {
			unread[i] = append(unread[i], warning(place(i), string(entry), "%v", fault))
		}
	}
	return compile(policies, unread)
}

// UnmarshalJSON decodes a policy. Unknown fields, duplicate fields and fields of a wrong type are errors. So is a
// missing tolerationDuration, since 0 would mean no toleration at all. The error joins all faults. [Compile] checks the
// values.
func (p *Policy) UnmarshalJSON(data []byte) error {
	var decoded Policy
	if err := errors.Join(decoded.read(data)...); err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	*p = decoded
	return nil
}

// read decodes a policy, and returns all that is wrong with its text.
func (p *Policy) read(data []byte) (faults []error) {
	tolerates := false
	err := jsonobject.Fields(data, func(name string, value json.RawMessage) error {
		tolerates = tolerates || name == "tolerationDuration" && !jsonobject.IsNull(value)
		if err := p.setField(name, value); err != nil {
			faults = append(faults, err)
		}
		return nil // continue with the next field
	})
	switch {
	case errors.Is(err, jsonobject.ErrNone):
		return []error{fmt.Errorf(`%s is not an object: write one such as {"conditionType": "Ready", …}`,
			shown(data))}
	case err != nil:
		faults = append(faults, err)
	case !tolerates:
		faults = append(faults, errors.New(`field "tolerationDuration" is missing: `+
			`write for how long the condition is tolerated, such as "30m", or "0s" to repair at once`))
	}
	return faults
}

// shown returns the beginning of a JSON text as it is written, but on one line.
func shown(text []byte) string {
	line := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, fmt.Sprintf("%.100s", text))
	return display.Visible(line)
}

func (p *Policy) setField(name string, value json.RawMessage) error {
	const words, number = "a quoted string", "a whole number, such as 10"
	switch name {
	case "conditionType":
		return jsonobject.Set(name, value, &p.ConditionType, words)
	case "conditionStatus":
		return jsonobject.Set(name, value, &p.ConditionStatus, `"False", "Unknown" or "True"`)
	case "reasonRegex":
		return jsonobject.Set(name, value, &p.ReasonRegex, words)
	case "tolerationDuration":
		return jsonobject.Set(name, value, (*span)(&p.TolerationDuration), `a string, such as "30m"`)
	case "terminationGracePeriod":
		if jsonobject.IsNull(value) {
			return nil
		}
		p.TerminationGracePeriod = new(time.Duration)
		return jsonobject.Set(name, value, (*span)(p.TerminationGracePeriod), `a string, such as "5m"`)
	case "priority":
		return jsonobject.Set(name, value, &p.Priority, number)
	case "action":
		return jsonobject.Set(name, value, &p.Action, `"ReplaceNode" or "RebootNode"`)
	}
	return jsonobject.Unknown(name, "conditionType", "conditionStatus", "reasonRegex", "tolerationDuration",
		"terminationGracePeriod", "priority", "action")
}

// A span is a duration as JSON text.
type span time.Duration

func (s *span) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	if jsonobject.IsNull(data) {
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf(`%.100q is not a duration: write one such as "30m", "1h30m" or "0s"`, text)
	}
	*s = span(d)
	return nil
}

// MarshalJSON encodes a policy as UnmarshalJSON reads it.
func (p Policy) MarshalJSON() ([]byte, error) {
	var bound string
	if p.TerminationGracePeriod != nil {
		bound = wording.Duration(*p.TerminationGracePeriod)
	}
	return json.Marshal(struct {
		ConditionType          string `json:"conditionType"`
		ConditionStatus        string `json:"conditionStatus"`
		ReasonRegex            string `json:"reasonRegex,omitempty"`
		TolerationDuration     string `json:"tolerationDuration"`
		TerminationGracePeriod string `json:"terminationGracePeriod,omitempty"`
		Priority               int    `json:"priority,omitempty"`
		Action                 Action `json:"action"`
	}{
		p.ConditionType, p.ConditionStatus, p.ReasonRegex,
		wording.Duration(p.TolerationDuration), bound, p.Priority, p.Action,
	})
}
