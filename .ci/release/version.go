package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	mod "golang.org/x/mod/module"
)

// setVersion lets the modules require each other at a version. With checksums it is what can be tagged: the checksum of
// a module does not depend on what requires it, so that all of them can be of one commit.
func (r *repository) setVersion(version string, checksums bool) error {
	if err := checkVersion(version); err != nil {
		return err
	}
	old := r.version
	r.version = version
	for _, name := range workspaces {
		if err := r.setWorkspace(name, old); err != nil {
			return err
		}
	}
	for _, name := range installing {
		if err := r.setInstalled(name, old); err != nil {
			return err
		}
	}
	sums := ""
	for _, m := range r.modules { // each after those that it requires, and whose checksums it has
		if err := r.setModule(m, checksums, sums); err != nil {
			return err
		}
		if checksums {
			of, err := packing{r, version}.sums(m)
			if err != nil {
				return err
			}
			sums += of
		}
	}
	return nil
}

func (r *repository) setModule(m module, checksums bool, sums string) error {
	f, err := r.readMod(m)
	if err != nil {
		return err
	}
	required := ""
	for _, q := range f.Require {
		for line := range strings.Lines(sums) {
			if strings.HasPrefix(line, q.Mod.Path+" ") {
				required += line
			}
		}
	}
	text, err := packing{r, r.version}.goMod(m)
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.Syntax.Name, text, 0o644); err != nil {
		return err
	}
	name := r.file(m.dir + "/go.sum")
	sum, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(joinSums(r.withoutOwn(string(sum)), required)), 0o644)
}

// withoutOwn returns a go.sum without the modules of this repository, and ownSums what that leaves out.
func (r *repository) withoutOwn(sum string) string { return r.linesOf(sum, false) }
func (r *repository) ownSums(sum string) string    { return r.linesOf(sum, true) }

func (r *repository) linesOf(sum string, own bool) (lines string) {
	for line := range strings.Lines(sum) {
		if path, _, _ := strings.Cut(line, " "); r.publishes(path) == own {
			lines += line
		}
	}
	return lines
}

// joinSums returns a go.sum in the order in which the go command writes it.
func joinSums(sums ...string) string {
	var order []mod.Version
	lines := map[mod.Version]string{}
	for line := range strings.Lines(strings.Join(sums, "")) {
		fields := strings.Fields(line)
		id := mod.Version{Path: fields[0], Version: fields[1]}
		order = append(order, id)
		lines[id] = line
	}
	mod.Sort(order)
	joined := ""
	for _, id := range order {
		joined += lines[id]
	}
	return joined
}

// setInstalled lets a file install the new version of the command.
func (r *repository) setInstalled(name, old string) error {
	text, err := os.ReadFile(r.file(name))
	if err != nil {
		return err
	}
	before, after := command+"@"+old, command+"@"+r.version
	if !strings.Contains(string(text), before) {
		return fmt.Errorf("%s does not install %s", name, before)
	}
	return os.WriteFile(r.file(name), []byte(strings.ReplaceAll(string(text), before, after)), 0o644)
}

// setWorkspace lets a workspace replace the new version. The go command wants to see the go.mod of what modules
// require, also where the workspace has the module itself, and the version is not published yet.
func (r *repository) setWorkspace(name, old string) error {
	text, err := os.ReadFile(r.file(name))
	if err != nil {
		return err
	}
	f, err := modfile.ParseWork(name, text, nil)
	if err != nil {
		return err
	}
	for _, replaced := range slices.Clone(f.Replace) {
		path, dir := replaced.Old.Path, replaced.New.Path // DropReplace empties it
		if replaced.Old.Version != old || !r.publishes(path) {
			return fmt.Errorf("%s replaces %s, and the modules require %s", name, replaced.Old, old)
		}
		if err := errors.Join(f.DropReplace(path, old), f.AddReplace(path, r.version, dir, "")); err != nil {
			return err
		}
	}
	f.Cleanup()
	return os.WriteFile(r.file(name), modfile.Format(f.Syntax), 0o644)
}
