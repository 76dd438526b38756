package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The JSON form of a PoolStatus.
type (
	poolStatusJSON struct {
		Disruption disruptionJSON `json:"disruption"`
		Resources  resourcesJSON  `json:"resources"`
	}
	disruptionJSON struct {
		ActiveBudgets      []activeBudgetJSON `json:"activeBudgets"`
		TotalDisrupted     string             `json:"totalDisruptedNodes"`
		LastDisruptionTime *time.Time         `json:"lastDisruptionTime,omitempty"`
	}
	activeBudgetJSON struct {
		Method    string `json:"method,omitempty"`
		Reason    string `json:"reason,omitempty"`
		Nodes     string `json:"nodes"`
		Remaining string `json:"remainingBudget"`
	}
	resourcesJSON struct {
		Nodes json.RawMessage `json:"nodes"` // written as a number, read as a quantity as well
	}
)

// MarshalJSON encodes the part that belongs in the status of a NodePool.
func (p PoolStatus) MarshalJSON() ([]byte, error) {
	s := poolStatusJSON{
		Disruption: disruptionJSON{ActiveBudgets: []activeBudgetJSON{}, TotalDisrupted: strconv.Itoa(p.TotalDisrupted)},
		Resources:  resourcesJSON{json.RawMessage(strconv.Itoa(p.Nodes))},
	}
	for _, b := range p.ActiveBudgets {
		s.Disruption.ActiveBudgets = append(s.Disruption.ActiveBudgets,
			activeBudgetJSON{b.Method, b.Reason, strconv.Itoa(b.Nodes), strconv.Itoa(b.Remaining)})
	}
	if t := p.LastDisruptionTime; !t.IsZero() {
		t = t.UTC().Truncate(time.Second)
		s.Disruption.LastDisruptionTime = &t
	}
	return json.Marshal(s)
}

// UnmarshalJSON decodes the status of a NodePool, which does not include the pool's name. By convention, null changes
// nothing.
func (p *PoolStatus) UnmarshalJSON(data []byte) error {
	if string(bytes.TrimSpace(data)) == "null" {
		return nil
	}
	var s poolStatusJSON
	var wrongType *json.UnmarshalTypeError
	switch err := json.Unmarshal(data, &s); {
	case errors.As(err, &wrongType):
		return fmt.Errorf("status of a NodePool: field %q: a JSON %s is not valid", wrongType.Field, wrongType.Value)
	case err != nil:
		return fmt.Errorf("status of a NodePool: %w", err)
	}
	var errs []error
	number := func(field, text string) int {
		n, err := strconv.Atoi(cmp.Or(text, "0"))
		if err != nil || n < 0 {
			errs = append(errs, fmt.Errorf("status of a NodePool: %s %.100q is not a number of nodes: "+
				"write one such as \"5\"", field, text))
		}
		return n
	}
	status := PoolStatus{Pool: p.Pool, Nodes: number("nodes", digits(s.Resources.Nodes)),
		TotalDisrupted: number("totalDisruptedNodes", s.Disruption.TotalDisrupted)}
	for _, b := range s.Disruption.ActiveBudgets {
		status.ActiveBudgets = append(status.ActiveBudgets,
			ActiveBudget{b.Method, b.Reason, number("nodes", b.Nodes), number("remainingBudget", b.Remaining)})
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if t := s.Disruption.LastDisruptionTime; t != nil {
		status.LastDisruptionTime = *t
	}
	*p = status
	return nil
}

// digits returns the digits of a count of a NodePool's resources. The RFC has a number there. Karpenter writes a
// quantity of Kubernetes, which is text and has suffixes: 2000 nodes are "2k".
func digits(count json.RawMessage) string {
	text := strings.Trim(string(count), `"`)
	if text == "null" {
		return ""
	}
	for _, suffix := range []struct{ text, zeros string }{{"k", "000"}, {"M", "000000"}} {
		if n, ok := strings.CutSuffix(text, suffix.text); ok && n != "" {
			return n + suffix.zeros
		}
	}
	return text
}
