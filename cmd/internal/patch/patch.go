// Package patch has what commands share that change objects of the cluster: they read them, show what they will write, ask, and write it.
package patch

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// Flags are the flags of such a command.
type Flags struct {
	File     string // -f; "": the cluster
	yes, dry bool
	as       engine.Engine
	set      *pflag.FlagSet
}

// Add adds the flags. What names the objects that -f reads.
func (f *Flags) Add(to *pflag.FlagSet, what string) {
	f.set = to
	command.FileVarP(to, &f.File, "filename", "f", "read the "+what+" of this `file`, and print the commands that would change them; - is standard input")
	to.BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	to.BoolVar(&f.dry, "dry-run", false, "change nothing: print the commands")
	f.as.Flag(to)
}

// Engine returns the engine that runs a NodePool with some annotations, and why: as --engine says, or as they do.
func (f *Flags) Engine(annotations map[string]string) (e engine.Engine, why string) {
	if f.Given() {
		return f.as, "as --engine says"
	}
	e, name := engine.Detect(annotations)
	if name == "" {
		return e, "as it has no annotation of the guard or the steward"
	}
	return e, "as it has the annotation " + name
}

// Given reports whether --engine says which engine runs the NodePools.
func (f *Flags) Given() bool { return f.set != nil && f.set.Changed("engine") }

// Read reads objects of some kinds from the cluster, or all from the file: each item of a list, and each document.
func Read[T any](f *Flags, env command.Environment, kinds string) (objects []T, err error) {
	var in io.ReadCloser
	if f.File != "" {
		in, err = manifest.Open(f.File, env.Stdin)
	} else {
		in, err = env.Cluster(kinds)
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	for _, document := range strings.Split("\n"+string(text), "\n---") {
		plain := []byte(document)
		if !json.Valid(plain) { // reading JSON as YAML takes ten times as long
			if plain, err = yaml.YAMLToJSON(plain); err != nil {
				return nil, fmt.Errorf("not YAML or JSON: %w", err)
			}
		}
		var list struct{ Items []T }
		var object T
		for _, target := range []any{&list, &object} {
			if err := json.Unmarshal(plain, target); err != nil {
				return nil, fmt.Errorf("the objects cannot be read: %w", err)
			}
		}
		objects = append(append(objects, list.Items...), object)
	}
	return objects, nil
}

// A Write is a merge patch of an object.
type Write struct {
	Object  string // such as nodepool/web
	Patch   string
	Command string // the command that writes it
}

// Apply prints the commands that would write, or writes, once the user agrees.
func (f *Flags) Apply(ctx context.Context, env command.Environment, writes []Write) (status int, err error) {
	if f.dry || f.File != "" {
		for _, w := range writes {
			fmt.Fprintln(env.Stdout, w.Command)
		}
		return command.Good, nil
	}
	objects := wording.Count(len(writes), "object")
	if len(writes) > 0 && !f.yes {
		if err := env.Agreed(fmt.Sprintf("Write this to %s? [y/N] ", objects)); err != nil {
			return command.Hopeless, err
		}
	}
	for i, w := range writes {
		if err := env.Patch(ctx, w.Object, w.Patch); err != nil {
			return command.Hopeless, fmt.Errorf("%d of %s written: %w", i, objects, err)
		}
		fmt.Fprintf(env.Stdout, "%s: written\n", w.Object)
	}
	return command.Good, nil
}
