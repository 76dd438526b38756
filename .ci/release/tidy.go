package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	mod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// errUntidy says that go mod tidy would change something.
var errUntidy = errors.New("not tidy: run go -C .ci/release run . tidy")

// tidy is go mod tidy for modules that require each other at a version that is not published: it gets them from a proxy
// that serves them. Their checksums stay out, as long as work on the version goes on.
func (r *repository) tidy(ctx context.Context, onlyDiff bool) (err error) {
	box, err := r.sandbox(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.remove()) }()
	var untidy error
	for _, m := range r.modules {
		dir := filepath.Join(box.dir, "tidy", filepath.FromSlash(m.dir))
		if err := box.unpack(m, dir); err != nil {
			return err
		}
		if _, err := box.goAt(ctx, dir, "mod", "tidy"); err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
		if err := box.checkSums(m, dir); err != nil {
			return err
		}
		for _, name := range []string{"go.mod", "go.sum"} {
			switch err := box.settle(ctx, m.dir+"/"+name, filepath.Join(dir, name), onlyDiff); {
			case errors.Is(err, errUntidy):
				untidy = err
			case err != nil:
				return err
			}
		}
	}
	return untidy
}

// unpack extracts a module as the proxy serves it.
func (s sandbox) unpack(m module, dir string) error {
	at, err := s.at(s.proxy(), m)
	if err != nil {
		return err
	}
	return zip.Unzip(dir, mod.Version{Path: m.path, Version: s.version}, at+".zip")
}

// checkSums checks that the checksums that prepare writes are those of the go command.
func (s sandbox) checkSums(m module, dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		return err
	}
	f, err := s.readMod(m)
	if err != nil {
		return err
	}
	sums := ""
	for _, q := range f.Require {
		for _, other := range s.modules {
			if other.path == q.Mod.Path {
				of, err := s.sumsIn(s.proxy(), other)
				if err != nil {
					return err
				}
				sums += of
			}
		}
	}
	if want := joinSums(s.withoutOwn(string(text)), sums); string(text) != want {
		return fmt.Errorf("%s: go mod tidy wrote other checksums of this repository's modules than these:\n%s",
			m.path, sums)
	}
	return nil
}

// settle takes over what go mod tidy made of a file, or only says what it would change.
func (s sandbox) settle(ctx context.Context, name, tidied string, onlyDiff bool) error {
	now, err := os.ReadFile(s.file(name))
	if err != nil {
		return err
	}
	text, err := os.ReadFile(tidied)
	if err != nil {
		return err
	}
	want := string(text)
	if filepath.Base(name) == "go.mod" {
		want = strings.ReplaceAll(want, s.version, s.repository.version)
	} else {
		want = joinSums(s.withoutOwn(want), s.ownSums(string(now)))
	}
	if string(now) == want {
		return nil
	}
	if !onlyDiff {
		fmt.Println("tidied", name)
		return os.WriteFile(s.file(name), []byte(want), 0o644)
	}
	if err := os.WriteFile(tidied, []byte(want), 0o644); err != nil {
		return err
	}
	diff := exec.CommandContext(ctx, "git", "diff", "--no-index", "--", s.file(name), tidied)
	diff.Stdout, diff.Stderr = os.Stdout, os.Stderr
	_ = diff.Run() // it fails where there is a difference
	return errUntidy
}
