package generate

import (
	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/probe"
)

// Inbound generates inputs with pauses of single domains, most of which are inbound, and with pods that may move only
// to some domains, to all of them, or nowhere.
func Inbound(s Source) disruptkit.Input {
	in := oneOf(s, Input, Waiting, WaitingInZones, Grouped)
	in.Pauses = append(in.Pauses, several(s, 1, 2, func(s Source) probe.Pause {
		p := Pause(in.Now)(s)
		p.Key = pick(s, "zone", "zone", "zone", "rack", "")
		p.Domains = pick(s, []string{"a"}, []string{"b"}, []string{"1"}, []string{""}, []string{"a", "c"}, nil)
		return p
	})...)
	for i := range in.Pauses {
		in.Pauses[i].Inbound = !s.seldom()
	}
	for i := range in.Nodes {
		n := &in.Nodes[i]
		n.PodsUnknown = n.PodsUnknown || s(20) == 19
		for j := range n.Pods {
			p := &n.Pods[j]
			p.Stays = p.Stays || s.seldom()
			own := map[string]string{"zone": n.Labels["zone"]}
			p.NodeSelector = pick(s, nil, own, own, map[string]string{"zone": "a"},
				map[string]string{"zone": "c", "rack": "2"}, map[string]string{"zone": ""})
		}
	}
	return in
}
