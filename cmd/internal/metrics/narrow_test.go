package metrics

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/golden"
)

const now = "2026-11-20T10:30:00Z"

// shown is what is shown of each kind.
type shown struct {
	Now                  time.Time
	Metrics              []jsonMetric
	Pools, Nodes, Events []struct{ Name, Pool string }
}

func decoded(t *testing.T, args ...string) (r shown) {
	t.Helper()
	got := ran(t.Context(), "", args...)
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		t.Fatalf("%v: %v %s", args, err, got.stderr)
	}
	return r
}

func TestOnePoolIsShown(t *testing.T) {
	r := decoded(t, "-o", "json", "--pool", "batch")
	if len(r.Pools) != 1 || r.Pools[0].Name != "batch" || len(r.Events) == 0 || len(r.Nodes) == 0 {
		t.Errorf("%+v", r)
	}
	for _, m := range r.Metrics {
		for _, s := range m.Samples {
			if s.Labels["nodepool"] != "batch" {
				t.Errorf("%s has %v", m.Name, s.Labels)
			}
		}
	}
	for _, e := range slices.Concat(r.Events, r.Nodes) {
		if e.Pool != "batch" {
			t.Errorf("%+v", e)
		}
	}
	path := filepath.Join(t.TempDir(), "page.html")
	ran(t.Context(), "", "--page", path, "--pool", "batch")
	if page := read(t, path); !strings.Contains(page, "<h3>batch</h3>") || strings.Contains(page, "<h3>web</h3>") {
		t.Error(page)
	}
}

func TestOneNodeIsShown(t *testing.T) {
	r := decoded(t, "-o", "json", "--node", "batch-04")
	if len(r.Nodes) != 1 || r.Nodes[0].Name != "batch-04" || len(r.Pools) != 1 {
		t.Errorf("%+v", r.Nodes)
	}
}

func TestOneReasonIsDecided(t *testing.T) {
	r := decoded(t, "-f", "../bundled/cluster.json", "--engine", "disruptkit", "--now", now, "--reason", "drifted", "-o", "json")
	reasons := map[string]bool{}
	for _, m := range r.Metrics {
		for _, s := range m.Samples {
			if m.Name == "karpenter_nodepools_allowed_disruptions" {
				reasons[s.Labels["reason"]] = true
			}
		}
	}
	if got := slices.Collect(maps.Keys(reasons)); !slices.Equal(got, []string{"drifted"}) || r.Now.Format("2006-01-02T15:04:05Z") != now {
		t.Errorf("%v at %v", got, r.Now)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestThePageSaysForWhichEngineAndNamesEveryMetric(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	for _, engine := range []string{"karpenter", "guard", "disruptkit"} {
		ran(t.Context(), twoNodes, "-f", "-", "--page", path, "--engine", engine)
		page := read(t, path)
		if !strings.Contains(page, "(--engine "+engine+").") {
			t.Errorf("--engine %s is not said", engine)
		}
		for _, m := range decoded(t, "-o", "json").Metrics {
			if !strings.Contains(page, "<code>"+m.Name+"</code>") {
				t.Errorf("the page does not say what %s is", m.Name)
			}
		}
	}
}

func TestJSON(t *testing.T) {
	day := ran(t.Context(), "", "-o", "json")
	if day.status != good || day.stderr != "" {
		t.Errorf("status %d: %s", day.status, day.stderr)
	}
	golden.Check(t, "file.json", ran(t.Context(), twoNodes, "-f", "-", "--now", now, "-o", "json", "--engine", "karpenter").stdout)
}
