package karpenter

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/awslabs/operatorpkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/node/hydration"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/state/informer"

	"github.com/disruptkit/disruptkit/probe/httpget"
)

func TestControllersReplacesWhatKnowsOfMethodsAndLeavesTheRest(t *testing.T) {
	for name, c := range map[string]struct {
		one      controller.Controller
		replaced bool
	}{
		"the disruption controller":                           {&disruption.Controller{}, true},
		"what keeps the costs of NodePools":                   {&informer.NodePoolController{}, true},
		"what keeps the costs of NodeClaims":                  {&informer.NodeClaimController{}, true},
		"what keeps prices":                                   {&informer.PricingController{}, true},
		"the provisioner, which pods are already waiting for": {&provisioning.Provisioner{}, false},
		"the queue, which has the commands":                   {&disruption.Queue{}, false},
		"another controller":                                  {&hydration.Controller{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			list := []controller.Controller{c.one, &disruption.Controller{}, &provisioning.Provisioner{}, &disruption.Queue{}}
			g := newGuarded(t)
			guarded := Controllers(karpenterContext(t), g.Cluster, list)
			if len(guarded) != len(list)+2 {
				t.Fatalf("%d controllers became %d: one more asks probes, and one reports of policies", len(list), len(guarded))
			}
			if was, is := fmt.Sprintf("%T", c.one), fmt.Sprintf("%T", guarded[0]); was != is {
				t.Errorf("%s became %s", was, is)
			}
			if (guarded[0] != c.one) != c.replaced || list[0] != c.one {
				t.Errorf("replaced: %t, and the list itself must stay", guarded[0] != c.one)
			}
		})
	}
}

func TestControllersPanicsWhereNothingWouldBeGuarded(t *testing.T) {
	for name, list := range map[string][]controller.Controller{
		"no controllers":           nil,
		"no disruption controller": {&provisioning.Provisioner{}, &disruption.Queue{}},
		"no queue":                 {&provisioning.Provisioner{}, &disruption.Controller{}},
		"no provisioner":           {&disruption.Queue{}, &disruption.Controller{}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it went on")
				}
			}()
			Controllers(karpenterContext(t), newGuarded(t).Cluster, list)
		})
	}
}

// A stubManager runs what is added to it.
type stubManager struct {
	manager.Manager
	runs manager.Runnable
}

func (m *stubManager) Add(r manager.Runnable) error {
	m.runs = r
	return nil
}

func TestProbesAreAskedAsLongAsTheManagerRuns(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(address.Port())
	if err != nil {
		t.Fatal(err)
	}
	p := httpget.Spec{Host: address.Hostname(), Port: port, PeriodSeconds: 1}
	g := newGuarded(t)
	list := Controllers(karpenterContext(t), g.Cluster, []controller.Controller{&provisioning.Provisioner{}, &disruption.Queue{}, &disruption.Controller{}})
	var m stubManager
	probes := slices.IndexFunc(list, func(c controller.Controller) bool { _, is := c.(probing); return is })
	if err := list[probes].Register(t.Context(), &m); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	ended := make(chan error)
	go func() { ended <- m.runs.Start(ctx) }()
	g.Prober.Set([]httpget.Spec{p})
	for !g.Prober.Verdicts(p)[0].Allowed {
		if ctx.Err() != nil {
			t.Fatalf("the probe says %+v", g.Prober.Verdicts(p)[0])
		}
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
