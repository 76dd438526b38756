package forecast

import (
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// CodeRepeatedName is the code of a finding about two NodePools of one name.
const CodeRepeatedName = "repeated-name"

// namesakes sets the findings about NodePools that have the name of one before. In one file that is a mistake. Several
// files may be for several clusters.
func (in *input) namesakes() {
	last := map[string]manifest.Place{}
	for _, p := range in.pools {
		before, seen := last[p.Name]
		switch {
		case p.Named == manifest.Place{} || p.Named == before: // it has no name of its own, or its file is read twice
			continue
		case seen:
			f := Finding{
				Finding: lint.Finding{
					Code: CodeRepeatedName, Severity: lint.SeverityError,
					Message: "another NodePool is called " + wording.Quote(p.Name) +
						", and the one that is applied last replaces the other",
					Advice: "give each a name of its own",
				},
				Places: []manifest.Place{p.Named, before},
			}
			if before.File != p.Named.File {
				f.Severity, f.Advice = lint.SeverityInfo, "if both are for one cluster, give each a name of its own"
			}
			in.repeated[p.Named] = append(in.repeated[p.Named], f)
		}
		last[p.Name] = p.Named
	}
}
