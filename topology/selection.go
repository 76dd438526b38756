package topology

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Selection is the domain that has the turn, and why. The zero Selection allows nothing.
type Selection struct {
	Budget     int    // the position of the budget in budget.Set.Budgets
	Rule       string // the budget, for people
	Key        string // the topology key
	Sequential bool   // the domains take turns; else each is limited separately
	Unlabelled Unlabelled
	Domains    []Domain // sorted by name

	Chosen bool   // a domain has the turn: Active
	Active string // if Chosen; may be ""
	Gated  bool   // Active is blocked as well, because other domains are rolling: Gate is the first by name
	Gate   string // if Gated; may be ""
	// GivesWay is when the active domain loses its turn if nothing but time changes: its patience or its soak ends.
	// Zero: it does not, or the time is unknown.
	GivesWay time.Time
	// NextFree is when time alone first lifts all blockers of a node in any domain. Zero: never, or unknown.
	NextFree time.Time
	// NextChange is when time alone may change the choice, provided that the next decision gets Kept or Started. Zero:
	// never.
	NextChange time.Time

	// Store one of these, and pass it to the next decision.
	Started Roll // if a node that the budget applies to was allowed
	Kept    Roll // if none was
}

// Allows reports whether one more node of a domain may be disrupted, after this decision has allowed taken others
// there.
func (s Selection) Allows(domain string, taken int) bool {
	code, _, _ := s.judge(domain, taken)
	return code == ""
}

// Blocker returns the blocker of one more node of a domain, if there is one, after this decision has allowed taken
// others there. A node that waits for the active domain is blocked until that domain loses its turn; the next turn may
// be another domain's.
func (s Selection) Blocker(domain string, taken int) (b candidate.Blocker, blocked bool) {
	code, d, first := s.judge(domain, taken)
	if code == "" {
		return candidate.Blocker{}, false
	}
	source := &candidate.Source{Budgets: []int{s.Budget}, Key: s.Key, Domain: domain}
	b = candidate.Blocker{Gate: candidate.GateTopology, Code: code, Source: source}
	switch code {
	case candidate.CodeUnknownDomain:
		b.Message = "nothing is known about " + Domain{Name: domain}.String()
	case candidate.CodeNoLabel:
		b.Message, b.ForGood = fmt.Sprintf("the node has no label %s: %s", s.Key, s.Rule), true
		if !slices.ContainsFunc(s.Domains, func(d Domain) bool { return d.Name != "" && d.Nodes > 0 }) {
			b.Message = fmt.Sprintf("no node has the label %s, so nothing is allowed: %s", s.Key, s.Rule)
		}
	case candidate.CodeWaitsForDomain:
		b.Message, source.WaitsFor = s.waits(d, first), first.Name
		if s.Active == first.Name {
			b.Until = s.GivesWay
		}
	default:
		b.Message = limit(d, taken) + ": " + s.Rule
	}
	return b, true
}

// judge returns the code of what blocks one more node of a domain, or "", with that domain and the domain that it waits
// for: the active one, or, if it is active itself, another one that is still rolling. (Rules 7 and 8.)
func (s *Selection) judge(domain string, taken int) (code candidate.Code, d, first *Domain) {
	d = find(s.Domains, domain)
	switch {
	case !s.Sequential || !s.Chosen:
	case s.Active != domain:
		first = find(s.Domains, s.Active)
	case s.Gated:
		first = find(s.Domains, s.Gate)
	}
	switch {
	case d == nil:
		code = candidate.CodeUnknownDomain
	case domain == "" && s.Unlabelled.blocks():
		code = candidate.CodeNoLabel
	case first != nil:
		code = candidate.CodeWaitsForDomain
	case d.Allowed == 0:
		code = candidate.CodeAllowsNone
	case taken >= d.Remaining:
		code = candidate.CodeExhausted
	}
	return code, d, first
}

// waits describes what d waits for in the domain first.
func (s *Selection) waits(d, first *Domain) string {
	text := fmt.Sprintf("%s waits for %s (%d in flight, %d to go)", d, first, first.Rolling, first.ToGo)
	switch {
	case s.Active == d.Name:
		return fmt.Sprintf("%s waits for the %d in flight in %s", d, first.Rolling, first)
	case !idle(first):
		return text
	case first.ToGo == 0:
		text = fmt.Sprintf("%s waits for %s to settle", d, first)
	case first.Remaining == 0:
		text += ", held up: " + limit(first, 0)
	default:
		text += ", held up by " + first.HeldUp
	}
	if first.Unready > 0 && s.GivesWay.IsZero() {
		text += "; " + wording.Quote(first.NotReady) + " is not Ready"
	}
	return text
}

// limit describes the limit of a domain, and how much of it is in use.
func limit(d *Domain, taken int) string {
	nodes := wording.Count(d.Nodes, "node")
	text := fmt.Sprintf("%d of %s of %s may be disrupted at once", d.Allowed, nodes, d)
	if d.InFlight > 0 {
		text += fmt.Sprintf(", %d in flight", d.InFlight)
	}
	if d.InFlight > 0 && d.Rolling == 0 {
		text += " for other reasons"
	}
	if taken > 0 {
		text += fmt.Sprintf(", %d already allowed", taken)
	}
	return text
}

// find returns the domain with a name, or nil.
func find(domains []Domain, name string) *Domain {
	i, ok := slices.BinarySearchFunc(domains, name,
		func(d Domain, name string) int { return cmp.Compare(d.Name, name) })
	if !ok {
		return nil
	}
	return &domains[i]
}
