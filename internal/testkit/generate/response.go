package generate

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/disruptkit/disruptkit/probe"
)

// Response generates responses to a GET at a time. Most are good.
func Response(mode probe.Mode, at time.Time) func(Source) probe.Response {
	return func(s Source) probe.Response {
		r := probe.Response{At: at, Status: 200, Body: Body(mode)(s)}
		switch s(8) {
		case 4:
			r.Status = s.Between(200, 202)
		case 5:
			r.Status = pick(s, -1, 0, 199, 203, 204, 301, 304, 404, 500, 503)
		case 6:
			r.Err = errors.New("the connection broke")
		case 7:
			r = probe.Response{At: at}
		}
		return r
	}
}

// Observation generates observations of a probe after a few answers. The last answer is from about now.
func Observation(p probe.Probe, now time.Time) func(Source) probe.Observation {
	return func(s Source) probe.Observation {
		var o probe.Observation
		age := pick(s, -time.Nanosecond, 0, time.Second, p.MaxAge()-1, p.MaxAge(), time.Hour)
		for left := s(7); left > 0; left-- {
			at := now.Add(-age - time.Duration(left-1)*p.Period())
			o = probe.Observe(p, o, Response(p.Mode, at)(s))
		}
		return o
	}
}

// Body generates bodies for a mode. Most are valid and deny a few things.
func Body(mode probe.Mode) func(Source) []byte {
	type nodePools struct {
		Labels []probe.PoolSelector `json:"labels"`
	}
	type action struct {
		Name        string     `json:"name"`
		ClusterWide bool       `json:"clusterWide,omitempty"`
		NodePools   *nodePools `json:"nodePools,omitempty"`
	}
	return func(s Source) []byte {
		if s.seldom() {
			return []byte(pick(s, "", "ok", "{}", "null", `{"deniedActions":null}`, `{"deniedActions":["drift"]`,
				`{"deniedActions":[],"deniedActions":[]}`, "<html>", "\xff"))
		}
		denied := []any{}
		for range pick(s, 0, 0, 1, 2, 3) {
			name := Action(s)
			if s.seldom() {
				name = "everything"
			}
			if mode != probe.ClusterMode {
				denied = append(denied, name)
				continue
			}
			a := action{Name: name, ClusterWide: s.Bool()}
			if s.Bool() {
				// never null
				a.NodePools = &nodePools{append([]probe.PoolSelector{}, several(s, 0, 2, PoolSelector)...)}
			}
			denied = append(denied, a)
		}
		text, err := json.Marshal(map[string]any{"deniedActions": denied})
		if err != nil {
			panic(err)
		}
		return text
	}
}

// Action generates valid actions in all spellings.
func Action(s Source) string {
	return pick(s, "drift", "Drifted", "DRIFT:AMIDrift", "drifted/SubnetDrift", "emptiness", "Empty",
		"underutilized", "Consolidation", "expiration", "expired", "Unhealthy", "unhealthy/Ready")
}
