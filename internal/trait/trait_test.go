package trait

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/disruptkit/disruptkit/dialect"
)

// Whoever adds a dialect, or a trait, says for each pair of them whether it is so.
func TestEachDialectAnswersForEachTrait(t *testing.T) {
	names := dialects(t)
	if len(names) < 2 || len(rows) != len(names) {
		t.Fatalf("%d rows for the dialects %v", len(rows), names)
	}
	for d, row := range rows {
		if missing := (end - 1) &^ (row.has | row.lacks); missing != 0 {
			t.Errorf("%s: neither has nor lacks the traits %b", names[d], missing)
		}
		if both := row.has & row.lacks; both != 0 {
			t.Errorf("%s: has and lacks the traits %b", names[d], both)
		}
		for other := range rows[:d] {
			if dialect.Dialect(d).String() == dialect.Dialect(other).String() {
				t.Errorf("%s and %s have one String", names[other], names[d])
			}
		}
	}
}

func TestInAnswersAsTheRowSays(t *testing.T) {
	for one := Trait(1); one < end; one <<= 1 {
		for d, row := range rows {
			if got := one.In(dialect.Dialect(d)); got != (row.has&one != 0) || got == (row.lacks&one != 0) {
				t.Errorf("trait %b in dialect %d: %v", one, d, got)
			}
		}
		if !one.In(dialect.Dialect(len(rows))) {
			t.Errorf("trait %b: an unknown dialect is not as Disruptkit", one)
		}
	}
}

// dialects returns the names of the constants of package dialect, in their order.
func dialects(t *testing.T) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../dialect/dialect.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.CONST {
			for _, spec := range d.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}
