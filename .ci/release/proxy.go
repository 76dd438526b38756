package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	mod "golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// A packing is the modules as they are now, at a version.
type packing struct {
	*repository
	version string
}

// now returns a packing at a version of its own: modules with other files have another, so that no module cache takes
// them for these. It precedes the version that is worked on.
func (r *repository) now() (packing, error) {
	sum := sha256.New()
	for _, m := range r.modules {
		for _, f := range r.filesOf(m) {
			content, err := f.Open()
			if err != nil {
				return packing{}, err
			}
			fmt.Fprintln(sum, m.path, f.Path())
			_, err = io.Copy(sum, content)
			if err = errors.Join(err, content.Close()); err != nil {
				return packing{}, err
			}
		}
	}
	before := "-0"
	if semver.Prerelease(r.version) != "" {
		before = ".0"
	}
	return packing{r, fmt.Sprintf("%s%s.h%x", r.version, before, sum.Sum(nil)[:6])}, nil
}

// write writes the modules into a directory that serves as a module proxy: GOPROXY=file://DIR.
func (p packing) write(dir string) error {
	for _, m := range p.modules {
		if err := p.writeModule(dir, m); err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
	}
	return nil
}

func (p packing) writeModule(dir string, m module) error {
	at, err := p.at(dir, m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	text, err := p.goMod(m)
	if err != nil {
		return err
	}
	files := p.filesOf(m)
	for i, f := range files {
		if f.Path() == "go.mod" {
			files[i] = changed{f, text}
		}
	}
	var zipped bytes.Buffer
	if err := zip.Create(&zipped, mod.Version{Path: m.path, Version: p.version}, files); err != nil {
		return err
	}
	info := fmt.Appendf(nil, "{\"Version\":%q}\n", p.version)
	return errors.Join(
		os.WriteFile(filepath.Join(filepath.Dir(at), "list"), []byte(p.version+"\n"), 0o644),
		os.WriteFile(at+".info", info, 0o644),
		os.WriteFile(at+".mod", text, 0o644),
		os.WriteFile(at+".zip", zipped.Bytes(), 0o644),
	)
}

// at returns the path of a module's files in a proxy, without what tells them apart.
func (p packing) at(dir string, m module) (string, error) {
	escaped, err := mod.EscapePath(m.path)
	return filepath.Join(dir, filepath.FromSlash(escaped), "@v", p.version), err
}

// goMod returns the go.mod of a module, in which the modules are required at the version of the packing.
func (p packing) goMod(m module) ([]byte, error) {
	f, err := p.readMod(m)
	if err != nil {
		return nil, err
	}
	for _, q := range slices.Clone(f.Require) {
		if p.publishes(q.Mod.Path) {
			if err := f.AddRequire(q.Mod.Path, p.version); err != nil {
				return nil, err
			}
		}
	}
	return f.Format()
}

// sums returns the lines of go.sum for a module.
func (p packing) sums(m module) (string, error) {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := p.writeModule(dir, m); err != nil {
		return "", err
	}
	return p.sumsIn(dir, m)
}

// sumsIn returns them for a module that a directory serves.
func (p packing) sumsIn(dir string, m module) (string, error) {
	at, err := p.at(dir, m)
	if err != nil {
		return "", err
	}
	ofZip, err := dirhash.HashZip(at+".zip", dirhash.Hash1)
	if err != nil {
		return "", err
	}
	ofMod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return os.Open(at + ".mod") })
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s %s\n%[1]s %[2]s/go.mod %[4]s\n", m.path, p.version, ofZip, ofMod), nil
}

// A packed is a file of a module.
type packed struct{ name, at string }

func (f packed) Path() string                 { return f.name }
func (f packed) Lstat() (os.FileInfo, error)  { return os.Lstat(f.at) }
func (f packed) Open() (io.ReadCloser, error) { return os.Open(f.at) }

// A changed is a file with another content.
type changed struct {
	zip.File
	content []byte
}

func (f changed) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.content)), nil }
func (f changed) Lstat() (os.FileInfo, error) {
	info, err := f.File.Lstat()
	return sized{info, int64(len(f.content))}, err
}

type sized struct {
	os.FileInfo
	size int64
}

func (s sized) Size() int64 { return s.size }

// filesOf returns the files of a directory. Those of modules within are not in the module, and package zip knows.
func (r *repository) filesOf(m module) (files []zip.File) {
	for _, name := range r.files {
		if within, ok := strings.CutPrefix(name, m.dir+"/"); ok {
			files = append(files, packed{within, r.file(name)})
		} else if m.dir == "." {
			files = append(files, packed{name, r.file(name)})
		}
	}
	return files
}
