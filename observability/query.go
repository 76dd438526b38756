// Package observability has alerts, a dashboard and health checks, and checks that they ask for what the programs
// really export.
package observability

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
)

// Faults returns what is wrong with a query, by the labels of each metric that there is: metrics and labels that no
// program exports.
func Faults(query string, exposed map[string]map[string]bool) (faults []string) {
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	if err != nil {
		return []string{err.Error()}
	}
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			faults = append(faults, ofSelector(n, exposed)...)
		case *parser.AggregateExpr:
			if !n.Without {
				faults = append(faults, missing(n.Expr, n.Grouping, exposed)...)
			}
		case *parser.BinaryExpr:
			if m := n.VectorMatching; m != nil && m.On {
				faults = append(faults, missing(n.LHS, m.MatchingLabels, exposed)...)
				faults = append(faults, missing(n.RHS, m.MatchingLabels, exposed)...)
			}
		}
		return nil
	})
	return faults
}

// ofSelector returns what no program exports of a selector.
func ofSelector(s *parser.VectorSelector, exposed map[string]map[string]bool) (faults []string) {
	has, there := exposed[s.Name]
	if !there {
		return []string{fmt.Sprintf("no program exports %q", s.Name)}
	}
	for _, m := range s.LabelMatchers {
		if m.Name != model.MetricNameLabel && !has[m.Name] {
			faults = append(faults, fmt.Sprintf("%s has no label %s", s.Name, m.Name))
		}
	}
	return faults
}

// missing returns the labels that no metric of an expression has.
func missing(in parser.Expr, wanted []string, exposed map[string]map[string]bool) (faults []string) {
	var metrics []string
	parser.Inspect(in, func(node parser.Node, _ []parser.Node) error {
		if s, is := node.(*parser.VectorSelector); is {
			metrics = append(metrics, s.Name)
		}
		return nil
	})
	for _, label := range wanted {
		if !slices.ContainsFunc(metrics, func(name string) bool { return exposed[name][label] }) {
			faults = append(faults, fmt.Sprintf("%s has no label %s", strings.Join(metrics, ", "), label))
		}
	}
	return faults
}
