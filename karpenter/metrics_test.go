package karpenter

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/disruptkit/disruptkit/cmd/golden"
)

// The file that this test keeps is what the alert on memories that cannot be stored is checked with, in the directory cmd/observability.
func TestAMemoryThatCannotBeWrittenIsCounted(t *testing.T) {
	memoryFailures.Reset()
	g := newGuarded(t, pool("default", DisruptionAnnotation, onePerHour))
	g.node("default", "a1", 9)
	g.refuse(apierrors.NewForbidden(nodePools, "default", errors.New("no")))
	g.mustCompute(Guard(drift(), g.Cluster), 1)

	registry := prometheus.NewRegistry()
	registry.MustRegister(memoryFailures)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	golden.Check(t, "../../cmd/observability/testdata/guard.txt", w.Body.String())
}
