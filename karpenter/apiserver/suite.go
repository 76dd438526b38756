package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed testdata/guarded_test.go.txt
var guardedTest string

const (
	karpenterModule = "sigs.k8s.io/karpenter"
	guardModule     = "github.com/disruptkit/disruptkit/karpenter"
	suitePackage    = "pkg/controllers/disruption"
)

// guardings are the ways in which methods can be guarded; see testdata/guarded_test.go.txt.
var guardings = []string{"plain", "guarded", "annotated", "dropping", "halving"}

// A suite is Karpenter's disruption suite, compiled with guards around all methods.
type suite struct {
	version    string // of Karpenter
	dir        string // of the package, in a copy of Karpenter
	binary     string
	assets     string // the directory of the servers
	kubernetes string // their version
}

// A selection says which specs are to run, all of them without a focus, and for how long.
type selection struct {
	focus, skip, files string
	timeout            time.Duration
}

// prepare copies Karpenter out of the module cache, rewrites its suite, and compiles it.
func prepare(ctx context.Context, race bool) (*suite, error) {
	s := &suite{}
	var err error
	if s.assets, err = assets(ctx); err != nil {
		return nil, err
	}
	if s.kubernetes, err = kubernetesVersion(ctx); err != nil {
		return nil, err
	}
	version, err := output(ctx, ".", nil, "go", "list", "-m", "-f", "{{.Version}}", karpenterModule)
	if err != nil {
		return nil, err
	}
	s.version = strings.TrimSpace(version)
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	work := filepath.Join(cache, "suite-of-karpenter-"+s.version)
	s.dir = filepath.Join(work, "karpenter", filepath.FromSlash(suitePackage))
	s.binary = filepath.Join(work, "suite.test")
	flags := []string{"test", "-c", "-o", s.binary}
	env := []string{"GOWORK=" + filepath.Join(work, "go.work")}
	if race {
		s.binary += ".race"
		flags, env = []string{"test", "-c", "-race", "-o", s.binary}, append(env, "CGO_ENABLED=1")
	}
	if err := s.copy(ctx, work); err != nil {
		return nil, err
	}
	r, err := rewrite(s.dir)
	if err != nil {
		return nil, err
	}
	if err := writeFiles(s.dir, map[string]string{"guarded_test.go": guardedTest}); err != nil {
		return nil, err
	}
	say("compiling the suite of Karpenter %s, with guards around %v", s.version, r)
	start := time.Now()
	cmd := command(ctx, s.dir, env, "go", append(flags, ".")...)
	cmd.Stdout = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("compiling the suite: %w", err)
	}
	say("compiled it in %s", time.Since(start).Round(time.Second))
	return s, nil
}

// copy copies Karpenter, and puts it into a workspace with the guard. Only there the guard's module, which requires Karpenter, can be
// used by Karpenter's tests.
func (s *suite) copy(ctx context.Context, work string) error {
	from, err := moduleDir(ctx, karpenterModule)
	if err != nil {
		return err
	}
	to := filepath.Join(work, "karpenter")
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := copyTree(from, to); err != nil {
		return err
	}
	guard, err := moduleDir(ctx, guardModule)
	if err != nil {
		return err
	}
	workspace, err := readWorkspace(ctx, guard)
	if err != nil {
		return err
	}
	workspace.use = append(workspace.use, to)
	return writeFiles(work, map[string]string{"go.work": workspace.String()})
}

// A workspace is the parts of a go.work file that are needed here, with absolute paths.
type workspace struct {
	version  string
	use      []string
	replaced [][3]string // module, version, directory
}

// readWorkspace reads the workspace of a directory. It leaves out the module of this program.
func readWorkspace(ctx context.Context, dir string) (workspace, error) {
	out, err := output(ctx, dir, nil, "go", "work", "edit", "-json")
	if err != nil {
		return workspace{}, err
	}
	var file struct {
		Go      string
		Use     []struct{ DiskPath string }
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal([]byte(out), &file); err != nil {
		return workspace{}, err
	}
	w := workspace{version: file.Go}
	for _, u := range file.Use {
		if u.DiskPath != "./apiserver" {
			w.use = append(w.use, filepath.Join(dir, u.DiskPath))
		}
	}
	for _, r := range file.Replace {
		w.replaced = append(w.replaced, [3]string{r.Old.Path, r.Old.Version, filepath.Join(dir, r.New.Path)})
	}
	return w, nil
}

func (w workspace) String() string {
	text := "go " + w.version + "\n"
	for _, dir := range w.use {
		text += fmt.Sprintf("use %q\n", dir)
	}
	for _, r := range w.replaced {
		text += fmt.Sprintf("replace %s %s => %q\n", r[0], r[1], r[2])
	}
	return text
}

// run runs the suite.
func (s *suite) run(ctx context.Context, guarding string, specs selection) (outcome, error) {
	if !slices.Contains(guardings, guarding) {
		return outcome{}, fmt.Errorf("-guard is %q: write one of %s", guarding, strings.Join(guardings, ", "))
	}
	report := s.binary + "." + guarding
	if err := errors.Join(removed(report+".json"), removed(report+".log"), removed(report+".costs")); err != nil {
		return outcome{}, err
	}
	log, err := os.Create(report + ".log")
	if err != nil {
		return outcome{}, err
	}
	defer log.Close()
	args := []string{"-test.timeout=" + specs.timeout.String(), "-ginkgo.timeout=" + specs.timeout.String(), "-ginkgo.no-color",
		"-ginkgo.json-report=" + report + ".json"}
	if specs.focus != "" {
		args = append(args, "-ginkgo.focus="+specs.focus)
	}
	if specs.skip != "" {
		args = append(args, "-ginkgo.skip="+specs.skip)
	}
	if specs.files != "" {
		args = append(args, "-ginkgo.focus-file="+specs.files)
	}
	minor := s.kubernetes[1:strings.LastIndex(s.kubernetes, ".")]
	cmd := command(ctx, s.dir, []string{
		"GUARDING=" + guarding, "COUNTS=" + report + ".costs", "KUBEBUILDER_ASSETS=" + s.assets, "K8S_VERSION=" + minor + ".x",
		"KUBEBUILDER_CONTROLPLANE_START_TIMEOUT=180s", "KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT=60s",
	}, s.binary, args...)
	cmd.Stdout, cmd.Stderr = log, log
	say("running the suite, %s; its log is %s", guarding, report+".log")
	ended := cmd.Run()
	if exit := (*exec.ExitError)(nil); ended != nil && !errors.As(ended, &exit) {
		return outcome{}, ended
	}
	o, err := readReport(report + ".json")
	if err == nil {
		err = o.readCosts(report + ".costs")
	}
	if err != nil {
		return o, fmt.Errorf("the suite has not come to its end (%v), see %s: %w", ended, report+".log", err)
	}
	say("%s: %v: %v", guarding, o, o.costs)
	if ended != nil && len(o.failed) == 0 {
		return o, fmt.Errorf("no spec failed, but the suite did (%w), see %s", ended, report+".log")
	}
	return o, nil
}

func removed(name string) error {
	err := os.Remove(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// An outcome says how many specs passed, which failed, and what they have cost.
type outcome struct {
	passed  int
	failed  []string
	skipped int // by a selection, or by the suite itself
	took    time.Duration
	costs   costs
}

// costs are counted by testdata/guarded_test.go.txt.
type costs struct {
	Calls       int // of ComputeCommands, of Karpenter's methods
	Simulations int // of scheduling, for disruption
	Events      int // by everybody
	GuardEvents int // of those, by guards
}

func (o outcome) String() string {
	return fmt.Sprintf("%d specs passed, %d failed, %d were skipped, in %s", o.passed, len(o.failed), o.skipped, o.took.Round(time.Second))
}

func (c costs) String() string {
	return fmt.Sprintf("%d calls of methods, %d simulations, %d events, %d of them by guards", c.Calls, c.Simulations, c.Events, c.GuardEvents)
}

// readCosts reads what a run has cost.
func (o *outcome) readCosts(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &o.costs)
}

// success returns an error that names all specs that failed, or says that none ran.
func (o outcome) success() error {
	switch {
	case len(o.failed) > 0:
		return fmt.Errorf("%v:\n\t%s", o, strings.Join(o.failed, "\n\t"))
	case o.passed == 0:
		return fmt.Errorf("%v: no spec was run", o)
	}
	return nil
}

// readReport reads a report of Ginkgo.
func readReport(name string) (outcome, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return outcome{}, err
	}
	var reports []struct {
		RunTime     time.Duration
		SpecReports []struct {
			ContainerHierarchyTexts []string
			LeafNodeType            string
			LeafNodeText            string
			State                   string
		}
	}
	if err := json.Unmarshal(text, &reports); err != nil {
		return outcome{}, err
	}
	var o outcome
	for _, r := range reports {
		o.took += r.RunTime
		for _, spec := range r.SpecReports {
			switch {
			case spec.State == "passed" && spec.LeafNodeType == "It":
				o.passed++
			case spec.State == "skipped" || spec.State == "pending":
				o.skipped++
			case spec.State != "passed":
				path := append(spec.ContainerHierarchyTexts, spec.LeafNodeText)
				o.failed = append(o.failed, strings.Join(path, " / ")+": "+spec.State)
			}
		}
	}
	return o, nil
}
