package decide

import (
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/topology"
)

// manyZones are more than a table shows of those where nothing happens.
const manyZones = 12

// zones shows, for each budget with a topology key, the numbers of each zone or rack, and whose turn it is. What the
// reason asked for shows is not repeated for its children.
func (t *table) zones(d disruptkit.Decision) {
	type scope struct {
		key    string
		budget int
	}
	shown := map[scope]bool{}
	show := func(list []disruptkit.PoolDecision, key func(string) string) {
		for _, p := range list {
			for _, s := range p.Topology {
				if id := (scope{key(p.Pool), s.Budget}); !shown[id] {
					shown[id] = true
					t.zonesOf(key(p.Pool), p.Pool, s)
				}
			}
		}
	}
	show(d.Pools, poolKey)
	show(d.Groups, groupKey)
}

// zonesOf shows the zones of a budget.
func (t *table) zonesOf(key, name string, s topology.Selection) {
	g := tell.NewGrid(kind(s.Key), "NODES", "LIMIT", "IN FLIGHT", "LEFT", "TO GO", "TURN").AlignRight(1, 2, 3, 4, 5)
	quiet := 0
	for _, d := range s.Domains {
		switch {
		case d.Nodes+d.Rolling+d.ToGo == 0: // none of its nodes is initialized
		case d.InFlight+d.Rolling+d.ToGo == 0 && len(s.Domains) > manyZones:
			quiet++
		default:
			g.Add(d.String(), fmt.Sprint(d.Nodes), fmt.Sprint(d.Allowed), fmt.Sprint(d.InFlight), fmt.Sprint(d.Remaining),
				fmt.Sprint(d.ToGo), tell.Turn(s, d, t.clock.Until))
		}
	}
	if len(g.Rows) == 1 && quiet == 0 {
		return
	}
	budgets := t.policies[key].Budgets
	t.line("\n%s", tell.Wrap(fmt.Sprintf("%s, %s: %s", wording.Quote(name), budgets.Place(s.Budget), budgets.Budgets()[s.Budget]), "  "))
	if len(g.Rows) > 1 {
		t.WriteString(g.String())
	}
	if quiet > 0 {
		t.line("and %d where nothing is in flight or to go", quiet)
	}
}

// kind names what a topology key tells apart: ZONE, RACK, ….
func kind(key string) string {
	return strings.ToUpper(key[strings.LastIndexByte(key, '/')+1:])
}
