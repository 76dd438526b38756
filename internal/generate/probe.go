package generate

import (
	"encoding/json"
	"errors"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

// Probe generates probes that are valid, many of whose fields are left to their defaults.
func Probe() *rapid.Generator[probe.Probe] {
	return rapid.Custom(func(t *rapid.T) probe.Probe {
		p := probe.Probe{
			Name:   rapid.SampledFrom([]string{"", "", "health", "incident"}).Draw(t, "name"),
			Mode:   rapid.SampledFrom([]probe.Mode{"", probe.StatusMode, probe.BodyMode, probe.ClusterMode}).Draw(t, "mode"),
			Scheme: rapid.SampledFrom([]string{"", "http", "HTTP", "https", "Https"}).Draw(t, "scheme"),
			Host:   rapid.SampledFrom([]string{"myclusterhealth.svc.local", "10.0.0.7", "fd00::1", "[fd00::1]", "fe80::1%eth0"}).Draw(t, "host"),
			Port:   rapid.OneOf(rapid.SampledFrom([]int{1, 8080, 65535}), rapid.IntRange(1, 65535)).Draw(t, "port"),
			Path:   rapid.SampledFrom([]string{"", "/", "/healthz", "/pools/gpu?why=roll&n=%20"}).Draw(t, "path"),

			TimeoutSeconds:   rapid.SampledFrom([]int{0, 1, 5}).Draw(t, "timeout"),
			PeriodSeconds:    rapid.SampledFrom([]int{0, 1, 10, 60}).Draw(t, "period"),
			SuccessThreshold: rapid.IntRange(0, 4).Draw(t, "success threshold"),
			FailureThreshold: rapid.IntRange(0, 4).Draw(t, "failure threshold"),
		}
		p.MaxAgeSeconds = rapid.SampledFrom([]int{0, int(p.Period()/time.Second) + 1, 300}).Draw(t, "maximum age")
		for range rapid.IntRange(0, 2).Draw(t, "headers") {
			p.HTTPHeaders = append(p.HTTPHeaders, probe.Header{
				Name:  rapid.SampledFrom([]string{"X-Pool", "Authorization", "X-Pool"}).Draw(t, "header"),
				Value: rapid.SampledFrom([]string{"", "gpu", `Bearer "<&>"`}).Draw(t, "value"),
			})
		}
		return p
	})
}

// BrokenProbe generates probes with a fault.
func BrokenProbe() *rapid.Generator[probe.Probe] {
	return rapid.Custom(func(t *rapid.T) probe.Probe {
		p := Probe().Draw(t, "probe")
		switch rapid.IntRange(0, 8).Draw(t, "fault") {
		case 0:
			p.Mode = "readiness"
		case 1:
			p.Scheme = "ftp"
		case 2:
			p.Host = rapid.SampledFrom([]string{"", "http://health", "health:80", "a b"}).Draw(t, "bad host")
		case 3:
			p.Port = rapid.SampledFrom([]int{0, -1, 65536}).Draw(t, "bad port")
		case 4:
			p.Path = "healthz"
		case 5:
			p.HTTPHeaders = append(p.HTTPHeaders, probe.Header{Name: "X Pool"})
		case 6:
			p.SuccessThreshold = -1
		case 7:
			p.MaxAgeSeconds = int(p.Period() / time.Second)
		default:
			p.Broken = "nobody can read it"
		}
		return p
	})
}

// PoolLabels generates labels of pools, of which PoolSelector's selectors mean some.
func PoolLabels() *rapid.Generator[map[string]string] {
	keys, values := rapid.SampledFrom([]string{"team", "zone", "tier"}), rapid.SampledFrom([]string{"", "search", "gpu", "a"})
	return rapid.MapOfN(keys, values, 0, 3)
}

// PoolName generates names of pools, of which PoolSelector's selectors mean some.
func PoolName() *rapid.Generator[string] { return rapid.SampledFrom([]string{"gpu", "web", "search"}) }

// PoolSelector generates selectors by name, by label and by the value of one.
func PoolSelector() *rapid.Generator[probe.PoolSelector] {
	return rapid.SampledFrom([]probe.PoolSelector{"gpu", "web", "search", "a", "team=search", "team=", "zone=a", "nobody", "no=body"})
}

// Action generates actions that are understood, in any of their spellings.
func Action() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"drift", "Drifted", "DRIFT:AMIDrift", "drifted/SubnetDrift", "emptiness", "Empty",
		"underutilized", "Consolidation", "expiration", "expired"})
}

// Body generates bodies for a mode. Most are understood, and deny a few things.
func Body(mode probe.Mode) *rapid.Generator[[]byte] {
	type nodePools struct {
		Labels []probe.PoolSelector `json:"labels"`
	}
	type action struct {
		Name        string     `json:"name"`
		ClusterWide bool       `json:"clusterWide,omitempty"`
		NodePools   *nodePools `json:"nodePools,omitempty"`
	}
	return rapid.Custom(func(t *rapid.T) []byte {
		if seldom.Draw(t, "malformed") {
			return []byte(rapid.SampledFrom([]string{"", "ok", "{}", "null", `{"deniedActions":null}`, `{"deniedActions":["drift"]`,
				`{"deniedActions":[],"deniedActions":[]}`, "<html>", "\xff"}).Draw(t, "body"))
		}
		denied := []any{}
		for range rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(t, "denied") {
			name := Action().Draw(t, "action")
			if seldom.Draw(t, "unknown") {
				name = "everything"
			}
			if mode != probe.ClusterMode {
				denied = append(denied, name)
				continue
			}
			a := action{Name: name, ClusterWide: rapid.Bool().Draw(t, "cluster-wide")}
			if rapid.Bool().Draw(t, "to pools") {
				a.NodePools = &nodePools{rapid.SliceOfN(PoolSelector(), 0, 2).Draw(t, "pools")}
			}
			denied = append(denied, a)
		}
		text, err := json.Marshal(map[string]any{"deniedActions": denied})
		if err != nil {
			t.Fatal(err)
		}
		return text
	})
}

// Response generates what comes of a GET at a time. Most are good.
func Response(mode probe.Mode, at time.Time) *rapid.Generator[probe.Response] {
	return rapid.Custom(func(t *rapid.T) probe.Response {
		r := probe.Response{At: at, Status: 200, Body: Body(mode).Draw(t, "body")}
		switch rapid.IntRange(0, 9).Draw(t, "answer") {
		case 0:
			r = probe.Response{At: at}
		case 1:
			r.Err = errors.New("the connection broke")
		case 2:
			r.Status = rapid.SampledFrom([]int{-1, 0, 199, 203, 204, 301, 304, 404, 500, 503}).Draw(t, "bad status")
		case 3:
			r.Status = rapid.IntRange(200, 202).Draw(t, "status")
		}
		return r
	})
}

// Observation generates what is known of a probe after a few answers, of which the last is from about now, or none.
func Observation(p probe.Probe, now time.Time) *rapid.Generator[probe.Observation] {
	return rapid.Custom(func(t *rapid.T) probe.Observation {
		var o probe.Observation
		age := rapid.SampledFrom([]time.Duration{-time.Nanosecond, 0, time.Second, p.MaxAge() - 1, p.MaxAge(), time.Hour}).Draw(t, "age")
		for left := rapid.IntRange(0, 6).Draw(t, "answers"); left > 0; left-- {
			at := now.Add(-age - time.Duration(left-1)*p.Period())
			o = probe.Observe(p, o, Response(p.Mode, at).Draw(t, "response"))
		}
		return o
	})
}

// Denial generates denials that have ended, will end, or never do.
func Denial(now time.Time) *rapid.Generator[probe.Denial] {
	return rapid.Custom(func(t *rapid.T) probe.Denial {
		d := probe.Denial{
			Reason: rapid.OneOf(Reason(), rapid.Just[candidate.Reason]("")).Draw(t, "reason"),
			Pools:  rapid.SliceOfN(PoolSelector(), 0, 3).Draw(t, "pools"),
			Cause:  rapid.SampledFrom([]string{"", "an incident"}).Draw(t, "cause"),
		}
		if rapid.Bool().Draw(t, "ends") {
			d.Until = now.Add(time.Duration(rapid.IntRange(-2, 5).Draw(t, "minutes")) * time.Minute)
		}
		return d
	})
}

// ReplacementBreaker generates breakers that are valid, with cool-downs of some minutes, or until a reset.
func ReplacementBreaker(now time.Time) *rapid.Generator[probe.ReplacementBreaker] {
	return rapid.Custom(func(t *rapid.T) probe.ReplacementBreaker {
		b := probe.ReplacementBreaker{
			Reasons:  rapid.SliceOfN(Reason(), 0, 2).Draw(t, "reasons"),
			Failures: rapid.IntRange(1, 4).Draw(t, "failures"),
			CoolDown: time.Duration(rapid.IntRange(1, 30).Draw(t, "minutes")) * time.Minute,
			ResetAt:  resetAt(now).Draw(t, "reset"),
		}
		b.Of = b.Failures + rapid.IntRange(0, 3).Draw(t, "more")
		if seldom.Draw(t, "for ever") {
			b.CoolDown = candidate.Forever
		}
		return b
	})
}

// Launches generates what became of up to 12 new nodes within the last hour, in any order, many at the same time.
func Launches(now time.Time) *rapid.Generator[[]probe.Launch] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) probe.Launch {
		return probe.Launch{At: lately(now).Draw(t, "at"), Failed: rapid.Bool().Draw(t, "failed")}
	}), 0, 12)
}

// ScaleDownBreaker generates breakers that are valid, with or without a cool-down, or until a reset.
func ScaleDownBreaker(now time.Time) *rapid.Generator[probe.ScaleDownBreaker] {
	return rapid.Custom(func(t *rapid.T) probe.ScaleDownBreaker {
		b := probe.ScaleDownBreaker{
			Reasons:  rapid.SliceOfN(Reason(), 0, 2).Draw(t, "reasons"),
			MoreThan: rapid.IntRange(0, 4).Draw(t, "more than"),
			Within:   time.Duration(rapid.IntRange(1, 20).Draw(t, "within")) * time.Minute,
			CoolDown: time.Duration(rapid.IntRange(0, 30).Draw(t, "minutes")) * time.Minute,
			ResetAt:  resetAt(now).Draw(t, "reset"),
		}
		if seldom.Draw(t, "for ever") {
			b.CoolDown = candidate.Forever
		}
		return b
	})
}

// Downs generates when up to 12 nodes began to go down within the last hour, in any order, many at the same time.
func Downs(now time.Time) *rapid.Generator[[]time.Time] { return rapid.SliceOfN(lately(now), 0, 12) }

// lately generates whole minutes of the last hour, now among them, and seldom the next few.
func lately(now time.Time) *rapid.Generator[time.Time] {
	return rapid.Map(rapid.IntRange(-60, 3), func(minutes int) time.Time { return now.Add(time.Duration(minutes) * time.Minute) })
}

// resetAt generates when a breaker was reset: never, mostly.
func resetAt(now time.Time) *rapid.Generator[time.Time] {
	return rapid.OneOf(rapid.Just(time.Time{}), rapid.Just(time.Time{}), lately(now))
}
