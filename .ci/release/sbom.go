package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// sbomTool writes the modules of a program as CycloneDX: the bill of materials of an archive.
const sbomTool = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"

// sbomOf returns the file with the bill of materials of an archive. The workflow "release" knows this name.
func sbomOf(archive string) string { return archive + ".cdx.json" }

// writeSBOM writes which modules are in the command, at which versions, and the Go that built it. Without time and
// serial number it is the same for the same command. The other programs may have no module that the command has not.
func (s sandbox) writeSBOM(ctx context.Context, a archive, entries []entry, file string) (err error) {
	dir, err := os.MkdirTemp(s.dir, "sbom")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var of [][]string
	for _, e := range entries {
		name := filepath.Join(dir, e.name)
		if err := os.WriteFile(name, e.content, 0o755); err != nil {
			return err
		}
		modules, err := modulesOf(name)
		if err != nil {
			return err
		}
		of = append(of, modules)
	}
	if err := covered(a.Programs, of); err != nil {
		return err
	}
	env := append(s.env[:len(s.env):len(s.env)], "GOFLAGS=", "GOMODCACHE="+s.modCache)
	_, err = runGo(ctx, s.dir, env, "run", sbomTool, "bin", "-json", "-std", "-noserial", "-notimestamp",
		"-version", s.version, "-output", file, filepath.Join(dir, a.Programs[0]))
	return err
}

// modulesOf returns the modules in a program, each with its version.
func modulesOf(program string) ([]string, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	modules := []string{info.Main.Path + "@" + info.Main.Version}
	for _, m := range info.Deps {
		modules = append(modules, m.Path+"@"+m.Version)
	}
	return modules, nil
}

// covered returns an error if a program has a module that the first has not.
func covered(programs []string, modules [][]string) error {
	for i, of := range modules {
		for _, m := range of {
			if !slices.Contains(modules[0], m) {
				return fmt.Errorf("%s has %s, which is not in %s, and so not in the bill of materials",
					programs[i], m, programs[0])
			}
		}
	}
	return nil
}
