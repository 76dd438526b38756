package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// A mutant is one small change of the code.
type mutant struct {
	number int
	file   string // relative to the root module
	line   int
	code   string // what changes, on one line
	change string
}

func (m mutant) position() string { return fmt.Sprintf("%s:%d:", m.file, m.line) }

func (m mutant) String() string { return fmt.Sprintf("%s %s → %s", m.position(), m.code, m.change) }

// A mutator writes the mutants of one file into its syntax tree, each behind a call of the function mutant.
type mutator struct {
	file  string
	text  string
	info  *types.Info
	files *token.FileSet
	found []mutant
	next  int                   // the number of the next mutant
	at    map[ast.Node][]string // the switches of a node's mutants
}

// mutate changes a file's syntax tree. Switches are given out on the way down, since the positions of nodes are known
// only as long as their children are the original ones. The nodes are replaced on the way up.
func (x *mutator) mutate(f *ast.File) {
	x.at = map[ast.Node][]string{}
	astutil.Apply(f, func(c *astutil.Cursor) bool {
		if d, ok := c.Node().(*ast.GenDecl); ok {
			return d.Tok == token.VAR
		}
		for _, change := range x.changes(c) {
			x.at[c.Node()] = append(x.at[c.Node()], x.add(c.Node(), change))
		}
		return true
	}, func(c *astutil.Cursor) bool {
		if on := x.at[c.Node()]; on != nil {
			x.replace(c, on)
		}
		return true
	})
}

// add notes a mutant, and returns the call that says whether it is on.
func (x *mutator) add(n ast.Node, change string) string {
	x.next++
	from, to := x.files.Position(n.Pos()), x.files.Position(n.End())
	code := []rune(strings.Join(strings.Fields(x.text[from.Offset:to.Offset]), " "))
	if len(code) > 100 {
		code = append(code[:100], '…')
	}
	x.found = append(x.found, mutant{x.next, x.file, from.Line, string(code), change})
	return fmt.Sprintf("mutant(%d)", x.next)
}

// changes lists what may become of a node.
func (x *mutator) changes(c *astutil.Cursor) []string {
	switch n := c.Node().(type) {
	case ast.Expr:
		if _, inIf := c.Parent().(*ast.IfStmt); inIf && x.info.Types[n].Value == nil {
			return append([]string{"false", "true"}, x.expression(n)...)
		}
		if _, inCase := c.Parent().(*ast.CaseClause); inCase && x.isBool(n) {
			return append([]string{"false", "true"}, x.expression(n)...)
		}
		return x.expression(n)
	case *ast.ExprStmt, *ast.IncDecStmt:
		return x.statement(c)
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return x.statement(c)
		}
	case *ast.BranchStmt:
		if n.Tok == token.CONTINUE {
			return x.statement(c)
		}
	}
	return nil
}

// statement says that a statement in a list may be left out.
func (x *mutator) statement(c *astutil.Cursor) []string {
	if c.Index() < 0 {
		return nil
	}
	return []string{"left out"}
}

var others = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.ADD: token.SUB, token.SUB: token.ADD,
}

// expression says how an expression may change.
func (x *mutator) expression(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return []string{"without !"}
		}
	case *ast.BasicLit:
		if v := x.info.Types[e]; e.Kind == token.INT && isInt(v.Type) {
			return []string{other(e.Value)}
		}
	case *ast.Ident:
		if v := x.info.Types[e]; v.Value != nil && (e.Name == "true" || e.Name == "false") {
			return []string{"!" + e.Name}
		}
	case *ast.BinaryExpr:
		if x.info.Types[e].Value != nil {
			return nil
		}
		switch e.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
			return []string{"with " + others[e.Op].String()}
		case token.LAND, token.LOR:
			return []string{"the left side alone", "the right side alone"}
		case token.ADD, token.SUB:
			if isInt(x.info.Types[e].Type) {
				return []string{"with " + others[e.Op].String()}
			}
		}
	}
	return nil
}

func (x *mutator) isBool(e ast.Expr) bool {
	v := x.info.Types[e]
	b, ok := v.Type.(*types.Basic)
	return v.Value == nil && ok && b.Info()&types.IsBoolean != 0
}

func isInt(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.Int
}

// other returns the number that a mutant has instead.
func other(number string) string {
	n, err := strconv.Atoi(number)
	if err != nil || n == 1 {
		return "0"
	}
	return strconv.Itoa(n + 1)
}

// replace replaces a node by one that does the same unless one of its mutants is on.
func (x *mutator) replace(c *astutil.Cursor, on []string) {
	switch n := c.Node().(type) {
	case ast.Expr:
		var e ast.Expr = n
		if own := len(x.expression(n)); own > 0 {
			e = switched(n, on[len(on)-own:])
			on = on[:len(on)-own]
		}
		if len(on) == 2 { // of a condition: never, always
			e = and(&ast.UnaryExpr{Op: token.NOT, X: name(on[0])}, or(name(on[1]), e))
		}
		c.Replace(e)
	case ast.Stmt:
		c.Replace(&ast.IfStmt{
			Cond: &ast.UnaryExpr{Op: token.NOT, X: name(on[0])}, Body: &ast.BlockStmt{List: []ast.Stmt{n}},
		})
	}
}

// switched returns an expression that is another where a switch is on.
func switched(e ast.Expr, on []string) ast.Expr {
	switch e := e.(type) {
	case *ast.UnaryExpr, *ast.Ident:
		return &ast.ParenExpr{X: &ast.BinaryExpr{X: name(on[0]), Op: token.NEQ, Y: e}}
	case *ast.BasicLit:
		return pick(on[0], &ast.BasicLit{Kind: token.INT, Value: other(e.Value)}, e)
	case *ast.BinaryExpr:
		swapped := &ast.BinaryExpr{X: e.X, Op: others[e.Op], Y: e.Y}
		switch e.Op {
		case token.ADD, token.SUB:
			return pick(on[0], swapped, e)
		case token.LAND:
			return and(or(name(on[1]), e.X), or(name(on[0]), e.Y))
		case token.LOR:
			return or(and(&ast.UnaryExpr{Op: token.NOT, X: name(on[1])}, e.X),
				and(&ast.UnaryExpr{Op: token.NOT, X: name(on[0])}, e.Y))
		}
		return or(and(name(on[0]), swapped), and(&ast.UnaryExpr{Op: token.NOT, X: name(on[0])}, e))
	}
	panic(fmt.Sprintf("%T has no mutants", e))
}

func name(text string) ast.Expr { return ast.NewIdent(text) }

func and(a, b ast.Expr) ast.Expr {
	return &ast.ParenExpr{X: &ast.BinaryExpr{X: &ast.ParenExpr{X: a}, Op: token.LAND, Y: &ast.ParenExpr{X: b}}}
}

func or(a, b ast.Expr) ast.Expr {
	return &ast.ParenExpr{X: &ast.BinaryExpr{X: &ast.ParenExpr{X: a}, Op: token.LOR, Y: &ast.ParenExpr{X: b}}}
}

// pick returns an expression for an int that is computed only where it is needed.
func pick(on string, mutated, original ast.Expr) ast.Expr {
	returns := func(e ast.Expr) ast.Stmt { return &ast.ReturnStmt{Results: []ast.Expr{e}} }
	return &ast.CallExpr{Fun: &ast.FuncLit{
		Type: &ast.FuncType{Params: &ast.FieldList{}, Results: &ast.FieldList{List: []*ast.Field{{Type: name("int")}}}},
		Body: &ast.BlockStmt{List: []ast.Stmt{
			&ast.IfStmt{Cond: name(on), Body: &ast.BlockStmt{List: []ast.Stmt{returns(mutated)}}}, returns(original),
		}},
	}}
}
