package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// command is what people install, and completion what kubectl runs to complete its arguments.
const (
	command    = "kubectl-disruption"
	completion = "kubectl_complete-disruption"
)

// library is a program of somebody who imports the library.
//
//go:embed testdata/library.go.txt
var library string

// check installs and imports what a proxy would serve, as users do.
func (r *repository) check(ctx context.Context) (err error) {
	box, err := r.sandbox(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.remove()) }()
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"go install " + box.modules[1].path + "/" + command + "@" + box.version, box.checkInstall},
		{"go get " + box.modules[0].path + "@" + box.version, box.checkLibrary},
		{"go get " + box.modules[2].path + "@" + box.version, box.checkGuard},
	} {
		start := time.Now()
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		fmt.Printf("ok  %s  %.1fs\n", step.name, time.Since(start).Seconds())
	}
	return nil
}

// checkInstall installs the command, and runs it.
func (s sandbox) checkInstall(ctx context.Context) error {
	if _, err := s.goAt(ctx, s.dir, "install", s.modules[1].path+"/"+command+"@"+s.version); err != nil {
		return err
	}
	out, err := run(ctx, filepath.Join(s.dir, "bin", command), "version")
	if err == nil && !strings.Contains(out, s.version) {
		err = fmt.Errorf("%s version does not name %s, but prints:\n%s", command, s.version, out)
	}
	return err
}

// checkLibrary runs a program that imports the library.
func (s sandbox) checkLibrary(ctx context.Context) error {
	dir, err := s.program(ctx, "library", library, s.modules[0])
	if err != nil {
		return err
	}
	out, err := s.goAt(ctx, dir, "run", ".")
	if err == nil && out != "drain a\n" {
		err = fmt.Errorf("the program prints %q", out)
	}
	return err
}

// checkGuard builds a Karpenter with the guard in it: the example of its documentation.
func (s sandbox) checkGuard(ctx context.Context) error {
	example, err := os.ReadFile(s.file("karpenter/example_test.go"))
	if err != nil {
		return err
	}
	text := strings.NewReplacer("package karpenter_test", "package main", "func ExampleControllers()", "func main()").
		Replace(string(example))
	dir, err := s.program(ctx, "guard", text, s.modules[2])
	if err != nil {
		return err
	}
	_, err = s.goAt(ctx, dir, "build", "./...") // it links nothing: that takes long, and says nothing more
	return err
}
