package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A sandbox is where the go command gets the modules from a proxy that serves them as they are now. It uses the module
// cache and the build cache of the user, so that nothing else need be fetched or built again.
type sandbox struct {
	packing
	dir      string
	env      []string
	modCache string
}

func (r *repository) sandbox(ctx context.Context) (s sandbox, err error) {
	s.packing, err = r.now()
	if err != nil {
		return s, err
	}
	s.dir, err = os.MkdirTemp("", "release")
	if err != nil {
		return s, err
	}
	known, err := runGo(ctx, s.dir, nil, "env", "GOMODCACHE", "GOPROXY", "GONOSUMDB")
	if err != nil {
		return s, errors.Join(err, s.remove())
	}
	lines := strings.Split(known, "\n")
	s.modCache = lines[0]
	unlisted := slices.DeleteFunc([]string{lines[2], r.modules[0].path}, func(s string) bool { return s == "" })
	s.env = []string{
		"GOWORK=off",
		"GOTOOLCHAIN=auto", // the guard needs Karpenter's Go
		"GOFLAGS=-modcacherw",
		"GONOPROXY=", "GOPROXY=" + fileURL(s.proxy()) + "," + lines[1],
		"GONOSUMDB=" + strings.Join(unlisted, ","), // no checksum database knows what is not published
		"GOBIN=" + filepath.Join(s.dir, "bin"),
	}
	if err := s.write(s.proxy()); err != nil {
		return s, errors.Join(err, s.remove())
	}
	return s, nil
}

// proxy is the directory that serves the modules.
func (s sandbox) proxy() string { return filepath.Join(s.dir, "proxy") }

// remove removes it, and the modules from the cache.
func (s sandbox) remove() error { return errors.Join(os.RemoveAll(s.dir), s.forget()) }

// forget removes the modules from the cache.
func (s sandbox) forget() (err error) {
	for _, m := range s.modules {
		at, escape := s.at(filepath.Join(s.modCache, "cache", "download"), m)
		files, glob := filepath.Glob(at + ".*")
		for _, file := range append(files, filepath.Join(s.modCache, filepath.FromSlash(m.path)+"@"+s.version)) {
			err = errors.Join(err, os.RemoveAll(file))
		}
		err = errors.Join(err, escape, glob)
	}
	return err
}

// goAt runs the go command in a directory of the sandbox.
func (s sandbox) goAt(ctx context.Context, dir string, args ...string) (string, error) {
	return runGo(ctx, dir, s.env, args...)
}

// program writes a program in a fresh module that requires another.
func (s sandbox) program(ctx context.Context, name, text string, required module) (dir string, err error) {
	dir = filepath.Join(s.dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o644); err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"mod", "init", "example.com/" + name},
		{"get", required.path + "@" + s.version},
		{"mod", "tidy"},
	} {
		if _, err := s.goAt(ctx, dir, args...); err != nil {
			return "", err
		}
	}
	return dir, nil
}

func fileURL(dir string) string {
	dir = filepath.ToSlash(dir)
	if !strings.HasPrefix(dir, "/") { // of a drive
		dir = "/" + dir
	}
	return "file://" + dir
}
