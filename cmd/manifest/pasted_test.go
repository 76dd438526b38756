package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/engine"
)

// What people paste is read as what it has of budgets, at the lines where that stands.
func TestWhatPeoplePasteIsRead(t *testing.T) {
	const list = "- nodes: \"0\"\n  schedule: \"0 9 * * mon-fri\"\n  duration: 8h\n- nodes: \"10%\"\n"
	const want = "[0 (0 9 * * mon-fri for 8h, UTC) 10%]"
	indented := "    " + strings.ReplaceAll(strings.TrimSpace(list), "\n", "\n    ") + "\n"
	for name, c := range map[string]struct {
		text string
		line int // of the second budget
	}{
		"a list":               {list, 4},
		"a list of JSON":       {`[{"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}, {"nodes": "10%"}]`, 1},
		"a fence":              {"Words: like “these”.\n\n```yaml\nbudgets:\n" + list + "```\nand more: [\n", 8},
		"a fence without name": {"```\n" + list + "```\n", 5},
		"a heredoc of Terraform": {"resource \"kubectl_manifest\" \"pool\" {\n  yaml_body = <<-YAML\n    budgets:\n" + indented +
			"  YAML\n  wait = true\n}\n", 7},
	} {
		for _, as := range []engine.Engine{engine.Karpenter, engine.Disruptkit} {
			f, err := Policy{As: as}.ReadPools("pasted", strings.NewReader(c.text))
			if err != nil || len(f.Pools) != 1 || len(f.Faults) > 0 {
				t.Errorf("%s: %v, %+v", name, err, f)
				continue
			}
			p := f.Pools[0]
			if got := fmt.Sprint(p.Spec.Budgets); got != want || p.Place("budgets[1]").Line != c.line {
				t.Errorf("%s: %s at %s", name, got, p.Place("budgets[1]"))
			}
		}
	}
	f, err := Policy{}.ReadPools("pool.tf", strings.NewReader("resource \"x\" \"y\" {\n  manifest = { budgets = [] }\n}\n"))
	if err != nil || len(f.Faults) != 1 || !strings.Contains(f.Faults[0].Error(), looksLikeTerraform) {
		t.Error(err, f)
	}
}
