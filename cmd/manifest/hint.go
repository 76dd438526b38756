package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// CodeMostSpecific is the code of a Warning about budgets that only make sense if the most specific decide, as in the
// disruption-controls-by-method RFC ("Approach A"), but that are read as Karpenter does. It is not a fault.
const CodeMostSpecific candidate.Code = "most-specific"

// hints returns a hint for each budget of a NodePool that names reasons but never decides, because a broader one always
// allows less. If there is none, it returns hints about fields that only the RFC has.
func (p Policy) hints(disruption value, set budget.Set) (all []candidate.Warning) {
	if set.MostSpecific() || len(disruption.of.faults)+len(set.Warnings()) > 0 { // faults come first
		return nil
	}
	hint := func(path, text string) {
		all = append(all, candidate.Warning{Code: CodeMostSpecific, Object: disruption.of.String(), Field: path, Message: text})
	}
	list := disruption.field("budgets")
	normal := normalised(set.Budgets())
	for i, b := range set.Budgets() {
		if over := overruling(normal, i); len(over) > 0 {
			hint(fmt.Sprintf("%s[%d]", list.path, i), fmt.Sprintf("%v never decides, since %s; if the most specific budget is meant to "+
				"decide, %s", b, strings.Join(over, ", and "), p.chooseMostSpecific()))
		}
	}
	if len(all) == 0 && writesMethods(list) {
		hint(list.path, "action, method and reason come from a proposal where the most specific budgets decide, and here the most "+
			"restrictive do: "+p.chooseMostSpecific()+" for the proposal's way, or write reasons")
	}
	return all
}

// normalised returns budgets with their reasons in the spelling of the API.
func normalised(written []budget.Budget) (all []budget.Budget) {
	for _, b := range written {
		b.Reasons = slices.Clone(b.Reasons)
		for i, name := range b.Reasons {
			b.Reasons[i], _ = candidate.ParseReason(string(name)) // none is broken
		}
		all = append(all, b)
	}
	return all
}

// overruling describes the broader budgets that always allow less than a budget, for each of its reasons.
func overruling(all []budget.Budget, position int) (texts []string) {
	b := all[position]
	if b.TopologyKey != "" {
		return nil
	}
	var found budget.Indexes
	for _, reason := range b.Reasons {
		i := slices.IndexFunc(all, func(other budget.Budget) bool {
			return other.TopologyKey == "" && isBroader(other, reason) && activeWhenever(other, b) && isLess(other, b)
		})
		if i < 0 {
			return nil
		}
		found |= 1 << i
	}
	for i := range found.All() {
		text := "budgets[%d] than %s"
		if len(texts) == 0 {
			text = "budgets[%d] never allows more than %s"
		}
		texts = append(texts, fmt.Sprintf(text, i, nodesOf(all[i])))
	}
	return texts
}

// isBroader reports whether a budget covers a reason and more.
func isBroader(b budget.Budget, reason candidate.Reason) bool {
	return len(b.Reasons) == 0 || slices.ContainsFunc(b.Reasons, func(broader candidate.Reason) bool {
		return broader != reason && broader.Covers(reason)
	})
}

// activeWhenever reports whether a budget, as written, is certainly active whenever another one is.
func activeWhenever(b, other budget.Budget) bool {
	when := func(b budget.Budget) string {
		return fmt.Sprint(budget.Budget{Schedule: b.Schedule, Duration: b.Duration, From: b.From, To: b.To, Calendar: b.Calendar, TimeZone: b.TimeZone, Outside: b.Outside})
	}
	return when(b) == when(budget.Budget{}) || when(b) == when(other)
}

// nodesOf returns what a budget allows.
func nodesOf(b budget.Budget) string { return budget.Budget{Nodes: b.Nodes}.String() }

// isLess reports whether a budget allows fewer nodes than another for some pool sizes, and never more. (Percentages of a
// few nodes may round up to the same number.)
func isLess(b, than budget.Budget) bool {
	text, percent := strings.CutSuffix(nodesOf(b), "%")
	text2, percent2 := strings.CutSuffix(nodesOf(than), "%")
	n, err := strconv.Atoi(text)
	n2, err2 := strconv.Atoi(text2)
	switch {
	case err != nil || err2 != nil || n2 == 0:
		return false
	case percent == percent2 || n == 0:
		return n < n2
	}
	return n == 1 && percent2 // a percentage rounds up to at least 1
}

// writesMethods reports whether any budget has fields that only the RFC has.
func writesMethods(budgets value) bool {
	list, _ := budgets.json.([]any)
	return slices.ContainsFunc(list, func(item any) bool {
		fields, _ := item.(map[string]any)
		return slices.ContainsFunc([]string{"action", "method", "reason"}, func(name string) bool {
			text, _ := fields[name].(string)
			return text != ""
		})
	})
}
