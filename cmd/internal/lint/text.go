package lint

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/cmd/internal/forecast"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// counts matches what depends on the number of nodes.
var counts = regexp.MustCompile(`[0-9] nodes?\b`)

// printText prints findings in the format of compilers, so that editors find their place, and counts them.
func printText(w io.Writer, a answer) error {
	out := bufio.NewWriter(w)
	number := map[lint.Severity]int{}
	for _, f := range a.Findings {
		number[f.Severity]++
		fmt.Fprintln(out, tell.Wrap(fmt.Sprintf("%s: %s %s: %s", f.Places[0], f.Severity, f.Code, says(f)), "    "))
		if f.Advice != "" {
			fmt.Fprintln(out, tell.Wrap("    → "+f.Advice, "      "))
		}
	}
	var words []string
	for _, s := range severities {
		switch n := number[s]; {
		case n == 0:
		case s == lint.SeverityInfo:
			words = append(words, fmt.Sprintf("%d info", n))
		default:
			words = append(words, wording.Count(n, string(s)))
		}
	}
	if a.disabled > 0 {
		words = append(words, fmt.Sprintf("%d disabled", a.disabled))
	}
	if a.Ignored > 0 {
		words = append(words, fmt.Sprintf("%d ignored", a.Ignored))
	}
	if !slices.ContainsFunc(a.Findings, func(f forecast.Finding) bool { return counts.MatchString(f.Message + f.Advice) }) {
		a.assumed = ""
	}
	fmt.Fprintf(out, "%s, for %s (--engine %s): %s%s\n", wording.Count(a.Pools, "NodePool"), a.as.Name(), a.as, cmp.Or(strings.Join(words, ", "), "no findings"), a.assumed)
	return out.Flush()
}

// says returns the message with its pool and the other places that the finding concerns.
func says(f forecast.Finding) string {
	text := f.Message
	if f.Pool != "" && !strings.HasPrefix(text, "NodePool/") && !strings.HasPrefix(text, f.Pool+": ") {
		text = wording.Quote(f.Pool) + ": " + text
	}
	var others []string
	for _, p := range f.Places[1:] {
		others = append(others, p.String())
	}
	if len(others) > 0 {
		text += " (and " + strings.Join(others, ", ") + ")"
	}
	return text
}
