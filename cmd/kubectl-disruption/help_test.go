package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/kube"
)

// As a command of kubectl, no program shows what is bundled with it: without a file it asks the cluster.
func TestHelpPromisesTheClusterNotWhatIsBundled(t *testing.T) {
	for _, name := range []string{"decide", "why", "forecast", "plan", "status", "lint", "metrics", "dashboard"} {
		got := ran(t, name, "-h")
		if got.status != 0 || !strings.Contains(got.stdout, "cluster of kubectl's context") {
			t.Errorf("%s: %+v", name, got)
		}
		for _, wrong := range []string{"a bundled cluster", "for the bundled", "a NodePool of its own"} {
			if strings.Contains(got.stdout, wrong) {
				t.Errorf("%s promises %q", name, wrong)
			}
		}
	}
}

// allCommands are those with flags of their own, by name.
func allCommands() map[string]*cobra.Command {
	all := map[string]*cobra.Command{}
	for _, c := range newRoot(new(command.Environment), kube.Cluster{Flags: new(kube.Flags)}).Commands() {
		if c.HasExample() {
			all[c.Name()] = c
		}
	}
	return all
}

func TestHelpShowsLongFlagsWithTwoDashesAndExamples(t *testing.T) {
	for name, c := range allCommands() {
		got := ran(t, name, "--help")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(got.stdout, " --"+f.Name+" ") || f.Usage == "" {
				t.Errorf("%s: --%s is not there, or nothing says what it is for", name, f.Name)
			}
			if strings.Contains(got.stdout, " -"+f.Name+" ") || strings.Contains(got.stdout, "(-"+f.Name) {
				t.Errorf("%s: -%s has one dash", name, f.Name)
			}
		})
		_, examples, ok := strings.Cut(got.stdout, "\nExamples:\n")
		if !ok || strings.Count(examples, "\n  kubectl disruption "+name) < 2 {
			t.Errorf("%s: the examples are\n%s", name, examples)
		}
		if other := ran(t, "help", name); other != got {
			t.Errorf("help %s is not %[1]s --help:\n%s", name, other.stdout)
		}
	}
}

// Each example is parsed, so that none has a flag that there is not. What it reads is not there.
func TestExamplesHaveFlagsThatThereAre(t *testing.T) {
	fakeKubectl(t, "echo no cluster >&2; exit 1\n")
	t.Chdir(t.TempDir())
	for name := range allCommands() {
		_, examples, _ := strings.Cut(ran(t, name, "--help").stdout, "\nExamples:\n")
		for line := range strings.Lines(examples) {
			args, ok := strings.CutPrefix(line, "  kubectl disruption ")
			args, _, _ = strings.Cut(args, ">")
			if !ok || strings.Contains(args, "--listen") {
				continue
			}
			got := ran(t, strings.Fields(strings.ReplaceAll(args, "'", ""))...)
			if name != "explain" && got.status != 2 || strings.Contains(got.stderr, "--help") || strings.Contains(got.stderr, "not a flag") {
				t.Errorf("%s: %+v", args, got)
			}
		}
	}
}
