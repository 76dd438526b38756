package generate

import (
	"time"

	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// Probe generates valid probes with many fields left at their defaults.
func Probe(s Source) httpget.Spec {
	p := httpget.Spec{
		Name:   pick(s, "", "", "health", "incident"),
		Mode:   pick(s, "", httpget.StatusMode, httpget.BodyMode, httpget.ClusterMode),
		Scheme: pick(s, "", "http", "HTTP", "https", "Https"),
		Host:   pick(s, "myclusterhealth.svc.local", "10.0.0.7", "fd00::1", "[fd00::1]", "fe80::1%eth0"),
		Port: oneOf(s,
			func(s Source) int { return pick(s, 1, 8080, 65535) }, func(s Source) int { return s.Between(1, 65535) }),
		Path: pick(s, "", "/", "/healthz", "/pools/gpu?why=roll&n=%20"),

		TimeoutSeconds:   pick(s, 0, 1, 5),
		PeriodSeconds:    pick(s, 0, 1, 10, 60),
		SuccessThreshold: s.Between(0, 4),
		FailureThreshold: s.Between(0, 4),
	}
	p.MaxAgeSeconds = pick(s, 0, int(p.Period()/time.Second)+1, 300)
	p.HTTPHeaders = several(s, 0, 2, func(s Source) httpget.Header {
		return httpget.Header{
			Name: pick(s, "X-Pool", "Authorization", "X-Pool"), Value: pick(s, "", "gpu", `Bearer "<&>"`),
		}
	})
	return p
}

// BrokenProbe generates probes with a fault.
func BrokenProbe(s Source) httpget.Spec {
	p := Probe(s)
	switch s(9) {
	case 0:
		p.Mode = "readiness"
	case 1:
		p.Scheme = "ftp"
	case 2:
		p.Host = pick(s, "", "http://health", "health:80", "a b")
	case 3:
		p.Port = pick(s, 0, -1, 65536)
	case 4:
		p.Path = "healthz"
	case 5:
		p.HTTPHeaders = append(p.HTTPHeaders, httpget.Header{Name: "X Pool"})
	case 6:
		p.SuccessThreshold = -1
	case 7:
		p.MaxAgeSeconds = int(p.Period() / time.Second)
	default:
		p.Broken = "nobody can read it"
	}
	return p
}

// PoolLabels generates labels of pools. Selectors of PoolSelector match some of them.
func PoolLabels(s Source) map[string]string {
	all := map[string]string{}
	for _, key := range several(s, 0, 3, func(s Source) string { return pick(s, "team", "zone", "tier") }) {
		all[key] = pick(s, "", "search", "gpu", "a")
	}
	return all
}

// PoolName generates names of pools. Selectors of PoolSelector match some of them.
func PoolName(s Source) string { return pick(s, "gpu", "web", "search") }

// PoolSelector generates selectors by name, by label and by the value of one.
func PoolSelector(s Source) probe.PoolSelector {
	return pick[probe.PoolSelector](s,
		"gpu", "web", "search", "a", "team=search", "team=", "zone=a", "nobody", "no=body")
}

// Denial generates denials that have ended, will end, or never do.
func Denial(now time.Time) func(Source) probe.Denial {
	return func(s Source) probe.Denial {
		d := probe.Denial{
			Reason: reasonOrAll(s), Pools: several(s, 0, 3, PoolSelector), Cause: pick(s, "", "an incident"),
		}
		if s.Bool() {
			d.Until = now.Add(time.Duration(s.Between(-2, 5)) * time.Minute)
		}
		return d
	}
}
