package lint

import (
	"io"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/examples/internal/explain"
)

const homepage = "https://github.com/disruptkit/disruptkit"

// levels are those of SARIF.
var levels = map[budget.Severity]string{budget.SeverityError: "error", budget.SeverityWarning: "warning", budget.SeverityInfo: "note"}

// printSARIF prints findings in the Static Analysis Results Interchange Format (OASIS SARIF 2.1.0), which code scanning reads.
func printSARIF(w io.Writer, a answer) error {
	run := sarif.NewRunWithInformationURI("disruptkit", homepage)
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") { // not "(devel)"
		run.Tool.Driver.WithVersion(info.Main.Version)
	}
	for _, f := range a.findings {
		if e, err := explain.Of(f.Code); err == nil {
			run.AddRule(f.Code).WithDescription(e.Means).WithHelpURI(homepage).
				WithHelp(sarif.NewMultiformatMessageString().WithText("For example: " + e.Example + "\n" + e.Do))
		}
		text := says(f)
		if f.Advice != "" {
			text += "\n→ " + f.Advice
		}
		p := f.Places[0]
		run.CreateResultForRule(f.Code).WithLevel(levels[f.Severity]).WithMessage(sarif.NewTextMessage(text)).
			AddLocation(sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().
				WithArtifactLocation(sarif.NewSimpleArtifactLocation(filepath.ToSlash(p.File))).
				WithRegion(sarif.NewSimpleRegion(p.Line, p.Line))))
	}
	report := sarif.NewReport()
	report.AddRun(run)
	return report.PrettyWrite(w)
}
