package explain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/budget/lint"
)

// codes returns the values of all constants named Code…, code… or Finding… in a directory and those in it.
func codes(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || entry.Name() == "karpenter"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for i, name := range spec.Names {
				if !strings.HasPrefix(strings.ToLower(name.Name), "code") && !strings.HasPrefix(name.Name, "Finding") || i >= len(spec.Values) {
					continue
				}
				if literal, ok := spec.Values[i].(*ast.BasicLit); ok && literal.Kind == token.STRING {
					code, _ := strconv.Unquote(literal.Value)
					found[code] = path + ": " + name.Name
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range lint.Rules() { // which has each code of its looks; see its own test
		found[r.Code] = "budget/lint: looks"
	}
	return found
}

func TestEveryCodeHasOneEntryAndEveryEntryACode(t *testing.T) {
	found := codes(t, filepath.Join("..", "..", ".."))
	if len(found) < 70 {
		t.Fatalf("only %d codes are found", len(found))
	}
	explained := map[string]bool{}
	for _, e := range All() {
		if explained[e.Code] {
			t.Errorf("%s has two entries", e.Code)
		}
		explained[e.Code] = true
		if isWord := slices.ContainsFunc(words, func(w Entry) bool { return w.Code == e.Code }); isWord == (found[e.Code] != "") {
			t.Errorf("%s is no code, or also a word", e.Code)
		}
		for _, text := range []string{e.Means, e.Example, e.Do} {
			if len(text) < 8 || strings.ContainsAny(text, "\n\t") {
				t.Errorf("%s: %q says too little, or is not one line", e.Code, text)
			}
		}
	}
	for code, where := range found {
		if !explained[code] {
			t.Errorf("%s (%s) has no entry", code, where)
		}
	}
}

func TestACodeIsFoundAsPeopleWriteIt(t *testing.T) {
	for written, want := range map[string]string{"stale": "stale", " Do-Not-Disrupt ": "do-not-disrupt", "budget/allows-none": "allows-none", "overdue": "overdue"} {
		if e, err := Of(written); err != nil || e.Code != want {
			t.Errorf("%q: got %+v, %v", written, e, err)
		}
	}
	if _, err := Of("not-disrupt"); err == nil || !strings.Contains(err.Error(), "did you mean") || !strings.Contains(err.Error(), "do-not-disrupt") {
		t.Errorf("got %v", err)
	}
	if _, err := Of("xyzzy"); err == nil || !strings.Contains(err.Error(), "to see them all") {
		t.Errorf("got %v", err)
	}
}

// Commands print advice beside a blocker that may have no time.
func TestNoAdviceIsToWaitForATimeThatIsShown(t *testing.T) {
	for _, e := range All() {
		if strings.Contains(e.Do, "shown") {
			t.Errorf("%s: %s", e.Code, e.Do)
		}
	}
}
