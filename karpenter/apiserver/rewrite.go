package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A rewriting inserts guards into the source of a suite, and counts them.
type rewriting struct {
	files      *token.FileSet
	source     []byte
	insertions []insertion // of the file

	computes, lists, commands, controllers, clients int
}

type insertion struct {
	at   int
	text string
}

// rewrite guards all methods wherever the tests of a directory use them, and changes nothing else:
//
//	m.ComputeCommands(…)                    guarded(m).ComputeCommands(…)
//	disruption.WithMethods(m…)              disruption.WithMethods(allGuarded(m…)…)
//	disruption.Command{Method: m}           disruption.Command{Method: guarded(m)}
//	disruption.NewController(…)             the same, with disruption.WithMethods(allGuarded(disruption.NewMethods(…)…)…)
//	env = test.NewEnvironment(…)            the same, and then env.Client = annotating(env.Client)
//
// Methods stay what they are in their variables: the suite looks into some of them. It is an error if something of a kind is not
// found: then the suite makes its methods in another way, and they would go unguarded.
func rewrite(dir string) (*rewriting, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	r := &rewriting{}
	for _, name := range names {
		err = errors.Join(err, r.file(name))
	}
	if err == nil && (r.computes == 0 || r.lists == 0 || r.commands == 0 || r.controllers == 0 || r.clients != 1) {
		err = fmt.Errorf("the suite makes its methods in a way that is not known: found %v, and %d clients", r, r.clients)
	}
	return r, err
}

func (r *rewriting) String() string {
	return fmt.Sprintf("%d calls of ComputeCommands, %d lists of methods, %d methods of commands, %d controllers without a list",
		r.computes, r.lists, r.commands, r.controllers)
}

func (r *rewriting) file(name string) (err error) {
	if r.source, err = os.ReadFile(name); err != nil {
		return err
	}
	r.files, r.insertions = token.NewFileSet(), nil
	file, err := parser.ParseFile(r.files, name, r.source, parser.SkipObjectResolution)
	if err != nil || !strings.HasSuffix(file.Name.Name, "_test") {
		return err // tests of the package's own functions have no methods
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			r.call(n)
		case *ast.CompositeLit:
			r.command(n)
		case *ast.AssignStmt:
			r.client(n)
		}
		return true
	})
	if len(r.insertions) == 0 {
		return nil
	}
	return os.WriteFile(name, r.inserted(), 0o644)
}

// inserted returns the source with the insertions.
func (r *rewriting) inserted() []byte {
	slices.SortStableFunc(r.insertions, func(x, y insertion) int { return cmp.Compare(x.at, y.at) })
	var text []byte
	from := 0
	for _, i := range r.insertions {
		text = append(append(text, r.source[from:i.at]...), i.text...)
		from = i.at
	}
	return append(text, r.source[from:]...)
}

func (r *rewriting) insert(at token.Pos, text string) {
	r.insertions = append(r.insertions, insertion{r.files.Position(at).Offset, text})
}

func (r *rewriting) wrap(e ast.Expr, function string) {
	r.insert(e.Pos(), function+"(")
	r.insert(e.End(), ")")
}

func (r *rewriting) call(c *ast.CallExpr) {
	method, _ := c.Fun.(*ast.SelectorExpr)
	switch {
	case method != nil && method.Sel.Name == "ComputeCommands":
		r.wrap(method.X, "guarded")
		r.computes++
	case isOf("disruption", "WithMethods", c.Fun):
		r.insert(c.Lparen+1, "allGuarded(")
		r.insert(c.Rparen, ")...")
		r.lists++
	case isOf("disruption", "NewController", c.Fun) && len(c.Args) == 9:
		// Of a controller: context, clock, client, provisioner, provider, recorder, cluster, queue, costs.
		var args []string
		for _, i := range []int{0, 1, 6, 2, 3, 4, 5, 7} {
			args = append(args, r.text(c.Args[i]))
		}
		r.insert(c.Rparen, ", disruption.WithMethods(allGuarded(disruption.NewMethods("+strings.Join(args, ", ")+")...)...)")
		r.controllers++
	}
}

func (r *rewriting) text(e ast.Expr) string {
	return string(r.source[r.files.Position(e.Pos()).Offset:r.files.Position(e.End()).Offset])
}

func (r *rewriting) command(c *ast.CompositeLit) {
	if !isOf("disruption", "Command", c.Type) {
		return
	}
	for _, e := range c.Elts {
		field, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if key, ok := field.Key.(*ast.Ident); ok && key.Name == "Method" {
			r.wrap(field.Value, "guarded")
			r.commands++
		}
	}
}

func (r *rewriting) client(a *ast.AssignStmt) {
	if call, ok := a.Rhs[0].(*ast.CallExpr); ok && isOf("test", "NewEnvironment", call.Fun) {
		r.insert(a.End(), "; env.Client = annotating(env.Client)")
		r.clients++
	}
}

// isOf reports whether an expression is a name of a package.
func isOf(pkg, name string, e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == pkg && s.Sel.Name == name
}
