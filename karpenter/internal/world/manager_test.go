package world

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// As the watch of state.nodeclaimgc has it, each NodeClaim is looked at once, 15 seconds after it was created, and also if it is
// gone by then.
func TestEachNodeClaimIsCollectedOnce(t *testing.T) {
	clock := newClock(time.Date(2026, time.November, 23, 10, 0, 0, 0, time.UTC))
	m := &manager{api: newAPI(clock), clock: clock, faults: func(err error) { t.Error(err) }}
	var got []string
	collect := m.collecting("gc", reconcile.Func(func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
		got = append(got, r.Name+" "+clock.Now().Format("05"))
		return reconcile.Result{}, nil
	}))
	claim := func(name string) *v1.NodeClaim { return &v1.NodeClaim{ObjectMeta: metav1.ObjectMeta{Name: name}} }
	for second := range 60 {
		var err error
		switch second {
		case 0:
			err = m.api.Create(t.Context(), claim("early"))
		case 5:
			err = m.api.Create(t.Context(), claim("gone"))
		case 6:
			err = m.api.Delete(t.Context(), claim("gone"))
		case 30, 50: // it is gone, and another has its name
			err = m.api.Delete(t.Context(), claim("early"))
		case 31:
			err = m.api.Create(t.Context(), claim("early"))
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := collect(t.Context()); err != nil {
			t.Fatal(err)
		}
		clock.Step(time.Second)
	}
	if diff := cmp.Diff([]string{"early 15", "gone 20", "early 46"}, got); diff != "" {
		t.Error(diff)
	}
}
