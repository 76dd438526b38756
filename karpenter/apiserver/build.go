package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// mains has the main package of each server.
//
//go:embed testdata/*.go.txt
var mains embed.FS

var (
	// servers are the programs that envtest wants in KUBEBUILDER_ASSETS. It does without kubectl.
	servers = []string{"etcd", "kube-apiserver"}
	// whole are those that a whole cluster has besides.
	whole = []string{"kube-controller-manager", "kube-scheduler"}
)

// assets returns the directory of kube-apiserver and etcd, and builds them if need be.
func assets(ctx context.Context) (string, error) {
	if dir := os.Getenv("KUBEBUILDER_ASSETS"); dir != "" {
		if missing := absent(dir, servers); missing != "" {
			return "", fmt.Errorf("KUBEBUILDER_ASSETS is %s, which has no %s: unset it to have that built", dir, missing)
		}
		say("KUBEBUILDER_ASSETS is set: using the servers of %s", dir)
		return dir, nil
	}
	return built(ctx, "kubernetes", servers)
}

// built returns the directory of servers of Kubernetes in the cache, and builds them if need be.
func built(ctx context.Context, what string, names []string) (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	version, err := kubernetesVersion(ctx)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, fmt.Sprintf("%s-%s-%s-%s", what, version, runtime.GOOS, runtime.GOARCH))
	if absent(dir, names) == "" {
		say("%s %s have been built: %s", strings.Join(names, " and "), version, dir)
		return dir, nil
	}
	return dir, build(ctx, version, dir, names)
}

// absent names a server that a directory does not have.
func absent(dir string, names []string) string {
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return name
		}
	}
	return ""
}

func cacheDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no directory for caches, set XDG_CACHE_HOME or KUBEBUILDER_ASSETS: %w", err)
	}
	return filepath.Join(cache, "disruptkit"), nil
}

// kubernetesVersion returns the version whose libraries Karpenter is built with here: v1.36.1 for v0.36.1 of client-go.
func kubernetesVersion(ctx context.Context) (string, error) {
	out, err := output(ctx, ".", nil, "go", "list", "-m", "-f", "{{.Version}}", "k8s.io/client-go")
	if err != nil {
		return "", err
	}
	minor, ok := strings.CutPrefix(strings.TrimSpace(out), "v0.")
	if !ok {
		return "", fmt.Errorf("client-go has version %q: it should be one such as v0.36.1", strings.TrimSpace(out))
	}
	return "v1." + minor, nil
}

// build builds the servers in a module that is made for it, and moves them to a directory once they are complete.
func build(ctx context.Context, version, dir string, names []string) (err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "building-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	if err := writeModule(ctx, version, tmp, names); err != nil {
		return err
	}
	bin := filepath.Join(tmp, "bin")
	env := []string{"GOWORK=off", "GOFLAGS=-mod=mod -trimpath", "CGO_ENABLED=0"}
	for _, name := range names {
		say("building %s of Kubernetes %s; this is done once, and takes up to 7 minutes of CPU and 2 GB of memory", name, version)
		start := time.Now()
		cmd := command(ctx, tmp, env, "go", "build", "-p", "2", "-ldflags", ldflags(version), "-o", filepath.Join(bin, name), "./"+name)
		cmd.Stdout = os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("building %s: %w", name, err)
		}
		say("built %s in %s", name, time.Since(start).Round(time.Second))
	}
	last := names[len(names)-1]
	if got, err := output(ctx, bin, nil, filepath.Join(bin, last), "--version"); err != nil || !strings.Contains(got, version) {
		return fmt.Errorf("the %s that was built says %q of its version, not %s: %w", last, got, version, err)
	}
	_ = os.RemoveAll(dir) // what an older run left there without one of the servers
	return os.Rename(bin, dir)
}

var (
	moduleLine = regexp.MustCompile(`(?m)^module .*$`)
	staging    = regexp.MustCompile(`=> \./staging/src/(k8s\.io/\S+)`)
)

// writeModule writes a module that can build the servers. k8s.io/kubernetes cannot be required as it is, since it replaces its
// staging modules by directories: here they are replaced by the tags that are published of them. It also requires etcd, for its tests.
func writeModule(ctx context.Context, version, dir string, names []string) error {
	kubernetes, err := download(ctx, dir, "k8s.io/kubernetes@"+version)
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(kubernetes.GoMod)
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(kubernetes.Dir, "go.sum"))
	if err != nil {
		return err
	}
	text, err := moduleOf(version, string(mod))
	if err != nil {
		return err
	}
	files := map[string]string{"go.mod": text, "go.sum": string(sum)}
	for _, name := range names {
		main, err := mains.ReadFile("testdata/" + name + ".go.txt")
		if err != nil {
			return err
		}
		files[name+"/main.go"] = string(main)
	}
	return writeFiles(dir, files)
}

// downloaded is where a module is in the module cache.
type downloaded struct{ GoMod, Dir string }

// download downloads a module at a version, if need be, from a directory that is in no workspace.
func download(ctx context.Context, from, module string) (m downloaded, err error) {
	out, err := output(ctx, from, []string{"GOWORK=off"}, "go", "mod", "download", "-json", module)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal([]byte(out), &m)
}

// moduleOf returns the go.mod of a module that builds what k8s.io/kubernetes does, from its own go.mod.
func moduleOf(version, mod string) (string, error) {
	text := moduleLine.ReplaceAllString(mod, "module servers")
	text = staging.ReplaceAllString(text, "=> $1 v0"+strings.TrimPrefix(version, "v1"))
	if strings.Contains(text, "=> .") {
		return "", fmt.Errorf("k8s.io/kubernetes %s replaces modules by directories that are not known:\n%s", version, text)
	}
	return text + "\nrequire k8s.io/kubernetes " + version + "\n", nil
}

// ldflags set the version that the server reports, as the Makefile of Kubernetes does.
func ldflags(version string) string {
	minor, _, _ := strings.Cut(strings.TrimPrefix(version, "v1."), ".")
	flags := "-s -w"
	for _, p := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		flags += fmt.Sprintf(" -X %[1]s.gitVersion=%s -X %[1]s.gitMajor=1 -X %[1]s.gitMinor=%s", p, version, minor)
	}
	return flags
}

// moduleDir returns the directory of a module, in the workspace that the program was started in.
func moduleDir(ctx context.Context, module string) (string, error) {
	out, err := output(ctx, ".", nil, "go", "list", "-m", "-f", "{{.Dir}}", module)
	return strings.TrimSpace(out), err
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "apiserver: "+format+"\n", args...) }

func command(ctx context.Context, dir string, env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), os.Stderr
	return cmd
}

func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	out, err := command(ctx, dir, env, name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return string(out), nil
}

// writeFiles writes files, and the directories that they are in.
func writeFiles(dir string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// copyTree copies a directory of a module cache, where nothing can be written to.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		in, err := os.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		out, err := os.Create(filepath.Join(to, name))
		if err != nil {
			return err
		}
		_, err = io.Copy(out, in)
		return errors.Join(err, out.Close())
	})
}
