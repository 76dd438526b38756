package steward

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

const vetoed, unrepaired = kube.DoNotDisruptAnnotation, kube.DoNotRepairAnnotation

// What a steward, people, and those before them may have written on a node, and what of it stays.
var marks = []struct {
	rule          string
	before, after map[string]string
}{
	{"held", map[string]string{vetoed: "true", annotation.Held: "Drifted: topology/waits", unrepaired: "true", annotation.RepairHeld: "true"}, nil},
	{"born held", map[string]string{vetoed: "true", annotation.Held: "not released", unrepaired: "true", annotation.RepairHeld: "true"}, nil},
	{"released", map[string]string{
		annotation.ReleasedUntil: "2026-11-20T12:00:00Z", annotation.ReleasedFor: "Drifted since 2026-11-20T11:59:00Z", unrepaired: "true", annotation.RepairHeld: "true",
	}, nil},
	{"released for repair", map[string]string{vetoed: "true", annotation.Held: "", annotation.ReleasedUntil: "2026-11-20T12:00:00Z"}, nil},
	{"taken back", map[string]string{
		vetoed: "true", annotation.Held: "a freeze", unrepaired: "true", annotation.RepairHeld: "true", annotation.ReleasedUntil: "2026-11-20T12:00:00Z",
		annotation.ReleasedFor: "Drifted",
	}, nil},
	{"somebody's own hold", map[string]string{vetoed: "true", unrepaired: "true", annotation.RepairHeld: "true"}, map[string]string{vetoed: "true"}},
	{"somebody's own of both", map[string]string{vetoed: "true", unrepaired: "true"}, map[string]string{vetoed: "true", unrepaired: "true"}},
	{"somebody's own against repair", map[string]string{vetoed: "true", annotation.Held: "it", unrepaired: "true"}, map[string]string{unrepaired: "true"}},
	{"somebody's own hold of a node that was released", map[string]string{
		vetoed: "true", annotation.ReleasedUntil: "2026-11-20T12:00:00Z", annotation.ReleasedFor: "Drifted",
	}, map[string]string{vetoed: "true"}},
	{"what nobody can read", map[string]string{annotation.ReleasedUntil: "soon", annotation.ReleasedFor: "", annotation.Held: ""}, nil},
	{"a hold that is none", map[string]string{vetoed: "false"}, map[string]string{vetoed: "false"}},
	{"nothing", nil, nil},
}

// A NodeClaim's hash before and after: what was made to drift has its own again, also where its NodePool has another by now.
var hashes = map[string]string{"expired-1": "1", "expired-0": "0", "1": "1", "0": "0", "": ""}

// A departed is a cluster that a steward has worked in, and a Karpenter that notices what has not drifted.
type departed struct {
	*api
	notices time.Duration // how long it takes
	early   bool          // a node was written before Karpenter had noticed
}

const expired = "/apis/karpenter.sh/v1/nodeclaims/expired-1"

func newDeparted(t *testing.T) *departed {
	d := &departed{api: newAPI(t)}
	for _, w := range all(t, Run, Hold, Deny) {
		d.add(t, string(w.text))
	}
	d.add(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: steward-calendars, namespace: disruptkit}}`)
	d.add(t, `{apiVersion: disruptkit.dev/v1alpha1, kind: DisruptionPolicy, metadata: {name: cap, annotations: {
		disruptkit.dev/releases: "{}", disruptkit.dev/memory: "{}", example.com/of: somebody}}}`)
	d.add(t, `{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p, annotations: {
		disruptkit.dev/steward: "true", disruptkit.dev/steward-enforced: "true", disruptkit.dev/releases: "{}", disruptkit.dev/policies: "{}",
		disruptkit.dev/memory: "{}", disruptkit.dev/disruption: "budgets: []", disruptkit.dev/expire: "{after: 720h}",
		example.com/of: somebody, karpenter.sh/nodepool-hash: "1"}}}`)
	for i, m := range marks {
		annotations := map[string]string{"example.com/of": "somebody"}
		maps.Copy(annotations, m.before)
		d.add(t, fmt.Sprintf(`{apiVersion: v1, kind: Node, metadata: {name: n%d, annotations: %s}, spec: {taints: [
			{key: dedicated, effect: NoSchedule}, {key: disruptkit.dev/disrupted-soon, effect: PreferNoSchedule}]}}`, i, yamlOf(annotations)))
	}
	for hash := range hashes {
		annotations := map[string]string{"example.com/of": "somebody"}
		if hash != "" {
			annotations[annotation.Hash] = hash
		}
		path := d.add(t, fmt.Sprintf(`{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: "%s", labels: {karpenter.sh/nodepool: p},
			annotations: %s}, status: {conditions: []}}`, "claim"[min(len(hash), 1)*5:]+hash, yamlOf(annotations)))
		if hash != "1" {
			d.objects[path]["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Drifted", "status": "True", "reason": "NodePoolDrifted"}}}
		}
	}
	d.wrote = func(path string) {
		switch {
		case strings.HasPrefix(path, "/apis/karpenter.sh/v1/nodeclaims/"):
			d.after(d.notices, func() { d.notice(path) })
		case strings.HasPrefix(path, "/api/v1/nodes/"):
			d.early = d.early || len(dig(d.objects[expired], "status", "conditions").([]any)) > 0
		}
	}
	return d
}

func yamlOf(annotations map[string]string) string {
	var all []string
	for name, value := range annotations {
		all = append(all, fmt.Sprintf("%q: %q", name, value))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// notice is Karpenter that notices that a NodeClaim has the hash of its NodePool.
func (d *departed) notice(path string) {
	if d.annotations(path)[annotation.Hash] == "1" {
		d.objects[path]["status"] = map[string]any{"conditions": []any{}}
	}
}

// all returns the objects of manifests.
func all(t *testing.T, manifests ...[]byte) (objects []written) {
	t.Helper()
	for _, m := range manifests {
		some, err := manifest(m)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, some...)
	}
	return objects
}

// left checks what is left after the steward has been taken out.
func (d *departed) left(t *testing.T) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range all(t, Run, Hold, Deny) {
		if there := d.objects[w.path()] != nil; there != (w.Kind == "Namespace") { // in which people have calendars
			t.Errorf("%s %s is there: %t", w.Kind, w.Metadata.Name, there)
		}
	}
	for path, want := range map[string]string{
		"/api/v1/namespaces/disruptkit/configmaps/steward-calendars": "",
		"/apis/karpenter.sh/v1/nodepools/p":                          "disruptkit.dev/disruption disruptkit.dev/expire disruptkit.dev/memory example.com/of karpenter.sh/nodepool-hash",
		"/apis/disruptkit.dev/v1alpha1/disruptionpolicies/cap":       "disruptkit.dev/memory example.com/of",
	} {
		if got := strings.Join(slices.Sorted(maps.Keys(d.annotations(path))), " "); d.objects[path] == nil || got != want {
			t.Errorf("%s has the annotations %s, want %s", path, got, want)
		}
	}
	for i, m := range marks {
		want := map[string]any{"example.com/of": "somebody"}
		for name, value := range m.after {
			want[name] = value
		}
		path := fmt.Sprintf("/api/v1/nodes/n%d", i)
		if got := d.annotations(path); !maps.Equal(got, want) {
			t.Errorf("%s: the node has %v, want %v", m.rule, got, want)
		}
		if taints := dig(d.objects[path], "spec", "taints").([]any); len(taints) != 1 || dig(taints[0], "key") != "dedicated" {
			t.Errorf("%s: the node has the taints %v", m.rule, taints)
		}
	}
	for before, want := range hashes {
		got := d.annotations("/apis/karpenter.sh/v1/nodeclaims/" + "claim"[min(len(before), 1)*5:] + before)
		if hash, _ := got[annotation.Hash].(string); hash != want || got["example.com/of"] != "somebody" {
			t.Errorf("the NodeClaim with the hash %q has %v, want the hash %q", before, got, want)
		}
	}
}

func TestNothingOfTheStewardsIsLeftAndAllThatIsOthersStays(t *testing.T) {
	for notices, most := range map[time.Duration]time.Duration{0: time.Second, 4 * time.Second: 5 * time.Second, time.Hour: settles + time.Second} {
		synctest.Test(t, func(t *testing.T) {
			d := newDeparted(t)
			d.notices = notices
			var out bytes.Buffer
			began := time.Now()
			if err := (departure{namespace: installedIn}).leave(t.Context(), d.cluster(), &out); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > most || took < min(notices, settles) {
				t.Errorf("Karpenter notices after %s: it took %s, and may take %s", notices, took, most)
			}
			d.left(t)
			if waits := notices < settles; d.early == waits {
				t.Errorf("Karpenter notices after %s: nodes were allowed before that: %t", notices, d.early)
			}
			if says := strings.Contains(out.String(), "note     Karpenter may still replace 1 node for drift: it has not noticed within 10s"); says != (notices > settles) {
				t.Errorf("Karpenter notices after %s, and it says:\n%s", notices, out.String())
			}
			for _, want := range []string{
				"deleted  ValidatingAdmissionPolicy disruptkit-steward-deny\n", "cleared  NodePool p\n", "restored 2 NodeClaims", "cleared  12 nodes\n",
				"kept     1 DisruptionPolicy, and its CustomResourceDefinition\n", "kept     Namespace disruptkit: ",
			} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("it does not say %q:\n%s", want, out.String())
				}
			}
			time.Sleep(2 * notices) // until Karpenter has noticed
		})
	}
}

// The last pod of the steward ends after some seconds. Meanwhile it says what it waits for, once.
func TestLeaveSaysThatItWaitsForTheStewardToEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t)
		pod := a.add(t, `{apiVersion: v1, kind: Pod, metadata: {name: steward-0, namespace: disruptkit}}`)
		a.after(3500*time.Millisecond, func() { delete(a.objects, pod) })
		var out bytes.Buffer
		began := time.Now()
		err := (departure{namespace: installedIn}).gone(t.Context(), a.cluster(), &out)
		if err != nil || time.Since(began) != 4*time.Second || out.String() != "waiting  until pod steward-0 has ended\n" {
			t.Errorf("after %s: %v\n%s", time.Since(began), err, out.String())
		}
	})
}

// With Helm, the steward may be in any namespace, and what does nothing by itself is Helm's to delete.
func TestLeaveBeforeHelmDeletesWhatActs(t *testing.T) {
	objects, err := departure{namespace: "else", idle: true}.objects()
	var got []string
	for _, o := range objects {
		got = append(got, strings.Trim(o.Kind+" "+o.Metadata.Namespace, " "))
	}
	want := []string{
		"ValidatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingAdmissionPolicy", "Deployment else",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("it deletes %v, want %v (%v)", got, want, err)
	}
}

// The policy that denies is deleted before the one that holds, and a node is allowed only once its NodeClaim is restored: meanwhile no held node
// is disrupted, and Karpenter is denied nothing.
func TestTheOrderInWhichTheStewardLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeparted(t)
		if err := (departure{namespace: installedIn}).leave(t.Context(), d.cluster(), &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
		const want = "validatingadmissionpolicybindings validatingadmissionpolicies mutatingadmissionpolicybindings mutatingadmissionpolicies " +
			"poddisruptionbudgets deployments rolebindings roles clusterrolebindings clusterroles serviceaccounts leases " +
			"nodepools nodeclaims nodes disruptionpolicies"
		if got := d.kinds(); got != want {
			t.Errorf("it writes %s, want %s", got, want)
		}
	})
}

// Whichever write fails, it says so, and again does the rest.
func TestTheStewardCanLeaveAgainWhereThatHasFailed(t *testing.T) {
	fails, all := 1, false
	for ; !all; fails++ {
		synctest.Test(t, func(t *testing.T) {
			d := newDeparted(t)
			d.fails, d.notices = fails, 3*time.Second
			err := departure{namespace: installedIn}.leave(t.Context(), d.cluster(), &bytes.Buffer{})
			if all = fails > len(d.writes); all != (err == nil) {
				t.Errorf("write %d of %d fails, and the error is %v", fails, len(d.writes), err)
			}
			d.fails = 0
			if err := (departure{namespace: installedIn}).leave(t.Context(), d.cluster(), &bytes.Buffer{}); err != nil {
				t.Fatal(err)
			}
			d.left(t)
			if d.early {
				t.Errorf("write %d fails, and again nodes are allowed before Karpenter has noticed", fails)
			}
			time.Sleep(time.Minute) // until Karpenter has noticed
		})
	}
	if fails < 20 {
		t.Errorf("only %d writes", fails)
	}
}
