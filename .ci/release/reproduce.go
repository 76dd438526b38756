package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// reproduce builds the programs for this platform twice, as archives has them, and compares. The second time, the
// modules are in another directory, and nothing is left of the first build.
func (r *repository) reproduce(ctx context.Context) (err error) {
	box, err := r.sandbox(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.remove()) }()
	other, err := box.elsewhere()
	if err != nil {
		return err
	}
	this := archive{OS: runtime.GOOS, Arch: runtime.GOARCH, Programs: programs(runtime.GOOS)}
	first, err := box.build(ctx, this)
	if err != nil {
		return err
	}
	second, err := other.build(ctx, this)
	if err != nil {
		return err
	}
	for _, e := range first {
		fmt.Printf("%x %s\n", sha256.Sum256(e.content), e.name)
	}
	return same(first, second)
}

// elsewhere returns a sandbox in another directory that has the same modules, and caches of its own.
func (s sandbox) elsewhere() (sandbox, error) {
	other := s
	other.dir = filepath.Join(s.dir, "a", "directory", "elsewhere")
	other.modCache = filepath.Join(other.dir, "modules")
	other.env = append(s.env[:len(s.env):len(s.env)],
		"GOCACHE="+filepath.Join(other.dir, "builds"),
		"GOPROXY="+fileURL(s.proxy())+","+fileURL(filepath.Join(s.modCache, "cache", "download")),
		"GOSUMDB=off") // the first build has checked them
	return other, os.MkdirAll(other.dir, 0o755)
}

// same returns an error that names the first file of two archives that differs.
func same(first, second []entry) error {
	if len(first) != len(second) {
		return fmt.Errorf("built again, there are %d programs, and not %d", len(second), len(first))
	}
	for i, e := range first {
		if again := second[i]; e.name != again.name || e.mode != again.mode || !bytes.Equal(e.content, again.content) {
			return fmt.Errorf("built elsewhere, %s is not the same: does it depend on a path or on the time?", e.name)
		}
	}
	return nil
}
