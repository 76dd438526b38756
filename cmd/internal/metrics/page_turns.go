package metrics

import (
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/topology"
)

// A turnView is a budget whose zones, racks or pools take turns, or a roll in waves.
type turnView struct {
	Of, Rule string
	Domains  []domainView
}

// A domainView is a zone of them.
type domainView struct {
	Name, State string
	Class       string // turn, first, later or done
}

// mostDomains is how many are shown of those that have nothing to do.
const mostDomains = 12

// turns returns whose turn it is. What a reason shows is not repeated for others.
func (p picture) turns(at tell.Clock) (all []turnView) {
	type scope struct {
		of     string
		budget int // -1: waves
	}
	shown := map[scope]bool{}
	add := func(of string, budget int, v func() turnView) {
		if !shown[scope{of, budget}] {
			shown[scope{of, budget}] = true
			all = append(all, v())
		}
	}
	show := func(of string, d disruptkit.PoolDecision) {
		for _, s := range d.Topology {
			if s.Sequential {
				add(of, s.Budget, func() turnView { return turnOf(of, s, at) })
			}
		}
		if wave := tell.Wave(d, at.Day); wave != "" {
			add(of, -1, func() turnView { return turnView{Of: of, Rule: wave} })
		}
	}
	for _, d := range p.decisions {
		for _, of := range d.Pools {
			show(wording.Quote(of.Pool), of)
		}
		for _, of := range d.Groups {
			show("policy "+wording.Quote(of.Pool), of)
		}
	}
	return all
}

func turnOf(of string, s topology.Selection, at tell.Clock) turnView {
	key := s.Key[strings.LastIndexByte(s.Key, '/')+1:]
	v := turnView{Of: of, Rule: fmt.Sprintf("one %s at a time, by budgets[%d]", wording.Quote(key), s.Budget)}
	idle := 0
	for _, d := range s.Domains {
		view := domainOf(s, d, at)
		if view.Class == "done" {
			if idle++; idle > mostDomains {
				continue
			}
		}
		v.Domains = append(v.Domains, view)
	}
	if more := idle - mostDomains; more > 0 {
		v.Domains = append(v.Domains, domainView{fmt.Sprintf("%d more", more), "nothing to go", "done"})
	}
	return v
}

func domainOf(s topology.Selection, d topology.Domain, at tell.Clock) domainView {
	v := domainView{wording.Quote(d.String()), tell.Turn(s, d, at.Day), "turn"}
	switch {
	case v.State == "":
		v.State, v.Class = "nothing to go", "done"
	case s.Chosen && d.Name == s.Active:
	case d.Rolling > 0:
		v.Class = "first"
	default:
		v.Class = "later"
	}
	if d.Rolling > 0 {
		v.State += fmt.Sprintf("; %d in flight", d.Rolling)
	}
	if d.ToGo > 0 {
		v.State += fmt.Sprintf("; %d to go", d.ToGo)
	}
	return v
}
