package steward

import (
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

func TestClocksThatDifferAreReported(t *testing.T) {
	for _, c := range []struct {
		stamped time.Duration // after noon, when the steward wrote by its own clock, for two seconds
		ahead   float64
		told    bool
	}{
		{0, 0, false}, {2 * time.Second, 0, false}, {-time.Second, 0, false}, // within the write, and what a second hides
		{-11 * time.Second, 10, false}, {-12 * time.Second, 11, true},
		{12 * time.Second, -10, false}, {13 * time.Second, -11, true},
	} {
		told := false
		ctx := log.IntoContext(t.Context(), funcr.New(func(_, _ string) { told = true }, funcr.Options{}))
		n := &corev1.Node{}
		old, stamp := metav1.NewTime(noon.Add(-time.Hour)), metav1.NewTime(noon.Add(c.stamped))
		n.ManagedFields = []metav1.ManagedFieldsEntry{{Time: &stamp}, {Time: &old}, {}}
		(&Steward{}).compare(ctx, n, noon, noon.Add(2*time.Second))
		if got := testutil.ToFloat64(clockSkew); got != c.ahead || told != c.told {
			t.Errorf("stamped %s later: ahead by %v, told: %v; want %v, %v", c.stamped, got, told, c.ahead, c.told)
		}
	}
}
