package command

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// What people read before they install, of nodes that expire.
func TestTheCheckSaysWhatWillDriftAndWhatHasAHardEnd(t *testing.T) {
	for _, c := range []struct {
		rule, expireAfter, expire string
		want                      []string // lines, but for the times
	}{
		{"expireAfter alone", "720h", "", []string{
			"note     NodePool p: nodes expire after 720h0m0s, and nothing holds them then, the steward included (expireAfter); " +
				"for an age that asks budgets, see disruptkit.dev/expire",
		}},
		{"neither", v1.Never, "", nil},
		{"an age that asks budgets", v1.Never, "{after: 720h}", []string{
			"note     NodePool p: 2 of its 3 nodes are older than 720h0m0s, and are made to drift as its budgets for Expired let them " +
				"(disruptkit.dev/expire); the next one is so old at TIME",
		}},
		{"both", "2160h", "{after: 720h, deadline: 1080h}", []string{
			"note     NodePool p: 2 of its 3 nodes are older than 720h0m0s",
			"note     NodePool p: expireAfter 2160h0m0s stays their hard end, which asks nobody, also for nodes that exist if you change it",
		}},
		{"a hard end that comes first", "1000h", "{after: 720h, deadline: 1080h}", []string{
			"note     NodePool p: 2 of its 3 nodes", "note     NodePool p: expireAfter 1000h0m0s stays",
			"note     NodePool p: nodes may reach expireAfter first: give disruptkit.dev/expire a deadline that is shorter than 1000h0m0s",
		}},
		{"a text that nobody can read", "Never", "{after: soon}", []string{
			`error    NodePool p: disruptkit.dev/expire: field "after": "soon" is not valid: write a duration such as 720h; until then nothing of it is released`,
		}},
	} {
		np := &v1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: "p", Annotations: map[string]string{}}}
		np.Spec.Template.Spec.ExpireAfter = v1.MustParseNillableDuration(c.expireAfter)
		if c.expire != "" {
			np.Annotations[annotation.Expire] = c.expire
		}
		objects := []client.Object{np}
		next := time.Now().Add(time.Hour).Truncate(time.Second)
		for i, created := range []time.Time{next.Add(-800 * time.Hour), next.Add(-721 * time.Hour), next.Add(-720 * time.Hour)} {
			n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i), Labels: map[string]string{v1.NodePoolLabelKey: "p"}}}
			n.CreationTimestamp = metav1.NewTime(created)
			objects = append(objects, n)
		}
		var out bytes.Buffer
		if err := foresee(t.Context(), fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(objects...).Build(), &out); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if out.Len() == 0 {
			lines = nil
		}
		if len(lines) != len(c.want) {
			t.Errorf("%s:\n%s", c.rule, out.String())
			continue
		}
		for i, want := range c.want {
			if want = strings.ReplaceAll(want, "TIME", next.UTC().Format(time.RFC3339)); !strings.HasPrefix(lines[i], want) {
				t.Errorf("%s:\n%s\nwant\n%s", c.rule, lines[i], want)
			}
		}
	}
}

// Who applies it again, or has annotated first, has nodes that are held.
func TestInstallSaysWhoIsOptedInAlready(t *testing.T) {
	for _, c := range []struct {
		annotations []string // of the NodePools a, b and so on
		want        string
	}{
		{nil, "\nNothing is held yet. "},
		{[]string{"", "false"}, "\nNothing is held yet. "},
		{[]string{"", "true"}, "\nAlready annotated disruptkit.dev/steward=true, so that their nodes are held once the steward runs: b\n"},
		{[]string{"true", "true"}, "\nAlready annotated disruptkit.dev/steward=true, so that their nodes are held once the steward runs: a, b\n"},
	} {
		kube := fake.NewClientBuilder().WithScheme(scheme.Scheme)
		for i, text := range c.annotations {
			kube.WithObjects(&v1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: string(rune('a' + i)), Annotations: map[string]string{annotation.Steward: text}}})
		}
		var out bytes.Buffer
		if err := next(t.Context(), kube.Build(), &out); err != nil || !strings.HasPrefix(out.String(), c.want) {
			t.Errorf("%q: %v\n%s", c.annotations, err, out.String())
		}
	}
}

// A CustomResourceDefinition comes before what reads it, and what denies comes last.
func TestInstallAppliesInAnOrderThatNeverFreezesKarpenter(t *testing.T) {
	objects := must(manifests("r/i:1"))
	var kinds []string
	for _, o := range objects {
		kinds = append(kinds, o.GetKind())
	}
	want := []string{"CustomResourceDefinition", "Namespace", "Deployment", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}
	at := 0
	for _, kind := range kinds {
		if at < len(want) && kind == want[at] {
			at++
		}
	}
	if at < len(want) || kinds[0] != want[0] || kinds[len(kinds)-1] != want[len(want)-1] {
		t.Errorf("the order is %v", kinds)
	}
}

// A cluster that does not answer, or lets nobody ask, may have what is looked for.
func TestACheckThatCannotAskIsAnErrorAndNotAnAnswer(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusOK:                  "",
		http.StatusNotFound:            "the cluster has no NodePools of karpenter.sh/v1: install Karpenter first",
		http.StatusForbidden:           "asking the cluster for karpenter.sh/v1: ",
		http.StatusInternalServerError: "asking the cluster for karpenter.sh/v1: ",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprint(w, `{"kind": "APIResourceList", "resources": [{"name": "nodepools"}, {"name": "validatingadmissionpolicies"}]}`)
		}))
		asked := must(discovery.NewDiscoveryClientForConfig(&rest.Config{Host: server.URL}))
		mutates, err := hasWhatItNeeds(asked)
		if got := fmt.Sprint(err); !strings.HasPrefix(got, want) || (err == nil) != (want == "") || mutates {
			t.Errorf("with status %d: %s, want %s", status, got, want)
		}
		server.Close()
	}
}
