package naive

import (
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe"
)

// pauses returns the pauses that are in effect for a pool and a reason. Any fault of a pause makes it block more.
func pauses(in disruptkit.Input, pool disruptkit.Pool, reason candidate.Reason) (hold []probe.Pause) {
	for _, p := range in.Pauses {
		here, named := len(p.Pools) == 0, len(p.Reasons) == 0 || reason == ""
		for _, s := range p.Pools {
			here = here || string(s) == pool.Name
			for key, value := range pool.Labels {
				here = here || string(s) == value || string(s) == key+"="+value
			}
		}
		for _, r := range p.Reasons {
			parsed, err := candidate.ParseReason(string(r))
			child := strings.HasPrefix(string(reason), string(parsed)+"/")
			named = named || err != nil || parsed == reason || child || wording.Misspelt(parsed, reason)
		}
		backwards := !p.From.IsZero() && !p.Until.IsZero() && !p.Until.After(p.From)
		begun, over := p.From.IsZero() || !in.Now.Before(p.From), !p.Until.IsZero() && !in.Now.Before(p.Until)
		if here && named && (backwards || begun && !over) {
			hold = append(hold, p)
		}
	}
	return hold
}

// paused reports whether a pause is for single domains, and whether it blocks a node: one in them, or one whose
// pods may move there.
func paused(p probe.Pause, n candidate.Node) (single, holds bool) {
	if p.Key == "" || len(p.Domains) == 0 {
		return false, true
	}
	if slices.Contains(p.Domains, n.Labels[p.Key]) {
		return true, true
	}
	for _, pod := range n.Pods {
		domain, pinned := pod.NodeSelector[p.Key]
		moves := !pod.Stays && (!pinned || slices.Contains(p.Domains, domain))
		holds = holds || p.Inbound && moves
	}
	return true, holds || p.Inbound && n.PodsUnknown
}
