package metrics

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
)

// A rolling cluster has two NodePools of four nodes each that drift. It has replaced as many as given, for as many revisions.
type rolling struct {
	done, revision atomic.Int32
	more           string // further objects
}

func (r *rolling) read(string) (io.ReadCloser, error) {
	began := time.Now().UTC().Add(-time.Hour)
	stamp := func(after time.Duration) string { return began.Add(after).Format(time.RFC3339) }
	var text strings.Builder
	for _, pool := range []string{"web", "batch"} {
		fmt.Fprintf(&text, "---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: %s, annotations: {karpenter.sh/nodepool-hash: \"%d\"}}\n"+
			"spec: {disruption: {consolidateAfter: Never, budgets: [{nodes: \"1\"}]}}\n", pool, r.revision.Load())
		for i := range 4 {
			name, drifted, created := fmt.Sprint(pool, "-", i), "True", stamp(-time.Hour)
			if int32(i) < r.done.Load() {
				name, drifted, created = name+"-new", "False", stamp(time.Duration(i+1)*10*time.Minute)
			}
			text.WriteString(node(name, pool, created, drifted, stamp(0), i%2))
		}
	}
	return io.NopCloser(strings.NewReader(text.String() + r.more + noPods + noPDBs)), nil
}

// node returns a Node and its NodeClaim.
func node(name, pool, created, drifted, since string, zone int) string {
	return fmt.Sprintf(`---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: %s, labels: {karpenter.sh/nodepool: %s}, creationTimestamp: %q}
status:
  nodeName: %[1]s
  conditions:
  - {type: Drifted, status: %[4]q, reason: Drifted, lastTransitionTime: %[5]q}
  - {type: Initialized, status: "True", reason: Initialized, lastTransitionTime: %[3]q}
---
apiVersion: v1
kind: Node
metadata: {name: %[1]s, labels: {karpenter.sh/nodepool: %[2]s, karpenter.sh/registered: "true", karpenter.sh/initialized: "true", topology.kubernetes.io/zone: z%[6]d}}
status: {conditions: [{type: Ready, status: "True"}]}
`, name, pool, created, drifted, since, zone)
}

func TestARollIsComparedWithItsFirstPlan(t *testing.T) {
	cluster := &rolling{}
	cluster.done.Store(1)
	d := dashboardOf(t, cluster.read, "--watch-every", "1s")
	page := texts([]byte(d.until(t, "2 of 8 nodes up to date", true)))
	for _, want := range []string{
		"Planned: 6 nodes to go, 6 done by", "web 4 1 0 0 3 0", "z0 2 1 0 0 1 0",
		"0 of 6 nodes done.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
	cluster.done.Store(2)
	page = texts([]byte(d.until(t, "4 of 8 nodes up to date", true)))
	for _, want := range []string{"2 of 6 done", "2 of 6 nodes done. The first plan"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
	cluster.done.Store(4)
	html := d.until(t, "8 of 8 nodes up to date", true)
	if curve := regexp.MustCompile(`class="actual" d="([^"]*)"`).FindStringSubmatch(html); curve == nil || !regexp.MustCompile(`^M\S+ 1000.0H\S+V666.7H\S+V0.0H\S+V0.0$`).MatchString(curve[1]) {
		t.Errorf("the curve of what is done: %v", curve)
	}
	page = texts([]byte(html))
	for _, want := range []string{"6 of 6 done", "nothing is left to do", "batch 4 4 0 0 0 0 done", "Nothing: no node that has a reason to go waits."} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
	cluster.done.Store(0) // all drift anew
	cluster.revision.Store(1)
	if page = texts([]byte(d.until(t, "0 of 8 nodes up to date", true))); !strings.Contains(page, "Planned: 8 nodes to go") || !strings.Contains(page, "0 of 8 nodes done.") {
		t.Errorf("another revision:\n%s", page)
	}
}

func TestTheExitStatusSaysWhetherAllWasWellAtLast(t *testing.T) {
	cluster := &rolling{}
	if d := dashboardOf(t, cluster.read); d.stop() != good {
		t.Errorf("all is well: %s", d.stderr)
	}
	fault := atomic.Bool{}
	d := dashboardOf(t, func(kinds string) (io.ReadCloser, error) {
		if fault.Load() {
			return nil, errors.New("refused")
		}
		return cluster.read(kinds)
	}, "--watch-every", "1s")
	fault.Store(true)
	d.until(t, "This is old", true)
	if status := d.stop(); status != faulty {
		t.Errorf("it cannot be read: %d", status)
	}
	cluster.more = "---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: bad}\nspec: {disruption: {budgets: [{nodes: many}]}}\n"
	d = dashboardOf(t, cluster.read)
	_, page := d.asked(t, http.MethodGet, "", "/")
	if status := d.stop(); status != faulty || !strings.Contains(d.stderr.String(), "NodePool/bad") || !strings.Contains(page, `<p class="fault">NodePool/bad: `) {
		t.Errorf("something is broken: %d, %s\n%s", status, d.stderr, texts([]byte(page)))
	}
}

func TestWhereAKindIsMissingNobodyKnowsHowFarRollsAre(t *testing.T) {
	objects, err := (&rolling{}).read("")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(objects)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), noPods, "", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	d := dashboardOf(t, nil, "-f", file)
	_, page := d.asked(t, http.MethodGet, "", "/")
	if !strings.Contains(page, "How far rolls are is unknown: no Pods were given") || strings.Contains(page, "nodes new") || !strings.Contains(page, "web") {
		t.Error(texts([]byte(page)))
	}
	if status := d.stop(); status != faulty {
		t.Errorf("exit status %d", status)
	}
}

func TestADashboardOfOneNodePoolShowsNoOther(t *testing.T) {
	cluster := &rolling{}
	d := dashboardOf(t, cluster.read, "--pool", "web")
	_, page := d.asked(t, http.MethodGet, "", "/")
	if strings.Contains(page, "batch") || !strings.Contains(page, "0 of 4 nodes up to date in 1 NodePool") || !strings.Contains(page, "4 nodes to go") {
		t.Error(texts([]byte(page)))
	}
	if d := dashboardOf(t, cluster.read, "--pool", "wbe"); d.stop() != hopeless || !strings.Contains(d.stderr.String(), `there is no NodePool "wbe": there are batch, web`) {
		t.Errorf("%s", d.stderr)
	}
}

// The curves are 1000 wide and high.
func TestCurvesGoFromTheFirstPlanToTheLastNode(t *testing.T) {
	at := tell.Clock{Now: begin}
	after := func(hours float64) time.Time { return begin.Add(time.Duration(hours * float64(time.Hour))) }
	of := &planner.Rolled{All: 4,
		Planned:  []planner.Step{{At: after(-2)}, {At: after(-1), Done: 1}, {At: after(0), Done: 2}, {At: after(1), Done: 3}, {At: after(2), Done: 4}},
		Actual:   []planner.Step{{At: after(-2)}, {At: after(-0.5), Done: 1}, {At: after(0), Done: 1}},
		Expected: []planner.Step{{At: after(0), Done: 1}, {At: after(4), Done: 2}, {At: after(6), Done: 4}},
	}
	c := courseOf(of, at)
	for _, curve := range []struct{ name, got, want string }{
		{"planned", c.Planned, "M0.0 1000.0H125.0V750.0H250.0V500.0H375.0V250.0H500.0V0.0"},
		{"actual", c.Actual, "M0.0 1000.0H187.5V750.0H250.0V750.0"},
		{"expected", c.Expected, "M250.0 750.0H750.0V500.0H1000.0V0.0"},
		{"words", c.Words, "1 of 4 nodes done. The first plan, from Thu 12:45, is done Thu 16:45; the plan of now is done Thu 20:45."},
		{"from", c.From + " to " + c.To, "Thu 12:45 to Thu 20:45"},
	} {
		if curve.got != curve.want {
			t.Errorf("%s: %s, want %s", curve.name, curve.got, curve.want)
		}
	}
	if c.Now != 25 || c.All != 4 {
		t.Errorf("%+v", c)
	}
	if got := courseOf(&planner.Rolled{}, at); got != nil {
		t.Errorf("no node has to go: %+v", got)
	}
}
