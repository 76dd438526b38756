package karpenter_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	disruptionpolicies "github.com/disruptkit/disruptkit/karpenter/internal/shared"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// helm runs the helm that HELM names, and returns what it prints.
func (s *stewarded) helm(args ...string) string {
	s.t.Helper()
	c := exec.CommandContext(s.t.Context(), os.Getenv("HELM"), append(args, "--namespace", "disruptkit", "--kubeconfig", kubeconfig(s.t))...)
	out, err := c.CombinedOutput()
	if err != nil {
		s.t.Fatalf("helm %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Helm installs the steward beside a Karpenter that runs. The fleet rolls one zone after the other, an upgrade comes in between, and
// once the pool takes part no more, Helm takes the steward out again.
func TestServerStewardByHelm(t *testing.T) {
	if os.Getenv("HELM") == "" {
		t.Skip("HELM is not set: bash .ci/run helm builds it, and tells this story")
	}
	s := tellBeforeSteward(t, func(o *world.Options) {
		o.NodePool.Annotations = map[string]string{annotation.Disruption: twoOfAZone}
	})
	s.helm("install", "steward", "steward/chart", "--create-namespace")
	s.until(patience, "the cluster knows DisruptionPolicies", func() bool {
		return s.Client.List(t.Context(), disruptionpolicies.NewList()) == nil
	})
	s.annotatePool(annotation.Steward, "true")
	s.lead() // there is nobody here who runs a Deployment
	s.enforced()
	s.may(ofOneZone(2))
	s.drift()
	s.inZones(1)
	s.helm("upgrade", "steward", "steward/chart", "--set", "replicas=3")
	var d appsv1.Deployment
	if err := s.Client.Get(t.Context(), client.ObjectKey{Namespace: "disruptkit", Name: "steward"}, &d); err != nil || *d.Spec.Replicas != 3 {
		t.Errorf("after the upgrade, the Deployment is %v, %v", d.Spec.Replicas, err)
	}
	s.rolls(2 * patience)
	s.oneByOne()
	s.quiet()

	s.annotatePool(annotation.Steward, "")
	s.until(patience, "nothing of the steward's is left", func() bool { return !s.marked() })
	s.stop()
	if out := s.helm("uninstall", "steward"); !strings.Contains(out, "uninstalled") {
		t.Errorf("helm says %s", out)
	}
	if err := s.Client.Get(t.Context(), client.ObjectKeyFromObject(&d), &d); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("after the uninstallation, the Deployment is there: %v", err)
	}
	if err := s.Client.List(t.Context(), disruptionpolicies.NewList()); err != nil {
		t.Errorf("the uninstallation has taken away the kind of the policies: %v", err)
	}
}
