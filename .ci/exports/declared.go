package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const path = "github.com/disruptkit/disruptkit"

// A name is an exported name of a public package.
type name struct {
	key      string // such as budget.Set.Describe
	position string
	excepted bool     // its doc comment says why it is exported
	together []string // the constants that are declared with it: who uses one of them may meet the others
}

// used reports whether some package uses the name.
func (n name) used(by map[string]bool) bool {
	return by[n.key] || slices.ContainsFunc(n.together, func(key string) bool { return by[key] })
}

// declared returns the exported names of the public packages of the root module: of packages, methods and fields.
func declared(root string) ([]name, error) {
	loaded, err := load(root, ".")
	if err != nil {
		return nil, err
	}
	var all []name
	for _, p := range loaded {
		if !public(p.PkgPath) || p.Name == "main" {
			continue
		}
		docs, groups := docsOf(p), constants(p)
		add := func(o types.Object, key string) {
			at := p.Fset.Position(o.Pos())
			file, err := filepath.Rel(root, at.Filename)
			if err != nil {
				file = at.Filename
			}
			all = append(all, name{
				key: key, position: fmt.Sprintf("%s:%d", file, at.Line),
				excepted: strings.Contains(docs[o.Pos()], "Exported for"), together: groups[o.Pos()],
			})
		}
		for _, id := range p.Types.Scope().Names() {
			o := p.Types.Scope().Lookup(id)
			if !o.Exported() {
				continue
			}
			add(o, keyOf(o, nil))
			if t, ok := o.(*types.TypeName); ok && !t.IsAlias() {
				for member := range members(t.Type().(*types.Named)) {
					add(member, keyOf(member, t))
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b name) int { return cmp.Compare(a.key, b.key) })
	return all, nil
}

// members yields the exported methods and fields of a type. Methods that callers use without naming them do not count.
func members(t *types.Named) func(func(types.Object) bool) {
	return func(yield func(types.Object) bool) {
		for m := range t.Methods() {
			if m.Exported() && !implied(m.Name()) && !yield(m) {
				return
			}
		}
		s, ok := t.Underlying().(*types.Struct)
		for i := 0; ok && i < s.NumFields(); i++ {
			f, written := s.Field(i), strings.Contains(s.Tag(i), "json:") // people write it
			if f.Exported() && !f.Embedded() && !written && !yield(f) {
				return
			}
		}
	}
}

// implied reports whether a method implements an interface of the standard library.
func implied(method string) bool {
	switch method {
	case "String", "Error", "Is", "Unwrap",
		"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "MarshalYAML", "UnmarshalYAML",
		"IsZero", "LogValue", "Format", "GoString":
		return true
	}
	return false
}

// keyOf returns how a name is called, with the type that it belongs to.
func keyOf(o types.Object, of *types.TypeName) string {
	pkg := strings.TrimPrefix(strings.TrimPrefix(o.Pkg().Path(), path), "/")
	if pkg == "" {
		pkg = "disruptkit"
	}
	if of != nil {
		return pkg + "." + of.Name() + "." + o.Name()
	}
	return pkg + "." + o.Name()
}

// public reports whether people can import a package of the root module.
func public(pkg string) bool {
	return pkg == path || strings.HasPrefix(pkg, path+"/") && !internal(pkg) && !strings.HasPrefix(pkg, path+"/fuzz")
}

func internal(pkg string) bool { return slices.Contains(strings.Split(pkg, "/"), "internal") }

// docsOf returns the doc comments of a package, by the position of the name.
func docsOf(p *packages.Package) map[token.Pos]string {
	docs := map[token.Pos]string{}
	for _, f := range p.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				docs[n.Name.Pos()] = n.Doc.Text()
			case *ast.GenDecl:
				for _, s := range n.Specs {
					noteSpec(docs, s, n.Doc.Text())
				}
			case *ast.Field:
				for _, id := range n.Names {
					docs[id.Pos()] = n.Doc.Text() + n.Comment.Text()
				}
			}
			return true
		})
	}
	return docs
}

// constants returns the keys of constants that are declared together, by the position of each.
func constants(p *packages.Package) map[token.Pos][]string {
	groups := map[token.Pos][]string{}
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			var at []token.Pos
			var keys []string
			for _, s := range decl.Specs {
				for _, id := range s.(*ast.ValueSpec).Names {
					at, keys = append(at, id.Pos()), append(keys, keyOf(p.TypesInfo.Defs[id], nil))
				}
			}
			for _, pos := range at {
				groups[pos] = keys
			}
		}
	}
	return groups
}

func noteSpec(docs map[token.Pos]string, s ast.Spec, doc string) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		docs[s.Name.Pos()] = doc + s.Doc.Text() + s.Comment.Text()
	case *ast.ValueSpec:
		for _, id := range s.Names {
			docs[id.Pos()] = doc + s.Doc.Text() + s.Comment.Text()
		}
	}
}
