package main

import (
	"errors"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/packages"
)

// load loads the packages of a module from source.
func load(root, module string) ([]*packages.Package, error) {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
		packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo
	loaded, err := packages.Load(&packages.Config{
		Mode: mode, Dir: filepath.Join(root, module), Env: append(os.Environ(), "GOTOOLCHAIN=auto"),
	}, "./...")
	if err != nil {
		return nil, err
	}
	for _, p := range loaded {
		for _, e := range p.Errors {
			return nil, errors.New(e.Error())
		}
	}
	return loaded, nil
}

// findUses notes which names of the root module's public packages the packages of a module use. Of the root module,
// those are only the public ones; what their tests use does not count.
func findUses(root, module string, used map[string]bool) error {
	loaded, err := load(root, module)
	if err != nil {
		return err
	}
	for _, p := range loaded {
		if module == "." && internal(p.PkgPath) {
			continue
		}
		for _, o := range p.TypesInfo.Uses {
			note(used, p, o, nil)
		}
		for _, s := range p.TypesInfo.Selections {
			note(used, p, s.Obj(), s.Recv())
		}
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				if lit, ok := n.(*ast.CompositeLit); ok {
					noteLiteral(used, p, lit)
				}
				return true
			})
		}
	}
	return nil
}

// note notes the use of a name by another package than its own.
func note(used map[string]bool, p *packages.Package, o types.Object, receiver types.Type) {
	if o == nil || o.Pkg() == nil || o.Pkg().Path() == p.PkgPath || !public(o.Pkg().Path()) || !o.Exported() {
		return
	}
	if t := owner(o, receiver); t != nil {
		used[keyOf(o, t)], used[keyOf(t, nil)] = true, true // also a type that is not named
		return
	}
	used[keyOf(o, nil)] = true
}

// owner returns the type that a field or a method belongs to, or nil.
func owner(o types.Object, receiver types.Type) *types.TypeName {
	switch o := o.(type) {
	case *types.Func:
		if r := o.Signature().Recv(); r != nil {
			return named(r.Type())
		}
	case *types.Var:
		if o.IsField() && receiver != nil {
			return fieldOwner(o, named(receiver))
		}
	}
	return nil
}

// fieldOwner returns the type that declares a field that another type has, perhaps by embedding.
func fieldOwner(field *types.Var, t *types.TypeName) *types.TypeName {
	if t == nil {
		return nil
	}
	s, ok := t.Type().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for f := range s.Fields() {
		if f.Origin() == field.Origin() {
			return t
		}
		if f.Embedded() {
			if of := fieldOwner(field, named(f.Type())); of != nil {
				return of
			}
		}
	}
	return nil
}

// noteLiteral notes the fields that a composite literal sets. Without keys, it sets all.
func noteLiteral(used map[string]bool, p *packages.Package, lit *ast.CompositeLit) {
	t := named(p.TypesInfo.TypeOf(lit))
	if t == nil || t.Pkg() == nil || t.Pkg().Path() == p.PkgPath || !public(t.Pkg().Path()) {
		return
	}
	s, ok := t.Type().Underlying().(*types.Struct)
	if !ok {
		return
	}
	if len(lit.Elts) > 0 {
		if _, keyed := lit.Elts[0].(*ast.KeyValueExpr); !keyed {
			for f := range s.Fields() {
				used[keyOf(f, t)] = true
			}
			return
		}
	}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				used[keyOf(t, nil)+"."+id.Name] = true
			}
		}
	}
}

func named(t types.Type) *types.TypeName {
	for {
		switch of := types.Unalias(t).(type) {
		case *types.Pointer:
			t = of.Elem()
		case *types.Named:
			return of.Obj()
		default:
			return nil
		}
	}
}
