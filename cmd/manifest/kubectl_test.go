package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// "kubectl get … 2>&1 > file" mixes what kubectl says with objects. Wherever it is, the error quotes it.
func TestAMessageOfKubectlAmongObjectsIsQuoted(t *testing.T) {
	inYAML, inJSON := documents(nodePool, nodeClaim, node, pod, pdb), strings.Join(asJSON(t, nodePool, nodeClaim, node, pod, pdb), "\n")
	for _, message := range []string{
		`Error from server (Forbidden): pods is forbidden: User "alice" cannot list resource "pods" in API group "" at the cluster scope`,
		`Error from server (NotFound): nodepools.karpenter.sh "x" not found`,
		`error: You must be logged in to the server (Unauthorized)`,
		`error: the server doesn't have a resource type "nodepools"`,
		`The connection to the server localhost:8080 was refused - did you specify the right host or port?`,
		`Unable to connect to the server: dial tcp: lookup x: no such host`,
		`Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice`,
		`E1120 10:30:00.000000   1 memcache.go:265] "Unhandled Error" err="couldn't get the list"`,
	} {
		for where, input := range map[string]string{
			"alone":               message + "\n",
			"before YAML":         message + "\n" + inYAML,
			"after YAML":          strings.TrimSuffix(inYAML, "\n") + "\n" + message + "\n",
			"between documents":   strings.Replace(inYAML, "---\n", "---\n"+message+"\n---\n", 1),
			"before JSON":         message + "\n" + inJSON,
			"after JSON":          inJSON + "\n" + message + "\r\n",
			"between JSON":        strings.Replace(inJSON, "\n", "\n"+message+"\n", 1),
			"in the middle of it": strings.Replace(inJSON, ",", ",\n"+message+"\n", 1),
		} {
			want := "is a message of kubectl, so objects may be missing: " + message
			if _, err := manifest.Read(strings.NewReader(input)); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s, %s: %v", message, where, err)
			}
			line := 1 + strings.Count(input[:strings.Index(input, message)], "\n")
			f, err := manifest.ReadPools("x.yaml", strings.NewReader(input))
			if err != nil || len(f.Faults) == 0 {
				t.Errorf("%s, %s: no fault of the file: %v", message, where, err)
			} else if got := f.Faults[len(f.Faults)-1]; got.Place.Line != line || !strings.HasSuffix(got.Message, fmt.Sprintf("line %d %s", line, want)) {
				t.Errorf("%s, %s: %v", message, where, got)
			}
		}
	}
}

func TestWhatOnlyLooksLikeAMessageOfKubectlIsRead(t *testing.T) {
	for _, text := range []string{"error: values of a chart", `description: "Error from server"`, "text: |\n  Error from server (Forbidden): x"} {
		f, err := manifest.ReadPools("x.yaml", strings.NewReader(documents(nodePool)+"\n---\n"+text+"\n"))
		if err != nil || len(f.Faults) > 0 || len(f.Pools) != 1 {
			t.Errorf("%s: %v, %+v", text, err, f)
		}
	}
}
