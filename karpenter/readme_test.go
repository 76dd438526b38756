package karpenter_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

func fileOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheREADMEShowsWhatIsSo(t *testing.T) {
	readme := fileOf(t, "README.md")
	shows := func(what, text string) {
		t.Helper()
		if !strings.Contains(readme, text) {
			t.Errorf("README.md does not show %s:\n%s", what, text)
		}
	}
	_, example, _ := strings.Cut(fileOf(t, "example_test.go"), "op.InstanceTypeStore)\n")
	_, example, _ = strings.Cut(example, "\n\n")
	example, _, _ = strings.Cut(example, "\n}\n")
	shows("the example", strings.ReplaceAll("```go\n"+example+"\n```\n", "\n\t", "\n"))
	shows("the diff", "```diff\n"+fileOf(t, "aws/guard.diff")+"```\n")
	shows("the Dockerfile", "```dockerfile\n"+fileOf(t, "aws/Dockerfile")+"```\n")
	shows("what roll prints", "```text\n"+fileOf(t, "roll/testdata/roll.txt")+"```\n")
	shows("what repair prints", "```text\n"+fileOf(t, "repair/testdata/repair.txt")+"```\n")
	shows("the differences", table())
	for _, annotation := range []string{
		karpenter.DisruptionAnnotation, karpenter.ProbesAnnotation, karpenter.TopologyAnnotation, karpenter.MostSpecificAnnotation,
		karpenter.RepairAnnotation, karpenter.ExpireAnnotation, karpenter.PauseAnnotation, karpenter.MemoryAnnotation,
	} {
		shows("an annotation", "\n| `"+annotation+"` |")
	}
}

// table is the table of differences.
func table() string {
	var b strings.Builder
	b.WriteString("| What | Karpenter | disruptkit |\n|---|---|---|\n")
	for _, d := range differences {
		fmt.Fprintf(&b, "| %s: %s | %s | %s |\n", d.Rule, d.Name, d.WantKarpenter, d.WantDisruptkit)
	}
	return b.String()
}

// The NodePools that the README shows are valid, and say what it says.
func TestTheAnnotationsOfTheREADMEAreValid(t *testing.T) {
	var policies []karpenter.Policy
	for i, block := range strings.Split(fileOf(t, "README.md"), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		var np v1.NodePool
		if err := yaml.UnmarshalStrict([]byte(block), &np); err != nil {
			t.Fatal(i, err)
		}
		p := karpenter.ToPolicy(&np, nil)
		if warnings := append(p.Warnings, p.Budgets.Warnings()...); len(warnings) > 0 || len(p.Blockers) > 0 {
			t.Error(i, warnings, p.Blockers)
		}
		policies = append(policies, p)
	}
	if len(policies) != 3 {
		t.Fatalf("%d NodePools", len(policies))
	}
	if p := policies[0]; len(p.Budgets.Budgets()) != 3 || len(p.Probes) != 1 || p.Topology.Patience != 30*time.Minute || p.Budgets.MostSpecific() {
		t.Errorf("%+v", p)
	}
	if p := policies[1]; !p.Budgets.MostSpecific() || p.Budgets.DisruptAfter(candidate.Underutilized) != time.Hour {
		t.Errorf("%+v", p)
	}
	if p := policies[2]; p.Expiration.After != 720*time.Hour || p.Expiration.Deadline != 1080*time.Hour || len(p.Budgets.Budgets()) != 1 {
		t.Errorf("%+v", p)
	}
	if some, _ := budget.AllowedByReason(policies[1].Budgets, time.Now(), 10, "Drifted/AMIDrift"); some.Nodes != 1 {
		t.Errorf("%d nodes may go for an AMI", some.Nodes)
	}
}

// What the README shows of events and of the memory is what a story brings about.
func TestTheEventsOfTheREADMEHappen(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(fileOf(t, "README.md"), "## What people see\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, text, _ := strings.Cut(section, "```text\n")
	text, _, _ = strings.Cut(text, "```")
	s := tell(t, func(o *world.Options) {
		o.Start = time.Date(2026, time.November, 23, 16, 58, 0, 0, time.UTC)
		o.NodePool.Annotations[karpenter.DisruptionAnnotation] = zoneByZone +
			`- {nodes: "0", schedule: "0 18 * * mon-fri", duration: 30m, timeZone: Europe/Berlin}`
	})
	s.drift()
	s.lasts(5 * time.Minute)
	said := strings.Count(strings.TrimSpace(text), "\n") + 1
	for line := range strings.Lines(text) {
		object, message, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if !s.told(object, strings.TrimSpace(message)) {
			t.Errorf("no event of %s: %s", object, message)
		}
	}
	if said < 3 {
		t.Errorf("README.md shows %d events", said)
	}
	_, memory, _ := strings.Cut(section, "```json\n")
	memory, _, _ = strings.Cut(memory, "\n```")
	var np v1.NodePool
	if err := s.Client.Get(t.Context(), client.ObjectKey{Name: "default"}, &np); err != nil {
		t.Fatal(err)
	}
	if got := np.Annotations[karpenter.MemoryAnnotation]; got != memory {
		t.Errorf("the memory is %s, README.md shows %s", got, memory)
	}
}
