package forecast

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/cmd/internal/explain"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// The codes of findings about comments and annotations that leave out findings.
const (
	CodeUnusedIgnore  = "unused-ignore"  // there is no such finding to leave out
	CodeUnknownIgnore = "unknown-ignore" // it names no code
)

// An ignore is what somebody wrote to leave out findings.
type ignore struct {
	manifest.Ignore
	pool manifest.Place // where the name of its NodePool is written, of an annotation
	used []string       // codes of findings that it left out
}

// leavesOut reports whether a finding is to be left out. Named is where the name of its NodePool is written.
func (i *ignore) leavesOut(f Finding, named manifest.Place) bool {
	place := manifest.Place{File: i.Place.File, Line: i.Line}
	isThere := i.Line == 0 && i.pool == named || slices.Contains(f.Places, place)
	if !isThere || !slices.Contains(i.Codes, f.Code) {
		return false
	}
	i.used = append(i.used, f.Code)
	return true
}

// findings returns what is wrong with it. That a code left nothing out is only known if everything was looked at.
func (i *ignore) findings(everything bool) (all []Finding) {
	add := func(code string, severity lint.Severity, message, advice string) {
		f := lint.Finding{Code: code, Severity: severity, Message: message, Advice: advice}
		all = append(all, Finding{Finding: f, Places: []manifest.Place{i.Place}})
	}
	if i.Unread {
		add(CodeUnknownIgnore, lint.SeverityWarning, "it is not read, and leaves nothing out", "write # "+manifest.IgnoreComment+" and the code of the finding, such as # "+
			manifest.IgnoreComment+" never-binds")
		return all
	}
	if len(i.Codes) == 0 {
		add(CodeUnknownIgnore, lint.SeverityError, "it names no code, and leaves nothing out",
			"write the code of the finding, such as "+manifest.IgnoreComment+" never-binds")
	}
	for _, code := range i.Codes {
		switch _, err := explain.Of(code); {
		case err != nil:
			add(CodeUnknownIgnore, lint.SeverityError, err.Error(), "")
		case everything && !slices.Contains(i.used, code):
			message := fmt.Sprintf("there is no finding %s to ignore here", wording.Quote(code))
			add(CodeUnusedIgnore, lint.SeverityInfo, message,
				"delete the code from the list; or write it at the line that the finding names")
		}
	}
	return all
}

// leaveOut takes out what comments and annotations ignore, and adds what is wrong with these.
func (in *input) leaveOut(all []Finding, named []manifest.Place, everything bool) (left []Finding, ignored int) {
	var ignores []*ignore
	for _, i := range in.ignores {
		ignores = append(ignores, &ignore{Ignore: i})
	}
	for _, p := range in.pools {
		for _, i := range p.Ignores {
			ignores = append(ignores, &ignore{Ignore: i, pool: p.Named})
		}
	}
	for n, f := range all {
		isIgnored := false
		for _, i := range ignores { // all of them, since each is used
			isIgnored = i.leavesOut(f, named[n]) || isIgnored
		}
		if isIgnored {
			ignored++
		} else {
			left = append(left, f)
		}
	}
	for _, i := range ignores {
		left = append(left, i.findings(everything)...)
	}
	return left, ignored
}
