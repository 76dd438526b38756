package steward

import (
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/golden"
)

// The file that this test keeps is what the queries of the dashboard and of the alerts in the directory cmd/observability are checked with.
func TestWhatTheStewardExports(t *testing.T) {
	for _, vec := range []*prometheus.CounterVec{writes, conflicts, failures} {
		vec.Reset()
	}
	clockSkew.Set(0)
	lastPass.Set(float64(noon.Unix()))
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "nodepools"}, "p", errors.New("modified"))
	for _, err := range []error{nil, conflict, errors.New("no")} {
		ended("store", "storing", err)
	}
	s := Snapshot{Input: disruptkit.Input{Now: noon, Nodes: []candidate.Node{{Name: "held", Pool: "p"}, {Name: "released", Pool: "p"},
		{Name: "going", Pool: "p", Leaving: candidate.Draining}}}, Marks: map[string]annotation.Mark{
		"held": {Disrupt: annotation.Ours, Repair: annotation.Ours}, "released": {Repair: annotation.Ours, Until: noon.Add(time.Minute)}, "going": {}}}
	count(s, Plan{Pools: map[string]Stored{"p": {}}})

	registry := prometheus.NewRegistry()
	registry.MustRegister(nodes, writes, conflicts, failures, clockSkew, lastPass)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	golden.Check(t, "../../../cmd/observability/testdata/steward.txt", w.Body.String())
}
