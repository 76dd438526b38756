package karpenter_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/replay"
	manifests "github.com/disruptkit/disruptkit/cmd/steward"
	"github.com/disruptkit/disruptkit/karpenter/internal/command"
	disruptionpolicies "github.com/disruptkit/disruptkit/karpenter/internal/shared"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// plugin runs kubectl disruption steward, and returns what it prints.
func (s *stewarded) plugin(args ...string) string {
	s.t.Helper()
	c := &cobra.Command{Use: "steward", SilenceUsage: true}
	c.AddCommand(manifests.Commands(func(context.Context) (manifests.Cluster, func(), error) {
		to, err := command.ClusterOf(servers.Config)
		return to, func() {}, err
	})...)
	return s.command(s.t.Context(), c, args...)
}

// command runs a command, and returns what it prints.
func (s *stewarded) command(ctx context.Context, c *cobra.Command, args ...string) string {
	s.t.Helper()
	var out bytes.Buffer
	c.SetOut(&out)
	c.SetArgs(args)
	if err := c.ExecuteContext(ctx); err != nil {
		s.t.Fatalf("steward %s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
	return out.String()
}

// Somebody tries the steward in a dry run, installs it, rolls a part of the fleet by it, and takes it out again in mid-roll.
func TestServerStewardInstallsAndLeaves(t *testing.T) {
	s := tellBeforeSteward(t, func(o *world.Options) {
		o.NodePool.Annotations = map[string]string{annotation.Disruption: twoOfAZone, annotation.Pause: "true"}
	})

	s.annotatePool(annotation.Steward, "true")
	try, end := context.WithTimeout(t.Context(), 10*time.Second)
	defer end()
	recording := filepath.Join(t.TempDir(), "steward.jsonl")
	s.command(try, command.New(), "run", "--dry-run", "--record", recording, "--metrics-bind-address", "0", "--health-probe-bind-address", "0",
		"--kubeconfig", kubeconfig(t))
	if s.marked() {
		t.Error("a dry run has written something")
	}
	lines := must(os.Open(recording))
	defer lines.Close()
	if n, err := replay.Check(lines, func(d replay.Divergence) { t.Error(d) }); n == 0 || err != nil {
		t.Errorf("%d decisions replayed, %v", n, err)
	}

	if out := s.plugin("install", "--check"); !strings.Contains(out, "ok       Kubernetes v1.") || strings.Contains(out, "applied") {
		t.Errorf("install --check says:\n%s", out)
	}
	if out := s.plugin("install"); !strings.Contains(out, "applied  ValidatingAdmissionPolicyBinding disruptkit-steward-deny") {
		t.Errorf("install says:\n%s", out)
	}
	s.plugin("install") // again changes nothing
	s.until(patience, "the cluster knows DisruptionPolicies", func() bool {
		return s.Client.List(t.Context(), disruptionpolicies.NewList()) == nil
	})
	s.lead() // there is nobody here who runs a Deployment
	s.enforced()
	s.may(ofOneZone(2))
	s.drift()
	s.stays(20 * time.Second)
	if out := s.plugin("status"); !strings.Contains(out, "default   yes         yes     6      6     0") || !strings.Contains(out, "Drifted/AMIDrift: probe/paused") {
		t.Errorf("status says:\n%s", out)
	}
	s.annotatePool(annotation.Pause, "")
	s.inZones(1)
	s.quiet()

	s.may(noLimits) // without the steward, zones take no turns
	s.stop()
	if out := s.plugin("leave"); !strings.Contains(out, "cleared  NodePool default") {
		t.Errorf("leave says:\n%s", out)
	}
	s.until(patience, "nothing of the steward's is left", func() bool { return !s.marked() })
	s.rolls(2 * patience)
	s.quiet()
}
