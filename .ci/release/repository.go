package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// directories are those of the modules that require each other, each after those that it requires. People install or
// import all but the last, which has no tag.
var directories = []string{".", "cmd", "karpenter", "adapters"}

// workspaces are the files that let the modules be worked on together.
var workspaces = []string{"go.work", "karpenter/go.work", "adapters/go.work"}

// installing are the files that install the command in the pipelines of others.
var installing = []string{"action.yml", ".pre-commit-hooks.yaml"}

// A repository is a work tree.
type repository struct {
	root    string
	files   []string // that are in git, or would be after git add; slash-separated, from the root
	modules []module
	version string // at which the modules require each other: that of the next release
}

// A module is one of those that require each other.
type module struct {
	dir  string // slash-separated, from the root of the repository
	path string
}

// open reads the repository that the current directory is in.
func open(ctx context.Context) (*repository, error) {
	top, err := run(ctx, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	r := &repository{root: filepath.FromSlash(strings.TrimSpace(top))}
	listed, err := run(ctx, "git", "-C", r.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	r.files = strings.Split(strings.TrimSuffix(listed, "\x00"), "\x00")
	r.files = slices.DeleteFunc(r.files, func(name string) bool { // what is deleted, and not yet in git
		_, err := os.Lstat(r.file(name))
		return err != nil
	})
	slices.Sort(r.files)
	r.files = slices.Compact(r.files)
	for _, dir := range directories {
		text, err := os.ReadFile(r.file(dir + "/go.mod"))
		if err != nil {
			return nil, err
		}
		r.modules = append(r.modules, module{dir, modfile.ModulePath(text)})
	}
	r.version, err = r.readVersion()
	return r, err
}

// file returns the path of a file.
func (r *repository) file(name string) string { return filepath.Join(r.root, filepath.FromSlash(name)) }

// readVersion returns the one version that is written wherever the modules require each other.
func (r *repository) readVersion() (version string, err error) {
	for _, m := range r.modules {
		f, err := r.readMod(m)
		if err != nil {
			return "", err
		}
		for _, required := range f.Require {
			switch v := required.Mod.Version; {
			case !r.publishes(required.Mod.Path):
			case version == "":
				version = v
			case v != version:
				return "", fmt.Errorf("%s/go.mod requires %s, and others %s: run release begin VERSION",
					m.dir, required.Mod, version)
			}
		}
	}
	return version, checkVersion(version)
}

// publishes reports whether a module is one of the repository's.
func (r *repository) publishes(path string) bool {
	return slices.ContainsFunc(r.modules, func(m module) bool { return m.path == path })
}

func (r *repository) readMod(m module) (*modfile.File, error) {
	name := r.file(m.dir + "/go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, text, nil)
}

// checkVersion returns an error unless it is one such as v0.1.0.
func checkVersion(version string) error {
	if !semver.IsValid(version) || semver.Canonical(version) != version || semver.Major(version) > "v1" {
		return fmt.Errorf("%q is not a version of these modules: write one such as v0.1.0 or v0.2.0-rc.1", version)
	}
	return nil
}
