package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
	"time"
)

// platforms are those that archives are built for.
var platforms = []struct{ OS, Arch string }{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// An archive is one of a platform.
type archive struct {
	OS, Arch string
	Name     string
	Programs []string // the files of programs in it, that of the command first
	SHA256   string
}

// programs returns the files of the programs on a platform: the command, and what kubectl runs to complete its
// arguments.
func programs(goos string) []string {
	files := []string{command, completion}
	if goos == "windows" {
		for i := range files {
			files[i] += ".exe"
		}
	}
	return files
}

// extension returns what the names of archives for a platform end in.
func extension(goos string) string {
	if goos == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

// krewManifest returns the plugin manifest of these archives.
func krewManifest(version string, all []archive) ([]byte, error) {
	var out bytes.Buffer
	t := template.Must(template.New("krew.yaml").Option("missingkey=error").Parse(krew))
	err := t.Execute(&out, map[string]any{"Version": version, "Archives": all, "Completion": completion})
	return out.Bytes(), err
}

//go:embed krew.yaml
var krew string

// archives builds an archive for each platform, their bills of materials, their checksums, and the krew manifest. Built
// again from the same commit they are the same, byte for byte.
func (r *repository) archives(ctx context.Context, dir string) (err error) {
	box, err := r.sandbox(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.remove()) }()
	box.version = r.version // as go install builds it, so that it knows its version
	if err := errors.Join(box.forget(), box.write(box.proxy()), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	var all []archive
	sums := ""
	for _, p := range platforms {
		a, err := box.archive(ctx, dir, p.OS, p.Arch)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", p.OS, p.Arch, err)
		}
		all = append(all, a)
		sums += a.SHA256 + "  " + a.Name + "\n"
		fmt.Println(a.SHA256, a.Name)
	}
	manifest, err := krewManifest(r.version, all)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(sums), 0o644),
		os.WriteFile(filepath.Join(dir, "disruption.yaml"), manifest, 0o644),
	)
}

// archive builds the programs for a platform, and packs them.
func (s sandbox) archive(ctx context.Context, dir, goos, arch string) (archive, error) {
	a := archive{OS: goos, Arch: arch, Programs: programs(goos)}
	pack := tarred
	if goos == "windows" {
		pack = zipped
	}
	a.Name = fmt.Sprintf("%s_%s_%s_%s%s", command, s.version, goos, arch, extension(goos))
	entries, err := s.build(ctx, a)
	if err != nil {
		return a, err
	}
	if err := s.writeSBOM(ctx, a, entries, filepath.Join(dir, sbomOf(a.Name))); err != nil {
		return a, err
	}
	license, err := os.ReadFile(s.file("LICENSE"))
	if err != nil {
		return a, err
	}
	content, err := pack(append(entries, entry{"LICENSE", 0o644, license}))
	if err != nil {
		return a, err
	}
	a.SHA256 = fmt.Sprintf("%x", sha256.Sum256(content))
	return a, os.WriteFile(filepath.Join(dir, a.Name), content, 0o644)
}

// build installs the programs as go install does, for the platform of an archive.
func (s sandbox) build(ctx context.Context, a archive) ([]entry, error) {
	built := filepath.Join(s.dir, a.OS+"_"+a.Arch)
	env := append(s.env, "GOOS="+a.OS, "GOARCH="+a.Arch, "CGO_ENABLED=0",
		"GOBIN=", "GOPATH="+built, "GOMODCACHE="+s.modCache)
	args := []string{"install", "-trimpath", "-ldflags=-s -w"}
	for _, program := range []string{command, completion} {
		args = append(args, s.modules[1].path+"/"+program+"@"+s.version)
	}
	if _, err := runGo(ctx, s.dir, env, args...); err != nil {
		return nil, err
	}
	var entries []entry
	for _, name := range a.Programs {
		binary, err := os.ReadFile(filepath.Join(built, "bin", a.OS+"_"+a.Arch, name))
		if errors.Is(err, os.ErrNotExist) { // of the platform that this runs on
			binary, err = os.ReadFile(filepath.Join(built, "bin", name))
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name, 0o755, binary})
	}
	return entries, nil
}

// An entry is a file of an archive.
type entry struct {
	name    string
	mode    os.FileMode
	content []byte
}

// modified is when all files were, so that an archive only depends on what is in it.
var modified = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func tarred(entries []entry) ([]byte, error) {
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	t := tar.NewWriter(compressed)
	for _, e := range entries {
		header := &tar.Header{
			Name: e.name, Mode: int64(e.mode), Size: int64(len(e.content)), ModTime: modified, Format: tar.FormatUSTAR,
		}
		if err := t.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := t.Write(e.content); err != nil {
			return nil, err
		}
	}
	return closed(&out, t, compressed)
}

func zipped(entries []entry) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: modified}
		header.SetMode(e.mode)
		w, err := z.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, err
		}
	}
	return closed(&out, z)
}

// closed returns what was written, once all of it is.
func closed(out *bytes.Buffer, writers ...interface{ Close() error }) ([]byte, error) {
	for _, w := range writers {
		if err := w.Close(); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
