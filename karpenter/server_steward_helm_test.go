package karpenter_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/karpenter/internal/command"
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

// Helm installs the steward beside a Karpenter that runs. The fleet rolls one zone after the other, an upgrade comes in between, and Helm takes the
// steward out again in mid-roll: no node stays held, and what is not the steward's stays.
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
	s.quiet()

	s.may(noLimits) // without the steward, zones take no turns
	policy := must(world.Objects([]byte("{apiVersion: disruptkit.dev/v1alpha1, kind: DisruptionPolicy, metadata: {name: kept}, spec: {all: true, budgets: [{nodes: 100%}]}}")))[0]
	calendars := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "steward-calendars", Namespace: "disruptkit"}}
	for _, o := range []client.Object{policy, calendars} {
		if err := s.Client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Client.Delete(context.Background(), o) })
	}
	if !s.marked() {
		t.Error("no node is held before the steward is uninstalled")
	}
	s.stop()
	left := make(chan string, 1)
	go func() { left <- s.leaves() }() // nor anybody who runs a Job
	if out := s.helm("uninstall", "steward"); !strings.Contains(out, "uninstalled") {
		t.Errorf("helm says %s", out)
	}
	if out := <-left; !strings.Contains(out, "cleared  NodePool default") {
		t.Errorf("leave says:\n%s", out)
	}
	if s.marked() {
		t.Error("after the uninstallation, nodes are held")
	}
	if err := s.Client.Get(t.Context(), client.ObjectKeyFromObject(&d), &d); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("after the uninstallation, the Deployment is there: %v", err)
	}
	for _, o := range []client.Object{policy, calendars} {
		if err := s.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			t.Errorf("the uninstallation has taken away what is not the steward's: %v", err)
		}
	}
	s.rolls(2 * patience)
}

// leaves waits for the Job that Helm begins before it deletes anything, and does what its pod does, with what that may do. It returns what that
// prints.
func (s *stewarded) leaves() string {
	var job batchv1.Job
	s.until(patience, "Helm has begun the Job", func() bool {
		return s.Client.Get(s.t.Context(), client.ObjectKey{Namespace: "disruptkit", Name: "steward-leave"}, &job) == nil
	})
	pod := job.Spec.Template.Spec
	file := kubeconfig(s.t)
	config := must(clientcmd.LoadFromFile(file))
	for _, user := range config.AuthInfos {
		user.Impersonate = "system:serviceaccount:disruptkit:" + pod.ServiceAccountName
	}
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		s.t.Error(err)
	}
	var out bytes.Buffer
	c := command.New()
	c.SetOut(&out)
	c.SetArgs(append(slices.Clone(pod.Containers[0].Args), "--kubeconfig", file))
	if err := c.ExecuteContext(s.t.Context()); err != nil {
		s.t.Errorf("%v: %v\n%s", pod.Containers[0].Args, err, out.String())
	}
	now := metav1.Now()
	job.Status.StartTime, job.Status.CompletionTime, job.Status.Succeeded = &now, &now, 1
	for _, kind := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: now})
	}
	if err := s.Client.Status().Update(s.t.Context(), &job); err != nil {
		s.t.Error(err)
	}
	return out.String()
}
