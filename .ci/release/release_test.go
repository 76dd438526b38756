package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

func opened(t *testing.T) *repository {
	t.Helper()
	r, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The go command refuses to install a program of a module with a replace, and ignores that of a module that is imported.
func TestPublishedModulesReplaceNothing(t *testing.T) {
	r := opened(t)
	for _, m := range r.modules {
		f, err := r.readMod(m)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Replace)+len(f.Exclude) > 0 {
			t.Errorf("%s/go.mod has a replace or an exclude: work on modules together in a go.work instead", m.dir)
		}
	}
}

func TestWorkspacesHaveTheVersionThatIsWorkedOn(t *testing.T) {
	r := opened(t)
	for _, name := range workspaces {
		text, err := os.ReadFile(r.file(name))
		if err != nil {
			t.Fatal(err)
		}
		f, err := modfile.ParseWork(name, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Replace) == 0 {
			t.Errorf("%s replaces nothing", name)
		}
		for _, replaced := range f.Replace {
			if replaced.Old.Version != r.version {
				t.Errorf("%s replaces %s, and the modules require %s", name, replaced.Old, r.version)
			}
		}
	}
}

// copied returns a repository with the files that have versions in them, and a Go file in each module.
func copied(t *testing.T) *repository {
	t.Helper()
	r := opened(t)
	c := &repository{root: t.TempDir(), modules: r.modules, version: r.version}
	for _, name := range r.files {
		if base := filepath.Base(name); slices.Contains(installing, name) || base == "go.mod" || base == "go.sum" || base == "go.work" {
			c.files = append(c.files, name)
			text, err := os.ReadFile(r.file(name))
			if err != nil {
				t.Fatal(err)
			}
			c.put(t, name, string(text))
		}
	}
	for _, m := range r.modules {
		name := strings.TrimPrefix(m.dir+"/a.go", "./")
		c.files = append(c.files, name)
		c.put(t, name, "package a\n")
	}
	return c
}

func (r *repository) put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.file(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.file(name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (r *repository) get(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(r.file(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPrepareWritesVersionAndChecksumsAndBeginTakesThemOut(t *testing.T) {
	r := copied(t)
	for _, step := range []struct {
		version   string
		checksums bool
	}{{"v0.7.0", true}, {"v0.8.0-rc.1", false}} {
		if err := r.setVersion(step.version, step.checksums); err != nil {
			t.Fatal(err)
		}
		if read, err := r.readVersion(); read != step.version || err != nil {
			t.Errorf("%s: the modules require %s, %v", step.version, read, err)
		}
		for _, name := range workspaces {
			if n := strings.Count(r.get(t, name), step.version); n == 0 {
				t.Errorf("%s does not replace %s", name, step.version)
			}
		}
		for _, name := range installing {
			if !strings.Contains(r.get(t, name), command+"@"+step.version) {
				t.Errorf("%s does not install %s", name, step.version)
			}
		}
		guard := r.ownSums(r.get(t, "karpenter/go.sum"))
		want := ""
		if step.checksums {
			for _, m := range r.modules[:2] {
				of, err := packing{r, step.version}.sums(m)
				if err != nil {
					t.Fatal(err)
				}
				want += of
			}
		}
		if guard != want {
			t.Errorf("%s: karpenter/go.sum has\n%s\nwant\n%s", step.version, guard, want)
		}
	}
}

func TestVersionsThatCannotBeTaggedAreRefused(t *testing.T) {
	r := copied(t)
	for _, version := range []string{"", "0.1.0", "v0.1", "v2.0.0", "v0.1.0+meta", "latest"} {
		if err := r.setVersion(version, false); err == nil {
			t.Errorf("%q is accepted", version)
		}
	}
}

func TestAnotherContentIsAnotherVersion(t *testing.T) {
	r := copied(t)
	before, err := r.now()
	if err != nil {
		t.Fatal(err)
	}
	r.put(t, "cmd/a.go", "package a // changed\n")
	after, err := r.now()
	if err != nil {
		t.Fatal(err)
	}
	if before.version == after.version || !strings.HasPrefix(after.version, r.version+"-0.h") {
		t.Errorf("%s became %s", before.version, after.version)
	}
}

func TestEachModuleIsPackedWithoutThoseWithin(t *testing.T) {
	p := packing{copied(t), "v0.7.0"}
	dir := t.TempDir()
	if err := p.write(dir); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{
		{".pre-commit-hooks.yaml", "a.go", "action.yml", "go.mod", "go.sum", "go.work"},
		{"a.go", "go.mod", "go.sum"},
		{"a.go", "go.mod", "go.sum", "go.work"},
		{"a.go", "go.mod", "go.sum", "go.work"},
	} {
		at, err := p.at(dir, p.modules[i])
		if err != nil {
			t.Fatal(err)
		}
		z, err := zip.OpenReader(at + ".zip")
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		var names []string
		for _, f := range z.File {
			names = append(names, strings.TrimPrefix(f.Name, p.modules[i].path+"@v0.7.0/"))
		}
		slices.Sort(names)
		if !slices.Equal(names, want) {
			t.Errorf("%s has %q, want %q", p.modules[i].path, names, want)
		}
	}
}
