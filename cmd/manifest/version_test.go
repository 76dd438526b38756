package manifest_test

import (
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

func TestVersionsThatKarpenterDoesNotServeAreFaults(t *testing.T) {
	const beta = "apiVersion: Karpenter v1.1 and newer do not serve karpenter.sh/v1beta1: write karpenter.sh/v1"
	for _, test := range []struct {
		version string
		as      engine.Engine
		want    string
	}{
		{"karpenter.sh/v1", engine.Karpenter, ""},
		{"karpenter.sh/v1beta1", engine.Karpenter, beta},
		{"karpenter.sh/v1beta1", engine.Guard, beta},
		{"karpenter.sh/v1beta1", engine.Disruptkit, ""},
		{"karpenter.sh/v2", engine.Karpenter, `apiVersion: "karpenter.sh/v2" is unknown: write karpenter.sh/v1`},
		{"karpenter.sh/v2", engine.Disruptkit, `apiVersion: "karpenter.sh/v2" is unknown: write karpenter.sh/v1`},
	} {
		for _, text := range []string{
			"apiVersion: " + test.version + "\nkind: NodePool\nmetadata: {name: a}\n",
			"kind: NodePoolList\napiVersion: " + test.version + "\nitems:\n- metadata: {name: a}\n",
		} {
			f, err := manifest.Policy{As: test.as}.ReadPools("a.yaml", strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(faultsOf(f), "\n"); len(f.Pools) != 1 || !strings.HasSuffix(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("%s for %v: got %q", test.version, test.as, got)
			}
		}
	}
}

// Others have NodePools as well: only what is nearly Karpenter's is a fault.
func TestAKindThatIsMisspeltIsAFault(t *testing.T) {
	for _, test := range []struct{ version, kind, want string }{
		{"karpenter.sh/v1", "Nodepool", `Nodepool/a: kind: "Nodepool" is unknown: write NodePool`},
		{"karpenter.sh/v1", "nodepools", `nodepools/a: kind: "nodepools" is unknown: write NodePool`},
		{"karpenter.sh/v1", "NodPool", `NodPool/a: kind: "NodPool" is unknown: write NodePool`},
		{"karpenter.k8s.aws/v1", "NodePool", `NodePool/a: apiVersion: "karpenter.k8s.aws/v1" is unknown: write karpenter.sh/v1`},
		{"karpetner.sh/v1", "NodePool", `NodePool/a: apiVersion: "karpetner.sh/v1" is unknown: write karpenter.sh/v1`},
		{"karpenter.sh", "NodePool", `NodePool/a: apiVersion: "karpenter.sh" is unknown: write karpenter.sh/v1`},
		{"v1", "NodePool", `NodePool/a: apiVersion: "v1" is unknown: write karpenter.sh/v1`},
		{"hypershift.openshift.io/v1beta1", "NodePool", ""},
		{"karpenter.sh/v1", "NodeClaim", ""},
		{"karpenter.k8s.aws/v1", "EC2NodeClass", ""},
		{"v1", "Node", ""},
	} {
		f := readPools(t, "apiVersion: "+test.version+"\nkind: "+test.kind+"\nmetadata: {name: a}\n")
		got := strings.Join(faultsOf(f), "\n")
		if !strings.HasSuffix(got, test.want) || (got == "") != (test.want == "") || len(f.Pools) > 0 || (f.Skipped == 1) != (test.want == "") {
			t.Errorf("%s %s: %q, %d skipped", test.version, test.kind, got, f.Skipped)
		}
	}
}

// spec.distruption is a freeze that is lost, wherever it is.
func TestAFieldThatWasMeantAsSpecDisruptionIsAFaultForDisruptkit(t *testing.T) {
	const head = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\n"
	for text, want := range map[string]string{
		"spec: {distruption: {budgets: [{nodes: 0}]}}":              `spec.distruption: "distruption" is unknown here: write disruption under spec`,
		"disruption: {budgets: [{nodes: 0}]}":                       `disruption: "disruption" is unknown here: write disruption under spec`,
		"spec: {budgets: [{nodes: 0}]}":                             `spec.budgets: "budgets" is unknown here: write budgets under spec.disruption`,
		"spec: {template: {spec: {disruption: {budgets: []}}}}":     `spec.template.spec.disruption: "disruption" is unknown here: write disruption under spec`,
		"spec: {template: {disruption: {budgets: []}}}":             `spec.template.disruption.budgets: "budgets" is unknown here: write it under spec.disruption`,
		"spec: {template: {disruption: {disruptionProbes: []}}}":    "",
		"spec: {weight: 1, disruption: {}, anything: {budgets: 1}}": "",
	} {
		got := strings.Join(faultsOf(readPools(t, head+text)), "\n")
		if !strings.HasSuffix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: got %q", text, got)
		}
	}
}
