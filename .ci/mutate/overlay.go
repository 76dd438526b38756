package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/printer"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/disruptkit/disruptkit"

// mutateAll finds the mutants of packages. It writes the mutated files into a directory, with an overlay that puts them
// in place of the packages' own.
func mutateAll(root string, in []string, dir string) (all []mutant, overlay string, err error) {
	replace := map[string]string{}
	paths := make([]string, len(in))
	for i, p := range in {
		paths[i] = "./" + p
	}
	loaded, err := packages.Load(&packages.Config{
		Dir: root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo,
	}, paths...)
	if err != nil {
		return nil, "", err
	}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, "", p.Errors[0]
		}
		found, err := mutatePackage(p, strings.TrimPrefix(p.PkgPath, module+"/"), dir, len(all), replace)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", p.PkgPath, err)
		}
		all = append(all, found...)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return all, overlay, os.WriteFile(overlay, text, 0o600)
}

func mutatePackage(
	p *packages.Package, in, dir string, last int, replace map[string]string,
) (found []mutant, err error) {
	for i, f := range p.Syntax {
		path := p.GoFiles[i]
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		x := &mutator{
			file: in + "/" + filepath.Base(path), text: string(text), info: p.TypesInfo, files: p.Fset,
			next: last + len(found),
		}
		x.mutate(f)
		found = append(found, x.found...)
		f.Comments, f.Doc = nil, nil // they would be printed between the new nodes
		var mutated bytes.Buffer
		if err := printer.Fprint(&mutated, p.Fset, f); err != nil {
			return nil, fmt.Errorf("%s: %w", x.file, err)
		}
		if err := put(dir, path, mutated.Bytes(), replace); err != nil {
			return nil, err
		}
	}
	into := filepath.Join(filepath.Dir(p.GoFiles[0]), "mutant_switch.go")
	return found, put(dir, into, []byte("package "+p.Name+switches), replace)
}

// put puts a text in the place of a file.
func put(dir, path string, text []byte, replace map[string]string) error {
	to := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
	replace[path] = to
	return os.WriteFile(to, text, 0o600)
}

// switches is what each mutated package gets besides. With DISRUPTKIT_MUTANT_TRACE, the mutants that are reached are
// written to that file, and none is on. A switch allocates nothing, since there are tests that count allocations.
const switches = `

import (
	"os"
	"strconv"
	"sync/atomic"
)

var (
	mutantOn, _ = strconv.Atoi(os.Getenv("DISRUPTKIT_MUTANT"))
	mutantTrace = os.Getenv("DISRUPTKIT_MUTANT_TRACE")
	mutantsSeen [1 << 16]atomic.Bool
)

func mutant(number int) bool {
	if mutantTrace == "" {
		return number == mutantOn
	}
	if !mutantsSeen[number].Swap(true) {
		f, err := os.OpenFile(mutantTrace, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		f.WriteString(strconv.Itoa(number) + "\n")
		f.Close()
	}
	return false
}
`
