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

// A sarif is an object of the Static Analysis Results Interchange Format (OASIS SARIF 2.1.0), for code scanning. A test validates the document
// against the schema of OASIS.
type sarif map[string]any

// words is a text of SARIF.
func words(text string) sarif { return sarif{"text": text} }

// levels are those of SARIF.
var levels = map[lint.Severity]string{lint.SeverityError: "error", lint.SeverityWarning: "warning", lint.SeverityInfo: "note"}

func printSARIF(w io.Writer, a answer) error {
	var codes []string
	rules, results := []sarif{}, []sarif{}
	for _, f := range a.Findings {
		rule := slices.Index(codes, f.Code)
		if rule < 0 {
			rule = len(codes)
			codes, rules = append(codes, f.Code), append(rules, ruleOf(f.Code, a.Findings))
		}
		message := says(f)
		if f.Advice != "" {
			message += "\n→ " + f.Advice
		}
		result := sarif{
			"ruleId": f.Code, "ruleIndex": rule, "level": levels[f.Severity], "message": words(message), "locations": []sarif{a.locate(f)},
		}
		if fixes := fixesOf(f); len(fixes) > 0 {
			result["fixes"] = fixes
		}
		results = append(results, result)
	}
	driver := sarif{"name": "disruptkit", "informationUri": homepage, "rules": rules}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") { // not "(devel)"
		driver["version"] = info.Main.Version
	}
	run := sarif{"tool": sarif{"driver": driver}, "results": results}
	if a.failed != nil {
		run["invocations"] = []sarif{{
			"executionSuccessful":        false,
			"toolExecutionNotifications": []sarif{{"level": "error", "message": words(a.failed.Error())}},
		}}
	}
	return wire.Print(w, sarif{
		"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		"version": "2.1.0", "runs": []sarif{run},
	})
}

// fixesOf returns the fixes of a finding that can be written into its file. Others are in the message alone.
func fixesOf(f forecast.Finding) (fixes []sarif) {
	for _, fix := range f.Fixes {
		p, _, err := forecast.Rewrite([]forecast.Finding{f}, []lint.Fix{fix})
		if err != nil {
			continue
		}
		fixes = append(fixes, sarif{"description": words(fix.Text), "artifactChanges": []sarif{{
			"artifactLocation": sarif{"uri": uriOf(p.File)},
			"replacements": []sarif{{
				"deletedRegion":   sarif{"byteOffset": p.Start, "byteLength": p.End - p.Start},
				"insertedContent": words(p.Text),
			}},
		}}})
	}
	return fixes
}

// ruleOf describes a code. Its level is that of the worst finding, since some codes have several.
func ruleOf(code string, all []forecast.Finding) sarif {
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
	return sarif{
		"id":                   code,
		"shortDescription":     words(strings.TrimSuffix(short, ".") + "."),
		"fullDescription":      words(e.Means),
		"help":                 words("For example: " + e.Example + "\n" + e.Do),
		"helpUri":              site + "/codes/" + code + "/",
		"defaultConfiguration": sarif{"level": levels[severities[worst]]},
	}
}

// locate returns where a finding is: a line of a file, or a NodePool if it was read from somewhere else.
func (a answer) locate(f forecast.Finding) sarif {
	place := f.Places[0]
	if slices.Contains(a.Files, place.File) {
		return sarif{"physicalLocation": sarif{
			"artifactLocation": sarif{"uri": uriOf(place.File)}, "region": sarif{"startLine": place.Line},
		}}
	}
	name := place.String()
	if f.Pool != "" {
		name = "NodePool/" + f.Pool
	}
	return sarif{"logicalLocations": []sarif{{"fullyQualifiedName": name, "kind": "resource"}}}
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
