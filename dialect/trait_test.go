package dialect

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// Whoever adds a dialect, or a trait, says for each pair of them whether it is so.
func TestEachDialectAnswersForEachTrait(t *testing.T) {
	names, traits := constants(t, "dialect.go"), constants(t, "trait.go")
	if len(names) < 2 || len(rows) != len(names) {
		t.Fatalf("%d rows for the dialects %v", len(rows), names)
	}
	for d, row := range rows {
		for i, name := range traits[:len(traits)-1] { // without end
			if one := Trait(1) << i; (row.has&one != 0) == (row.lacks&one != 0) {
				t.Errorf("the row of %s does not say whether it has %s", names[d], name)
			}
		}
		text, err := Dialect(d).MarshalText()
		var read Dialect
		if read.UnmarshalText(text) != nil || int(read) != d || err != nil {
			t.Errorf("%s is written %s, and read as %v", names[d], text, read)
		}
		for other := range rows[:d] {
			if Dialect(d).String() == Dialect(other).String() {
				t.Errorf("%s and %s have one String", names[other], names[d])
			}
		}
	}
}

func TestInAnswersAsTheRowSays(t *testing.T) {
	for one := Trait(1); one < end; one <<= 1 {
		for d, row := range rows {
			if got := one.In(Dialect(d)); got != (row.has&one != 0) || got == (row.lacks&one != 0) {
				t.Errorf("trait %b in dialect %d: %v", one, d, got)
			}
		}
		if one.In(Dialect(len(rows))) != one.In(Disruptkit) {
			t.Errorf("trait %b: an unknown dialect is not as Disruptkit", one)
		}
	}
}

// constants returns the names of the constants of a file, in their order.
func constants(t *testing.T, path string) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
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
