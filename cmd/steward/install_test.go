package steward

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// What people read before they install, of nodes that expire.
func TestTheCheckSaysWhatWillDriftAndWhatHasAHardEnd(t *testing.T) {
	for _, c := range []struct {
		rule, expireAfter, expire string
		want                      []string // lines, but for the times
	}{
		{"expireAfter alone", "720h", "", []string{
			"note     NodePool p: nodes expire after 720h, and nothing holds them then, the steward included (expireAfter); " +
				"for an age that asks budgets, see disruptkit.dev/expire",
		}},
		{"neither", "Never", "", nil},
		{"an age that asks budgets", "Never", "{after: 720h}", []string{
			"note     NodePool p: 2 of its 3 nodes are older than 720h, and are made to drift as its budgets for Expired let them " +
				"(disruptkit.dev/expire); the next one is so old at TIME",
		}},
		{"both", "2160h", "{after: 720h, deadline: 1080h}", []string{
			"note     NodePool p: 2 of its 3 nodes are older than 720h",
			"note     NodePool p: expireAfter 2160h stays their hard end, which asks nobody, also for nodes that exist if you change it",
		}},
		{"a hard end that comes first", "1000h", "{after: 720h, deadline: 1080h}", []string{
			"note     NodePool p: 2 of its 3 nodes", "note     NodePool p: expireAfter 1000h stays",
			"note     NodePool p: nodes may reach expireAfter first: give disruptkit.dev/expire a deadline that is shorter than 1000h",
		}},
		{"a text that nobody can read", "Never", "{after: soon}", []string{
			`error    NodePool p: disruptkit.dev/expire: field "after": "soon" is not valid: write a duration such as 720h; until then nothing of it is released`,
		}},
	} {
		a, annotations := newAPI(t), map[string]string{}
		if c.expire != "" {
			annotations[annotation.Expire] = c.expire
		}
		a.add(t, fmt.Sprintf(`{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p, annotations: %s},
			spec: {template: {spec: {expireAfter: %s}}}}`, yamlOf(annotations), c.expireAfter))
		next := time.Now().Add(time.Hour).Truncate(time.Second)
		for i, created := range []time.Time{next.Add(-800 * time.Hour), next.Add(-721 * time.Hour), next.Add(-720 * time.Hour)} {
			a.add(t, fmt.Sprintf(`{apiVersion: v1, kind: Node, metadata: {name: n%d, labels: {karpenter.sh/nodepool: p}, creationTimestamp: %s}}`, i, at(created)))
		}
		var out bytes.Buffer
		if err := foresee(t.Context(), a.cluster(), &out); err != nil {
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
			if want = strings.ReplaceAll(want, "TIME", at(next)); !strings.HasPrefix(lines[i], want) {
				t.Errorf("%s:\n%s\nwant\n%s", c.rule, lines[i], want)
			}
		}
	}
}

func TestTheCheckNamesWhoHasWrittenTheHoldsThatTheStewardLeavesAlone(t *testing.T) {
	a := newAPI(t, `{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {karpenter.sh/nodepool: p}, annotations: {karpenter.sh/do-not-disrupt: "true"},
		managedFields: [{manager: kubelet, fieldsV1: {"f:metadata": {}}},
			{manager: kubectl-annotate, fieldsV1: {"f:metadata": {"f:annotations": {"f:karpenter.sh/do-not-disrupt": {}}}}}]}}`)
	var out bytes.Buffer
	const want = "note     kubectl-annotate has written karpenter.sh/do-not-disrupt on 1 node, such as n1: the steward leaves that alone\n"
	if err := foresee(t.Context(), a.cluster(), &out); err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// Who applies it again, or has annotated first, has nodes that are held. A kind that the cluster lacks is left out.
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
		for mutates, want := range map[bool]int{true: 13, false: 11} {
			a := newAPI(t)
			for i, text := range c.annotations {
				a.add(t, fmt.Sprintf(`{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: %c, annotations: {disruptkit.dev/steward: %q}}}`, 'a'+i, text))
			}
			var out bytes.Buffer
			err := install(t.Context(), a.cluster(), "r/i:1", mutates, &out)
			if err != nil || !strings.Contains(out.String(), c.want) || len(a.writes) != want {
				t.Errorf("%q, mutates %t: %v, %d objects\n%s", c.annotations, mutates, err, len(a.writes), out.String())
			}
			containers := dig(a.objects["/apis/apps/v1/namespaces/disruptkit/deployments/steward"], "spec", "template", "spec", "containers").([]any)
			if got := dig(containers[0], "image"); got != "r/i:1" {
				t.Errorf("the image is %v", got)
			}
		}
	}
}

// A CustomResourceDefinition comes before what reads it, and what denies comes last.
func TestInstallAppliesInAnOrderThatNeverFreezesKarpenter(t *testing.T) {
	objects, err := manifests("r/i:1")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, o := range objects {
		kinds = append(kinds, o.Kind)
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
		http.StatusForbidden:           "asking the cluster for karpenter.sh/v1: it says why",
		http.StatusInternalServerError: "asking the cluster for karpenter.sh/v1: it says why",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, `{"message": "it says why", "resources": [{"name": "nodepools"}, {"name": "validatingadmissionpolicies"}]}`)
		}))
		mutates, err := hasWhatItNeeds(t.Context(), Cluster{URL: server.URL, HTTP: server.Client()})
		if got := fmt.Sprint(err); !strings.HasPrefix(got, want) || (err == nil) != (want == "") || mutates {
			t.Errorf("with status %d: %s, want %s", status, got, want)
		}
		server.Close()
	}
}

// What cannot be listed is an error, and no empty list.
func TestNoCommandTakesAFailureForAnEmptyCluster(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	open := func(context.Context) (Cluster, func(), error) {
		return Cluster{URL: server.URL, HTTP: server.Client()}, func() {}, nil
	}
	for _, c := range Commands(open) {
		c.SetOut(&bytes.Buffer{})
		c.SetArgs(nil)
		c.SilenceErrors, c.SilenceUsage = true, true
		if err := c.Execute(); err == nil || !strings.Contains(err.Error(), "404") {
			t.Errorf("%s: %v", c.Name(), err)
		}
	}
}
