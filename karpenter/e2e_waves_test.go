package karpenter_test

import (
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// calls returns when the nodes that were disrupted since a row were, in order.
func (s *story) calls(from int) (at []time.Time) {
	for i := range s.Timeline()[from:] {
		for range s.started(from + i)[len(s.started(from+i+1)):] {
			at = append(at, s.Timeline()[from+i].At)
		}
	}
	return at
}

// done returns when, since a row, so many nodes were new and Ready for the first time, and none in flight but those whose instances terminate.
func (s *story) done(from, nodes int) time.Time {
	for _, row := range s.Timeline()[from:] {
		fresh, others := 0, 0
		for _, zone := range row.Zones {
			fresh += zone.New
			others += zone.InFlight - zone.Ending + zone.Booting
		}
		if others == 0 && fresh >= nodes {
			return row.At
		}
	}
	s.t.Fatalf("%d nodes were never new", nodes)
	return time.Time{}
}

// inWaves fails unless all nodes have gone since a row, in waves that end at so many new nodes, with a bake after each. At must lie in the
// bake after the first wave, if it is there, and is when the bake begins again.
func (s *story) inWaves(from int, bake time.Duration, again time.Time, waves ...int) {
	s.t.Helper()
	calls := s.calls(from)
	for _, nodes := range waves {
		end := s.done(from, nodes)
		if end.Before(again) {
			end = again
		}
		switch begins := calls[nodes]; {
		case begins.Before(end.Add(bake)):
			s.t.Errorf("node %d was disrupted at %s, before the wave of %d nodes, done at %s, had baked", nodes+1, begins, nodes, end)
		case begins.After(end.Add(bake + time.Minute)):
			s.t.Errorf("node %d was disrupted only at %s: the wave of %d nodes was done at %s", nodes+1, begins, nodes, end)
		}
		again = time.Time{}
	}
	if last := waves[len(waves)-1]; last > 1 && calls[last-1].Sub(calls[1]) > time.Hour {
		s.t.Errorf("the second wave took from %s to %s", calls[1], calls[last-1])
	}
}

const canaryThenHalf = `
budgets:
- {nodes: 100%}
drift:
  rollout: {waves: [1, 50%], bake: 30m}
`

// A probe that denies in a bake begins it again. A restart in one changes nothing.
func TestARollGoesInWaves(t *testing.T) {
	t.Parallel()
	for rule, c := range map[string]struct {
		annotations map[string]string
		policy      string
	}{
		"of a NodePool": {annotations: map[string]string{karpenter.DisruptionAnnotation: canaryThenHalf}},
		"of a policy":   {policy: `{all: true, rollout: {waves: [1, 50%], bake: 30m}}`},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			s := tell(t, func(o *world.Options) {
				o.NodePool = world.NewPool("default", v1.Budget{Nodes: "100%"})
				o.NodePool.Annotations = map[string]string{karpenter.ProbesAnnotation: `[{name: slo, host: slo.example.com, port: 80}]`}
				for key, value := range c.annotations {
					o.NodePool.Annotations[key] = value
				}
				if c.policy != "" {
					o.Objects = []client.Object{policyObject("canary", c.policy)}
				}
			})
			row := len(s.Timeline())
			s.drift()
			s.until(time.Hour, "the canary is new", func() bool { return len(s.started(row)) == 1 && len(s.InFlight()) == 0 })
			s.lasts(20 * time.Minute)
			s.endpoint.down = true
			s.lasts(15 * time.Minute) // past the end of the bake
			s.endpoint.down = false
			again := s.Clock.Now()
			s.until(time.Hour, "the second wave is done", func() bool { return len(s.started(row)) == 6 && len(s.InFlight()) == 0 })
			s.lasts(10 * time.Minute)
			if err := s.Restart(); err != nil {
				t.Fatal(err)
			}
			s.rolls(3 * time.Hour)
			s.inWaves(row, 30*time.Minute, again, 1, 6)
		})
	}
}
