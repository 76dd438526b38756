package lint

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
)

var ruleBakeStartsAgain = Rule{
	Code:    CodeBakeStartsAgain,
	Means:   "The waves bake for a day or longer: a probe that denies once a day starts the bake again, for ever.",
	Example: `waves: ["1", "50%"], bake: 24h, and a probe that denies during a load that recurs each night.`,
	Do:      "Write a bake that is shorter than the time between two denials, or leave the load out of the probe.",
}

// bakeStartsAgain finds bakes of a day or longer in pools with probes: many loads, and so what probes say, recur daily.
func (l *linter) bakeStartsAgain() {
	for _, r := range l.limits.Rollouts() {
		if !l.pool.Probed || len(r.Faults) > 0 || r.Bake < 24*time.Hour || l.bakes(&r) == 0 {
			continue
		}
		l.add(Finding{Code: CodeBakeStartsAgain, Severity: SeverityInfo,
			Message: fmt.Sprintf("%s: the waves bake for %s, and the bake starts again whenever a probe has denied: "+
				"if one denies once a day, the bake never ends", r.Method, wording.Duration(r.Bake)),
			Advice: "write a bake that is shorter than the time between two denials"})
	}
}
