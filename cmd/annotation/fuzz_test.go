package annotation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// FuzzProbe reads any text as disruptionProbes. What is valid survives being written; of what is not,
// something blocks, and it is said what to write.
func FuzzProbe(f *testing.F) {
	for _, text := range []string{
		`[{"path": "/healthz", "port": 8080, "host": "myclusterhealth.svc.local", "scheme": "http"}]`, `null`, `[]`, `[null]`, `{}`, ``, `[{}]`,
		`[{"host": "[::1]", "port": "443", "scheme": "HTTPS", "path": "/a%2Fb?c=d", "httpHeaders": [{"name": "A", "value": "<&>"}], "mode": "cluster", "name": "n"}]`,
		`[{"host": "h", "port": 1, "timeoutSeconds": 1, "periodSeconds": 60, "successThreshold": 3, "failureThreshold": 3, "maxAgeSeconds": 61}]`,
		`[{"host": "http://h:80", "port": 99999999999999999999, "path": "x", "httpGet": {}}, {"host": "a b", "host": "c", "Port": 1}]`,
		`{"spec": {"disruption": {"disruptionProbes": [{"host": "h", "port": 1}]}}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		probes, err := annotation.ParseProbes([]byte(text))
		checkParsed(t, probes, err)
		if err == nil {
			back, err := json.Marshal(probes)
			if err != nil {
				t.Fatal(err)
			}
			again, err := annotation.ParseProbes(back)
			if diff := cmp.Diff(probes, again, cmpopts.EquateEmpty()); diff != "" || err != nil {
				t.Fatalf("%s: %v %s", back, err, diff)
			}
		} else if says := err.Error(); json.Valid([]byte(text)) && !strings.Contains(says, "write") && !strings.Contains(says, "delete") {
			t.Fatalf("%s helps nobody", says)
		}
	})
}

func checkParsed(t *testing.T, probes []httpget.Spec, err error) {
	t.Helper()
	blocks := false
	for _, p := range probes {
		v := probe.ProbeVerdict(p.Probe(), probe.Observation{At: noon, Healthy: true, Streak: 1}, noon)
		blocks = blocks || !v.Allowed
		if v.Allowed != (p.Validate() == nil) || !v.Allowed && v.Code != candidate.CodeInvalidProbe {
			t.Fatalf("%+v says %s", p, v)
		}
		if v.Allowed && (p.String() == "" || p.URL().Host == "" || p.MaxAge() <= p.Period()) {
			t.Fatalf("%+v is valid", p)
		}
	}
	if blocks != (err != nil) {
		t.Fatalf("blocks %t, but the error is %v", blocks, err)
	}
}
