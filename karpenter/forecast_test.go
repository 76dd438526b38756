package karpenter_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/yaml"
)

// ownLists are budgets as people write them, and as they should not, besides those of real reports.
var ownLists = []string{
	`{}`,
	`{"budgets": []}`,
	`{"budgets": [{"nodes": "0", "schedule": "0 0 30 2 *", "duration": "1h"}]}`,
	`{"budgets": [{"nodes": "20%"}, {"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h", "reasons": ["Drifted", "Underutilized"]}]}`,
	`{"budgets": [{"nodes": "5"}, {"nodes": "0", "schedule": "0 0 * * sat-sun", "duration": "48h", "reasons": ["Empty"]}]}`,
	`{"budgets": [{"nodes": "1", "topologyKey": "topology.kubernetes.io/zone", "sequential": true, "reasons": ["Drifted"]}, {"nodes": "10%"}]}`,
	`{"budgets": [{"nodes": "0", "schedule": "0 22 * * *", "duration": "8h", "timeZone": "Asia/Tokyo", "outside": true}, {"nodes": "7"}]}`,
	`{"budgets": [{"nodes": "0", "reasons": []}, {"nodes": "3", "schedule": "*/45 * * * *", "duration": "20m", "reasons": ["Unhealthy"]}]}`,
	`{"consolidationPolicy": "WhenEmpty", "consolidateAfter": "Never", "budgets": [{"nodes": "34%", "schedule": "@daily", "duration": "0m"}]}`,
	`{"budgets": [{"nodes": 10}]}`,
	`{"budgets": [{"nodes": "4294967301", "schedule": "30 1 * * 1", "duration": "167h"}, {"nodes": "100%", "schedule": "@hourly", "duration": "30m"}], "expireAfter": "720h"}`,
	`{"drift": {"budgets": [{"nodes": "0"}]}, "budgets": [{"nodes": "2", "reasons": ["Drifted"], "schedule": "0 17 * * mon-fri", "duration": "16h"}]}`,
}

// A forecast pool is one of the answer of the program forecast.
type forecastPool struct {
	Name     string
	Never    map[string]string
	Segments []struct {
		From, To time.Time
		Allowed  map[string]*int
	}
	Findings []struct{ Code string }
}

// forecast runs the program, for stock Karpenter, on a NodePool for each spec.disruption.
func forecast(t *testing.T, week time.Time, nodes int, disruptions []json.RawMessage) []forecastPool {
	t.Helper()
	var input bytes.Buffer
	for i, d := range disruptions {
		fmt.Fprintf(&input, `{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "pool%d"}, "spec": {"disruption": %s}}`+"\n", i, d)
	}
	program := exec.Command("go", "run", "./kubectl-disruption", "forecast", "--engine", "karpenter", "-o", "json",
		"--nodes", fmt.Sprint(nodes), "--from", week.Format(time.DateOnly), "--reason", "Drifted,Empty,Underutilized,Unhealthy", "-")
	program.Dir, program.Stdin, program.Stderr = "../cmd", &input, &bytes.Buffer{}
	text, err := program.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) { // something is broken, as it should be
		t.Fatalf("%v: %s", err, program.Stderr)
	}
	var answer struct {
		As    string
		Pools []forecastPool
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.As != "karpenter" || len(answer.Pools) != len(disruptions) {
		t.Fatalf("%v: %s", err, text)
	}
	return answer.Pools
}

// reported returns the spec.disruption of NodePools that people reported, and of the other test data of the program.
func reported(t *testing.T) (disruptions []json.RawMessage) {
	t.Helper()
	files := must(filepath.Glob("../cmd/internal/forecast/testdata/*.yaml"))
	for _, file := range files {
		for document := range strings.SplitSeq(string(must(os.ReadFile(file))), "\n---\n") {
			var object struct {
				Spec    struct{ Disruption map[string]any }
				Budgets any
			}
			if yaml.Unmarshal([]byte(document), &object) != nil {
				continue // one that is broken on purpose
			}
			disruption := object.Spec.Disruption
			if disruption == nil && object.Budgets != nil {
				disruption = map[string]any{"budgets": object.Budgets}
			}
			if disruption != nil {
				disruptions = append(disruptions, must(json.Marshal(disruption)))
			}
		}
	}
	if len(disruptions) < 10 {
		t.Fatalf("only %d in %v", len(disruptions), files)
	}
	return disruptions
}

// What forecast says for stock Karpenter is what Karpenter says, in each hour of a week; and what its API server rejects is said to be
// rejected.
func TestForecastForKarpenterIsWhatKarpenterAllows(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	quiet(t)
	week, nodes := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC), 100
	disruptions := reported(t)
	for _, text := range ownLists {
		disruptions = append(disruptions, json.RawMessage(text))
	}
	compared, rejected := 0, 0
	for i, p := range forecast(t, week, nodes, disruptions) {
		stored, err := theAPIServer().admit(disruptions[i])
		refused := slices.ContainsFunc(p.Findings, func(f struct{ Code string }) bool { return f.Code == "rejected" })
		if refused != (err != nil) {
			t.Errorf("%s is rejected: %t, the API server says %v", disruptions[i], refused, err)
		}
		if err != nil {
			rejected++
			continue
		}
		var theirs v1.Disruption
		succeed(json.Unmarshal(stored, &theirs))
		for at := week; at.Before(week.AddDate(0, 0, 7)); at = at.Add(time.Hour) {
			for _, reason := range karpenterReasons {
				if p.Never[string(reason)] != "" { // a consolidationPolicy, which is no budget's
					continue
				}
				compared++
				want := allowedByKarpenter(theirs.Budgets, at, nodes, reason)
				if got := p.at(t, at, string(reason)); min(got, math.MaxInt32) != want {
					t.Fatalf("%s at %s for %s: %d, Karpenter says %d", disruptions[i], at, reason, got, want)
				}
			}
		}
	}
	t.Logf("%d lists, %d of them rejected, %d answers compared", len(disruptions), rejected, compared)
	if compared < 168*4*15 || rejected < 2 {
		t.Error("too little was compared")
	}
}

// at returns what is allowed at a time.
func (p forecastPool) at(t *testing.T, at time.Time, reason string) int {
	t.Helper()
	for _, s := range p.Segments {
		if !at.Before(s.From) && at.Before(s.To) {
			n, there := s.Allowed[reason]
			switch {
			case !there:
				t.Fatalf("%s is not in %+v", reason, s)
			case n == nil:
				return math.MaxInt
			}
			return *n
		}
	}
	t.Fatalf("%s is in no segment", at)
	return 0
}
