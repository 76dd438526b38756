//go:build ignore

// Command exports fails if an exported name of the root module's public packages has no user: go run .ci/exports.go
//
// A user is another package that people import or run: another public package of the root module, an example, or a
// package of the modules cmd, karpenter and adapters. The package itself, internal packages and tests are no users.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const root = "github.com/disruptkit/disruptkit"

// exceptions have no user, for a reason. There are 20 at most.
var exceptions = map[string]string{
	"plan.Model.Every":              "for autoscalers that decide at other intervals",
	"plan.Model.Batched":            "for models of what is proposed for Karpenter",
	"probe/httpget.Spec.Timeout":    "for callers with an HTTP client of their own",
	"probe/httpget.Spec.URL":        "for callers with an HTTP client of their own",
	"schedule.Window.Parts":         "for recordings",
	"plan.Draw.Seed":                "for a look at one draw: Run plans it again",
	"plan.Change.Budgets":           "for whoever writes the budgets that Needed finds",
	"plan.Model.Full":               "for models that know what pods request",
	"plan.WithBudget":               "for what-if questions, as ExampleCompare asks one",
	"plan.WithoutBudget":            "likewise",
	"plan.Model.Room":               "for models that know what pods request",
	"plan.Options.Decisions":        "for callers whose time is bounded",
	"probe/httpget.Response.Body":   "for callers with an HTTP client of their own",
	"probe/httpget.Response.Status": "for callers with an HTTP client of their own",
}

func main() {
	names, used := map[string]string{}, map[string]bool{}
	for _, module := range []string{".", "cmd", "karpenter", "adapters"} {
		if err := look(module, names, used); err != nil {
			fmt.Fprintln(os.Stderr, "exports:", err)
			os.Exit(1)
		}
	}
	failed := len(exceptions) > 20
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if _, excepted := exceptions[name]; !used[name] && !excepted {
			fmt.Printf("%s: %s has no user outside of its package and its tests\n", names[name], name)
			failed = true
		}
	}
	for name := range exceptions {
		if _, exists := names[name]; !exists || used[name] {
			fmt.Printf("%s needs no exception any more: it is gone, or has a user\n", name)
		}
	}
	fmt.Printf("%d exported names, fields included; %d exceptions\n", len(names), len(exceptions))
	if failed {
		os.Exit(1)
	}
}

// A listed is a package as go list prints it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// look type-checks the packages of a module. It notes the names of the public packages, and which of them others use.
func look(module string, names map[string]string, used map[string]bool) error {
	list := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,DepOnly", "./...")
	list.Dir, list.Stderr = module, os.Stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list in %s: %w", module, err)
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	exports, files := map[string]string{}, token.NewFileSet()
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p listed
		if err := decoder.Decode(&p); err != nil {
			return err
		}
		exports[p.ImportPath] = p.Export
		packages = append(packages, p)
	}
	compiled := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	// A package that is checked has objects of its own: if it refers to one of a compiled package, that is another's.
	referred := map[types.Object]bool{}
	for _, p := range packages {
		if p.DepOnly || module == "." && internal(p.ImportPath) {
			continue
		}
		if err := check(p, files, compiled, referred); err != nil {
			return err
		}
	}
	for _, p := range packages {
		if !public(p.ImportPath) {
			continue
		}
		of, err := compiled.Import(p.ImportPath)
		if err != nil {
			return err
		}
		file := func(o types.Object) string { return files.Position(o.Pos()).Filename }
		note(of, file, func(name string, o types.Object, by []types.Object) {
			at := files.Position(o.Pos())
			names[name] = fmt.Sprintf("%s:%d", strings.TrimPrefix(at.Filename, here+"/"), at.Line)
			used[name] = used[name] || slices.ContainsFunc(by, func(o types.Object) bool { return referred[o] })
		})
	}
	return nil
}

// check type-checks a package and notes what it refers to.
func check(p listed, files *token.FileSet, compiled types.Importer, referred map[types.Object]bool) error {
	var syntax []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		syntax = append(syntax, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	if _, err := (&types.Config{Importer: compiled}).Check(p.ImportPath, files, syntax, &info); err != nil {
		return err
	}
	for _, o := range info.Uses {
		switch of := o.(type) {
		case *types.Func:
			o = of.Origin()
		case *types.Var:
			o = of.Origin()
		}
		referred[o] = true
	}
	return nil
}

// note calls a function for each exported name of a package, with the objects by which it has a user: a type also by
// its members, and by the structs that have it in a field; a constant also by those of its type in the same file.
func note(
	p *types.Package, file func(types.Object) string, each func(name string, o types.Object, by []types.Object),
) {
	prefix := strings.TrimPrefix(strings.TrimPrefix(p.Path(), root), "/")
	if prefix == "" {
		prefix = "disruptkit"
	}
	for _, id := range p.Scope().Names() {
		o := p.Scope().Lookup(id)
		if !o.Exported() {
			continue
		}
		by := []types.Object{o}
		switch t, named := types.Unalias(o.Type()).(*types.Named); o.(type) {
		case *types.Const:
			for _, other := range p.Scope().Names() {
				if c, is := p.Scope().Lookup(other).(*types.Const); is && file(c) == file(o) && c.Type() == o.Type() {
					by = append(by, c)
				}
			}
		case *types.TypeName:
			if named && t.Obj() == o {
				for _, m := range members(t) {
					by = append(by, m)
					each(prefix+"."+id+"."+m.Name(), m, []types.Object{m})
				}
				by = append(by, holders(p, t)...)
			}
		}
		each(prefix+"."+id, o, by)
	}
}

// holders returns the exported structs of a package that have a type in an exported field.
func holders(p *types.Package, t *types.Named) (all []types.Object) {
	for _, id := range p.Scope().Names() {
		o, is := p.Scope().Lookup(id).(*types.TypeName)
		if !is || !o.Exported() {
			continue
		}
		s, is := o.Type().Underlying().(*types.Struct)
		for i := 0; is && i < s.NumFields(); i++ {
			of := s.Field(i).Type()
			if list, is := of.(*types.Slice); is {
				of = list.Elem()
			}
			if s.Field(i).Exported() && types.Identical(of, t) {
				all = append(all, o)
			}
		}
	}
	return all
}

// implied are methods that the standard library calls.
var implied = []string{
	"String", "Error", "Is", "Unwrap", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText",
	"IsZero", "LogValue", "Format", "GoString",
}

// members returns the exported methods and fields of a type, without the fields that people write as JSON.
func members(t *types.Named) (all []types.Object) {
	for m := range t.Methods() {
		if m.Exported() && !slices.Contains(implied, m.Name()) {
			all = append(all, m)
		}
	}
	s, ok := t.Underlying().(*types.Struct)
	for i := 0; ok && i < s.NumFields(); i++ {
		if f := s.Field(i); f.Exported() && !f.Embedded() && !strings.Contains(s.Tag(i), "json:") {
			all = append(all, f)
		}
	}
	return all
}

// public reports whether people can import a package of the root module.
func public(path string) bool {
	for _, other := range []string{"cmd", "karpenter", "adapters", "examples", "fuzz"} {
		if strings.HasPrefix(path+"/", root+"/"+other+"/") {
			return false
		}
	}
	return strings.HasPrefix(path+"/", root+"/") && !internal(path)
}

func internal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }
