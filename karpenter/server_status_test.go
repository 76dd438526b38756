package karpenter_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// A statusProgram is kubectl disruption status on the server of the stories, by kubectl.
type statusProgram struct {
	t       *testing.T
	program string
	args    []string
}

// newStatus returns the program, built, for a roll whose nodes drain and join within seconds.
func newStatus(t *testing.T) *statusProgram {
	t.Helper()
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("there is no kubectl, with which kubectl disruption reads the cluster")
	}
	s := &statusProgram{t, filepath.Join(t.TempDir(), "kubectl-disruption"), []string{"status", "--kubeconfig", kubeconfig(t), "--engine", "guard",
		"--drain", "5s", "--launch", "5s", "--eviction", "0s"}}
	build := exec.Command("go", "build", "-o", s.program, "./kubectl-disruption")
	build.Dir = "../cmd"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return s
}

// waits starts it with --wait. What it returns waits for its end, and returns what it printed and its exit status.
func (s *statusProgram) waits(args ...string) (end func() (printed string, exit int)) {
	s.t.Helper()
	c := exec.CommandContext(s.t.Context(), s.program, append(append(s.args, "--wait", "--watch-every", "2s"), args...)...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	return func() (string, int) {
		s.t.Helper()
		var exit *exec.ExitError
		if err := c.Wait(); err != nil && !errors.As(err, &exit) {
			s.t.Fatal(err)
		}
		s.t.Logf("status --wait %s:\n%s%v", strings.Join(args, " "), out.String(), c.ProcessState)
		return out.String(), c.ProcessState.ExitCode()
	}
}

// A finish is when a roll is done, by a plan.
type finish struct{ Early, Middle, Late time.Time }

// asks returns how many nodes of the NodePool default are new, and when its roll is done.
func (s *statusProgram) asks() (fresh int, done finish) {
	s.t.Helper()
	c := exec.CommandContext(s.t.Context(), s.program, append(s.args, "-o", "json")...)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	var answer struct {
		NodePools []struct {
			Name   string
			New    int
			Finish finish
		}
	}
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err != nil || len(answer.NodePools) != 1 {
		s.t.Fatalf("status says %v\n%s%s", err, out, &errs)
	}
	return answer.NodePools[0].New, answer.NodePools[0].Finish
}

// A pipeline waits for a roll of 60 nodes in three zones, with a freeze in the middle that the status shows. Each quarter, it says
// when the roll is done: at most a third of what is left away from what happens, and a minute, since times are of whole minutes.
func TestServerStatusOfARollOfSixty(t *testing.T) {
	const twoAtATime = `{nodes: "2", topologyKey: topology.kubernetes.io/zone, sequential: true}`
	s := tellOnServer(t, func(o *world.Options) {
		o.NodesPerZone = 20
		o.NodePool = world.NewPool("default", v1.Budget{Nodes: "100%"})
		o.NodePool.Annotations = map[string]string{karpenter.DisruptionAnnotation: `budgets: [` + twoAtATime + `]`}
	})
	freeze := time.Now().UTC().Add(4 * time.Minute).Truncate(time.Minute)
	if err := s.UpdatePool(func(p *v1.NodePool) {
		p.Annotations[karpenter.DisruptionAnnotation] = fmt.Sprintf(`budgets: [%s, {nodes: "0", schedule: "%d %d * * *", duration: 2m}]`,
			twoAtATime, freeze.Minute(), freeze.Hour())
	}); err != nil {
		t.Fatal(err)
	}
	status := newStatus(t)
	s.drift()
	end := status.waits("--settle", "5s", "--timeout", "1h")
	type quarter struct {
		fresh  int
		at     time.Time
		finish finish
	}
	var quarters []quarter
	for i := range 4 {
		s.until(6*patience, fmt.Sprintf("%d nodes are new", 15*i), func() bool { return 60-len(strings.Fields(s.old())) >= 15*i })
		fresh, finish := status.asks()
		quarters = append(quarters, quarter{fresh, time.Now(), finish})
	}
	s.rolls(6 * patience)
	done := time.Now()
	for _, q := range quarters {
		left, off := done.Sub(q.at), q.finish.Middle.Sub(done)
		t.Logf("%d of 60 nodes up to date: done in %s, it says from %s to %s, in the middle %s; off by %s", q.fresh, left.Round(time.Second),
			q.finish.Early.Sub(q.at).Round(time.Second), q.finish.Late.Sub(q.at).Round(time.Second), q.finish.Middle.Sub(q.at).Round(time.Second),
			off.Round(time.Second))
		if off.Abs() > left/3+time.Minute {
			t.Errorf("with %d nodes new it was off by %s of %s", q.fresh, off.Round(time.Second), left.Round(time.Second))
		}
	}
	for _, row := range s.Timeline() {
		if begins(row) && !row.At.Before(freeze.Add(time.Second)) && row.At.Before(freeze.Add(2*time.Minute)) {
			t.Errorf("%v in the freeze from %s on", row, freeze.Format(time.TimeOnly))
		}
	}
	if printed, exit := end(); exit != 0 || !strings.Contains(printed, "60 of 60") {
		t.Errorf("it ended with %d, want 0", exit)
	}
	if took := time.Since(done); took > time.Minute {
		t.Errorf("it ended %s after the roll", took)
	}
}

// A PodDisruptionBudget that allows no pod keeps all nodes. The wait ends, and names it.
func TestServerStatusSaysThatAPDBIsStuck(t *testing.T) {
	s := tellOnServer(t, func(o *world.Options) { o.NodesPerZone = 1 })
	none := intstr.FromInt32(0)
	if err := s.Client.Create(t.Context(), &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "nobody-goes", Namespace: "default"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &none, Selector: &metav1.LabelSelector{}},
	}); err != nil {
		t.Fatal(err)
	}
	status := newStatus(t)
	s.drift()
	printed, exit := status.waits("--stuck-after", "15s", "--timeout", "5m")()
	if exit != 3 || !strings.Contains(printed, "nobody-goes") {
		t.Errorf("it ended with %d, want 3, and names the PodDisruptionBudget", exit)
	}
}
