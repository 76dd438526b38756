package lint

import (
	"io"
	"net/url"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/cmd/internal/explain"
	"github.com/disruptkit/disruptkit/cmd/internal/forecast"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
)

const homepage = "https://github.com/disruptkit/disruptkit"

// site is where the workflow site publishes the documentation. Each code has a page of its own there.
const site = "https://disruptkit.github.io/disruptkit"

// The types below are the part of the Static Analysis Results Interchange Format (OASIS SARIF 2.1.0) that lint prints,
// for code scanning. A test validates it against the schema of OASIS.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Invocations []sarifInvocation `json:"invocations,omitempty"`
		Results     []sarifResult     `json:"results"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string     `json:"id"`
		ShortDescription     sarifText  `json:"shortDescription"`
		FullDescription      sarifText  `json:"fullDescription"`
		Help                 sarifText  `json:"help"`
		HelpURI              string     `json:"helpUri"`
		DefaultConfiguration sarifLevel `json:"defaultConfiguration"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Fixes     []sarifFix      `json:"fixes,omitempty"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifReplacement struct {
		Deleted  sarifBytes `json:"deletedRegion"`
		Inserted sarifText  `json:"insertedContent"`
	}
	sarifBytes struct {
		Offset int `json:"byteOffset"`
		Length int `json:"byteLength"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   struct {
			StartLine int `json:"startLine"`
		} `json:"region"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

// levels are those of SARIF.
var levels = map[lint.Severity]string{lint.SeverityError: "error", lint.SeverityWarning: "warning", lint.SeverityInfo: "note"}

func printSARIF(w io.Writer, a answer) error {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "disruptkit", InformationURI: homepage, Rules: []sarifRule{}}
	driver := &run.Tool.Driver
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") { // not "(devel)"
		driver.Version = info.Main.Version
	}
	if a.failed != nil {
		run.Invocations = []sarifInvocation{{Notifications: []sarifNotification{{"error", sarifText{a.failed.Error()}}}}}
	}
	for _, f := range a.Findings {
		rule := slices.IndexFunc(driver.Rules, func(r sarifRule) bool { return r.ID == f.Code })
		if rule < 0 {
			rule = len(driver.Rules)
			driver.Rules = append(driver.Rules, ruleOf(f.Code, a.Findings))
		}
		result := sarifResult{
			RuleID: f.Code, RuleIndex: rule, Level: levels[f.Severity],
			Message: sarifText{says(f)}, Locations: []sarifLocation{a.locate(f)},
		}
		if f.Advice != "" {
			result.Message.Text += "\n→ " + f.Advice
		}
		for _, fix := range f.Fixes {
			if p, err := f.Rewrite(fix); err == nil { // others are in the message alone
				result.Fixes = append(result.Fixes, sarifFix{sarifText{fix.Text}, []sarifChange{{sarifArtifact{uriOf(p.File)},
					[]sarifReplacement{{sarifBytes{p.Start, p.End - p.Start}, sarifText{p.Text}}}}}})
			}
		}
		run.Results = append(run.Results, result)
	}
	return wire.Print(w, sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	})
}

// ruleOf describes a code. Its level is that of the worst finding, since some codes have several.
func ruleOf(code string, all []forecast.Finding) sarifRule {
	worst := len(severities) - 1
	for _, f := range all {
		if f.Code == code {
			worst = min(worst, slices.Index(severities, f.Severity))
		}
	}
	e, err := explain.Of(code)
	if err != nil {
		e = explain.Entry{Code: code, Means: code, Do: "Read the message."}
	}
	short, _, _ := strings.Cut(e.Means, ". ")
	return sarifRule{
		ID:                   code,
		ShortDescription:     sarifText{strings.TrimSuffix(short, ".") + "."},
		FullDescription:      sarifText{e.Means},
		Help:                 sarifText{"For example: " + e.Example + "\n" + e.Do},
		HelpURI:              site + "/codes/" + code + "/",
		DefaultConfiguration: sarifLevel{levels[severities[worst]]},
	}
}

// locate returns where a finding is: a line of a file, or a NodePool if it was read from somewhere else.
func (a answer) locate(f forecast.Finding) (l sarifLocation) {
	place := f.Places[0]
	if !slices.Contains(a.Files, place.File) {
		l.Logical = []sarifLogical{{Name: place.String(), Kind: "resource"}}
		if f.Pool != "" {
			l.Logical[0].Name = "NodePool/" + f.Pool
		}
		return l
	}
	l.Physical = &sarifPhysical{}
	l.Physical.Artifact.URI = uriOf(place.File)
	l.Physical.Region.StartLine = place.Line
	return l
}

// uriOf returns a path as a URI: a relative one is relative to the directory that lint runs in.
func uriOf(path string) string {
	slashed := filepath.ToSlash(path)
	if !filepath.IsAbs(path) {
		return (&url.URL{Path: slashed}).String()
	}
	if !strings.HasPrefix(slashed, "/") { // C:/
		slashed = "/" + slashed
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}
