package generate

import (
	"encoding/json"

	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// Body generates bodies for a mode. Most are valid and deny a few things.
func Body(mode httpget.Mode) func(Source) []byte {
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
			if mode != httpget.ClusterMode {
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
