package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/disruptkit/disruptkit/cmd/internal/explain"

	// It reads what we print. It also has the schema of OASIS in its source, for a validator of its own that does not check URIs.
	oasis "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// official is the JSON schema of SARIF 2.1.0, errata 01, with formats asserted.
var official = sync.OnceValues(func() (*jsonschema.Schema, error) {
	of, err := build.Import("github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif", directory, build.FindOnly)
	if err != nil {
		return nil, err
	}
	source, err := parser.ParseFile(token.NewFileSet(), filepath.Join(of.Dir, "schema.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	text := ""
	ast.Inspect(source, func(n ast.Node) bool {
		if literal, is := n.(*ast.BasicLit); is && literal.Kind == token.STRING {
			text, err = strconv.Unquote(literal.Value)
		}
		return true
	})
	doc, jsonErr := jsonschema.UnmarshalJSON(strings.NewReader(text))
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.RegisterFormat(&jsonschema.Format{Name: "uri-reference", Validate: isReference})
	if err := errors.Join(err, jsonErr, c.AddResource("sarif.json", doc)); err != nil {
		return nil, err
	}
	return c.Compile("sarif.json")
})

// directory is that of the package, in which tests begin.
var directory, _ = os.Getwd()

// reference has the characters of a URI reference (RFC 3986, appendix A). The library's own check accepts blanks.
var reference = regexp.MustCompile(`^([A-Za-z0-9._~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2})*$`)

func isReference(v any) error {
	if text, isText := v.(string); isText && !reference.MatchString(text) {
		return errors.New("not a URI reference")
	}
	return nil
}

// sarifOf returns the run of SARIF that lint prints, once it is valid.
func sarifOf(t *testing.T, got result) *oasis.Run {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(got.stdout))
	if err != nil {
		t.Fatal(err, got)
	}
	schema, err := official()
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%v\n%s", err, got.stdout)
	}
	var report oasis.Report
	d := json.NewDecoder(bytes.NewReader([]byte(got.stdout)))
	d.DisallowUnknownFields()
	if err := d.Decode(&report); err != nil {
		t.Fatal(err)
	}
	return report.Runs[0]
}

func TestSARIFIsValidAndHasARuleForEachResult(t *testing.T) {
	run := sarifOf(t, linted("", "-o", "sarif", file))
	if len(run.Results) < 4 {
		t.Fatalf("%+v", run)
	}
	for _, r := range run.Results {
		rule := run.Tool.Driver.Rules[r.RuleIndex]
		at := r.Locations[0].PhysicalLocation
		if *rule.ID != *r.RuleID || len(r.Locations) != 1 || *at.ArtifactLocation.URI != file || *at.Region.StartLine < 1 {
			t.Errorf("%+v", r)
		}
		if *rule.FullDescription.Text == "" || rule.DefaultConfiguration.Level != r.Level || *rule.HelpURI != "https://disruptkit.github.io/disruptkit/codes/"+*rule.ID+"/" {
			t.Errorf("%+v", rule)
		}
		if _, err := explain.Of(*rule.ID); err != nil { // the site has a page for each code that explain lists
			t.Errorf("%s leads nowhere: %v", *rule.HelpURI, err)
		}
	}
}

func TestSARIFWithoutFindingsIsValid(t *testing.T) {
	if run := sarifOf(t, linted(fine, "-o", "sarif", "-")); len(run.Results)+len(run.Tool.Driver.Rules) > 0 {
		t.Errorf("%+v", run)
	}
}

func TestPathsInSARIFAreURIs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, want := range map[string]string{
		"a b.yaml":          "a%20b.yaml",
		"50%.yaml":          "50%25.yaml",
		"c#1?.yaml":         "c%231%3F.yaml",
		"a:b.yaml":          "./a:b.yaml",
		"zürich.yaml":       "z%C3%BCrich.yaml",
		"[x] {y}|z^.yaml":   "%5Bx%5D%20%7By%7D%7Cz%5E.yaml",
		"sub/web.yaml":      "sub/web.yaml",
		dir + "/abs 1.yaml": "file://" + filepath.ToSlash(dir) + "/abs%201.yaml",
	} {
		if err := errors.Join(os.MkdirAll("sub", 0o755), os.WriteFile(name, []byte(warned), 0o644)); err != nil {
			t.Skip(err) // such as of Windows, where not all of these are names
		}
		if got := sarifOf(t, linted("", "-o", "sarif", name)).Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI; *got != want {
			t.Errorf("%s is %s, want %s", name, *got, want)
		}
	}
}

// Standard input is no file, and neither is a cluster.
func TestWhatIsNoFileHasNoURI(t *testing.T) {
	for stdin, want := range map[string]string{
		warned:  "NodePool/standard input",
		"a: [b": "standard input:1",
		"apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web}\nspec: {disruption: " + warned + "}": "NodePool/web",
	} {
		at := sarifOf(t, linted(stdin, "-o", "sarif", "-")).Results[0].Locations[0]
		if at.PhysicalLocation != nil || len(at.LogicalLocations) != 1 || *at.LogicalLocations[0].FullyQualifiedName != want {
			t.Errorf("%q: %+v", stdin, at)
		}
	}
}

func TestTheLevelOfARuleIsThatOfItsWorstFinding(t *testing.T) {
	const both = "kind: NodePool\nmetadata: {name: a}\n---\nkind: NodePool\nmetadata: {name: a}\n---\nkind: NodePool\nmetadata: {name: b}\n"
	dir := t.TempDir()
	other := filepath.Join(dir, "b.yaml")
	if err := os.WriteFile(other, []byte("kind: NodePool\nmetadata: {name: b}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, files := range [][]string{{other, "-"}, {"-", other}} {
		run := sarifOf(t, linted(both, append(files, "-o", "sarif")...))
		var levels []string
		for _, r := range run.Results {
			if *r.RuleID == "repeated-name" {
				levels = append(levels, r.Level)
				if level := run.Tool.Driver.Rules[r.RuleIndex].DefaultConfiguration.Level; level != "error" {
					t.Errorf("%v: the level is %s", files, level)
				}
			}
		}
		if len(levels) != 2 {
			t.Errorf("%v: %v", files, levels)
		}
	}
}
