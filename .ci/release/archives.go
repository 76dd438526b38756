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
	Command  string // the file in it
	SHA256   string
}

//go:embed krew.yaml
var krew string

// archives builds an archive for each platform, their checksums, and the krew manifest. Built again from the same commit they are
// the same, byte for byte.
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
	var manifest bytes.Buffer
	t := template.Must(template.New("krew.yaml").Option("missingkey=error").Parse(krew))
	if err := t.Execute(&manifest, map[string]any{"Version": r.version, "Archives": all}); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(sums), 0o644),
		os.WriteFile(filepath.Join(dir, "disruption.yaml"), manifest.Bytes(), 0o644),
	)
}

// archive builds the command for a platform.
func (s sandbox) archive(ctx context.Context, dir, goos, arch string) (archive, error) {
	a := archive{OS: goos, Arch: arch, Command: command}
	pack, extension := tarred, ".tar.gz"
	if goos == "windows" {
		a.Command += ".exe"
		pack, extension = zipped, ".zip"
	}
	a.Name = fmt.Sprintf("%s_%s_%s_%s%s", command, s.version, goos, arch, extension)
	built := filepath.Join(s.dir, goos+"_"+arch)
	env := append(s.env, "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0", "GOBIN=", "GOPATH="+built, "GOMODCACHE="+s.modCache)
	_, err := runGo(ctx, s.dir, env, "install", "-trimpath", "-ldflags=-s -w", s.modules[1].path+"/"+command+"@"+s.version)
	if err != nil {
		return a, err
	}
	binary, err := os.ReadFile(filepath.Join(built, "bin", goos+"_"+arch, a.Command))
	if errors.Is(err, os.ErrNotExist) { // of the platform that this runs on
		binary, err = os.ReadFile(filepath.Join(built, "bin", a.Command))
	}
	if err != nil {
		return a, err
	}
	license, err := os.ReadFile(s.file("LICENSE"))
	if err != nil {
		return a, err
	}
	content, err := pack([]entry{{a.Command, 0o755, binary}, {"LICENSE", 0o644, license}})
	if err != nil {
		return a, err
	}
	a.SHA256 = fmt.Sprintf("%x", sha256.Sum256(content))
	return a, os.WriteFile(filepath.Join(dir, a.Name), content, 0o644)
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
		header := &tar.Header{Name: e.name, Mode: int64(e.mode), Size: int64(len(e.content)), ModTime: modified, Format: tar.FormatUSTAR}
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
