package main

import (
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
	"github.com/disruptkit/disruptkit/adapters/internal/server"
)

func TestServerHoldsAndReleases(t *testing.T) {
	client := kubernetes.NewForConfigOrDie(server.Start(t))
	nodes := client.CoreV1().Nodes()
	for name, annotations := range map[string]map[string]string{"a": nil, "b": nil, "foreign": {Disabled: "false"}, "theirs": {Disabled: "true"}} {
		n, err := nodes.Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		if _, err := nodes.UpdateStatus(t.Context(), n, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	pools, err := cluster.ParsePolicy([]byte(`pools: [{name: all, selector: "", disruption: {budgets: [{nodes: "2"}]}}]`))
	if err != nil {
		t.Fatal(err)
	}
	h := holder{
		Reader: cluster.Reader{Client: client, Policy: pools}, Store: cluster.Store{Client: client, Namespace: "default", Name: "state"},
		lasts: time.Hour, grace: time.Minute, threshold: 0.5, log: t.Logf,
	}
	check := func(when string, want map[string]string) {
		t.Helper()
		list, err := nodes.List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, n := range list.Items {
			got[n.Name] = n.Annotations[Disabled]
			if _, marked := n.Annotations[Held]; marked {
				got[n.Name] += " by us"
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	pass := func() {
		t.Helper()
		if _, err := h.pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	pass()
	check("all are held but those of others", map[string]string{"a": "true by us", "b": "true by us", "foreign": "false", "theirs": "true"})
	pass()
	check("nothing is released within the grace", map[string]string{"a": "true by us", "b": "true by us", "foreign": "false", "theirs": "true"})
	h.grace = 0
	pass()
	check("one is released beside the one that nobody holds", map[string]string{"a": "", "b": "true by us", "foreign": "false", "theirs": "true"})
	if state, err := h.Load(t.Context()); err != nil || state.Nodes["a"].IsZero() {
		t.Errorf("the release is not stored: %v, %v", state, err)
	}
	if _, err := h.leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("nothing of this program is left", map[string]string{"a": "", "b": "", "foreign": "false", "theirs": "true"})
}
