package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Karpenter publishes what it says of a machine about its Node, and about its NodeClaim (pkg/controllers/disruption/events/events.go).
func TestWhyAsksTheClusterForTheEventsOfANodeThatIsConsolidatable(t *testing.T) {
	const node = "ip-10-0-104-211.us-west-2.compute.internal" // of the bundled cluster
	const query = "--context prod-eu get events --namespace default --field-selector involvedObject.kind=Node,involvedObject.name=" + node + " --output json"
	said := `echo '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"default"},
"involvedObject":{"kind":"Node","name":"` + node + `"},"reason":"Unconsolidatable","message":"too cheap","lastTimestamp":"2026-11-20T10:10:00Z"}]}'`
	const forbidden = `echo 'Error from server (Forbidden): events is forbidden: User "bob" cannot list resource "events"' >&2; exit 1`
	for _, row := range []struct {
		name   string
		args   []string
		events string // what kubectl does that is asked for events
		asked  bool
		want   string // in the answer, if anything
		note   string // "": none
		wrong  string
		status int
	}{
		{name: "what they say is said", args: []string{"why", "10-0-104-211"}, events: said, asked: true,
			want: "Karpenter does not consolidate it: too cheap (event Unconsolidatable", wrong: "kubectl get"},
		{name: "also as JSON", args: []string{"why", node, "-o", "json"}, events: said, asked: true, want: `"message": "too cheap"`},
		{name: "none are no fault", args: []string{"why", node}, asked: true, events: `echo '{"apiVersion":"v1","kind":"List","items":[]}'`,
			want: "Consolidatable means only that", wrong: "kubectl get"},
		{name: "those that must not be listed are noted in a line, and nothing else changes", args: []string{"why", node}, events: forbidden, asked: true,
			want: "Consolidatable means only that", wrong: "kubectl get",
			note: `note: why Karpenter does not consolidate the node is in its events, which could not be read: kubectl get events: Error from ` +
				`server (Forbidden): events is forbidden: User "bob" cannot list resource "events"` + "\n"},
		{name: "so are those that end early", args: []string{"why", node}, events: `echo '{"kind":"List","items":['`, asked: true,
			want: "Consolidatable means only that", note: "which could not be read: "},
		{name: "no other reason has any use for them", args: []string{"why", node, "--reason", "Drifted"}, events: forbidden},
		{name: "nor has decide", args: []string{"decide"}, events: forbidden},
	} {
		t.Run(row.name, func(t *testing.T) {
			calls := filepath.Join(t.TempDir(), "calls")
			objects(t, "../internal/bundled/cluster.json")
			fakeKubectl(t, "echo \"$*\" >> "+calls+"\ncase \"$*\" in\n\"config current-context\") echo prod-eu ;;\n*' get events '*) "+row.events+" ;;\n*) cat \"$OBJECTS\" ;;\nesac\n")
			got := ran(t, append(row.args, "--now", "2026-11-20T10:30:00Z")...)
			if got.status != row.status || !strings.Contains(strings.Join(strings.Fields(got.stdout), " "), row.want) {
				t.Errorf("status %d, and %q is not in\n%s%s", got.status, row.want, got.stdout, got.stderr)
			}
			if row.wrong != "" && strings.Contains(got.stdout, row.wrong) {
				t.Errorf("%q is in\n%s", row.wrong, got.stdout)
			}
			if noted := strings.Contains(got.stderr, "its events"); !strings.Contains(got.stderr, row.note) || noted != (row.note != "") {
				t.Errorf("%q is not in\n%s", row.note, got.stderr)
			}
			if strings.Contains(strings.Join(row.args, " "), "json") && !json.Valid([]byte(got.stdout)) {
				t.Errorf("no JSON: %s", got.stdout)
			}
			asked, err := os.ReadFile(calls)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(asked), query+"\n") != row.asked || strings.Count(string(asked), "get events") > 1 {
				t.Errorf("kubectl was called with\n%s", asked)
			}
		})
	}
}
