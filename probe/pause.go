package probe

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/label"
	"github.com/disruptkit/disruptkit/internal/quote"
)

// A Pause is a person's word that nodes stay: during an incident, over a holiday, or in a zone that traffic was moved away from (a
// zonal shift). The zero Pause holds back every node for every reason, until it is taken out.
//
// A pause only holds nodes back. Nodes in flight go on, and nothing overrides it: neither repair nor an overdue node. A roll skips a
// zone that is paused, and comes back to it; see package topology.
type Pause struct {
	Pools   []PoolSelector     // any of these, by name or by label; none: the whole cluster
	Reasons []candidate.Reason // with their children, in any spelling that candidate.ParseReason knows; none: every reason
	Key     string             // the label that Domains are values of, such as topology.kubernetes.io/zone
	Domains []string           // only nodes in these; "" are nodes without the label; none: everywhere

	From  time.Time // when it begins; zero: it has begun
	Until time.Time // when it ends; zero: once it is taken out

	By  string // who asked for it
	Why string // such as the number of an incident
}

// State reports whether the pause holds at a time, and until when that stays so; zero is until it is taken out, or for good.
func (p Pause) State(now time.Time) (holds bool, until time.Time) {
	switch {
	case !p.From.IsZero() && now.Before(p.From):
		return false, p.From
	case p.Until.IsZero() || now.Before(p.Until):
		return true, p.Until
	}
	return false, time.Time{}
}

// Enforced returns the pause as it holds, and a warning for each of its faults. A fault never makes it hold back less than it says:
// a reason that is not known pauses every reason, Domains without a Key pause all domains, and a pause that ends before it begins
// holds until it is taken out. Reasons are returned in the spelling of the API; further methods are known besides those of
// candidate.Methods.
func (p Pause) Enforced(methods ...candidate.Reason) (Pause, []candidate.Warning) {
	var faults []candidate.Warning
	fault := func(field, value, format string, args ...any) {
		faults = append(faults, candidate.Warning{
			Code: candidate.CodeInvalidPause, Object: p.Object(), Field: field, Value: value, Message: fmt.Sprintf(format, args...),
		})
	}
	enforced := p
	enforced.Reasons = nil
	for i, written := range p.Reasons {
		reason, err := candidate.ParseReason(string(written), methods...)
		if err != nil {
			fault(fmt.Sprintf("reasons[%d]", i), string(written), "%v; until then, every reason is paused", err)
		}
		enforced.Reasons = append(enforced.Reasons, reason) // "" is every reason
	}
	switch {
	case len(p.Domains) > 0 && p.Key == "":
		fault("key", "", "domains %s need a label: write a key such as topology.kubernetes.io/zone; until then, all domains are paused", p.domains())
		enforced.Domains = nil
	case p.Key != "" && !label.IsKey(p.Key):
		fault("key", p.Key, "key %.100q is not a label name: write one such as topology.kubernetes.io/zone; until then, all domains are paused", p.Key)
		enforced.Domains = nil
	case p.Key != "" && len(p.Domains) == 0:
		fault("domains", "", "the pause names no values of the label %s, and applies everywhere: write domains, or leave out the key", p.Key)
	}
	if !p.Until.IsZero() && !p.From.IsZero() && !p.From.Before(p.Until) {
		fault("until", written(p.Until), "the pause ends at %s, but begins at %s, so it applies until it is removed: write a later end",
			written(p.Until), written(p.From))
		enforced.From, enforced.Until = time.Time{}, time.Time{}
	}
	return enforced, faults
}

// Validate returns all faults of the pause, joined. See Enforced for what it holds back in spite of them.
func (p Pause) Validate(methods ...candidate.Reason) error {
	_, faults := p.Enforced(methods...)
	errs := make([]error, len(faults))
	for i := range faults {
		errs[i] = faults[i]
	}
	return errors.Join(errs...)
}

func written(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Concerns reports whether the pause holds back a pool's nodes for a reason, at some time and in some domain. As with a Denial, the
// reason "" may be any. Ask that of a pause that is Enforced.
func (p Pause) Concerns(reason candidate.Reason, pool string, labels map[string]string) bool {
	covers := func(r candidate.Reason) bool { return Denial{Reason: r}.holdsBack(reason) }
	return (len(p.Reasons) == 0 || slices.ContainsFunc(p.Reasons, covers)) && Denial{Pools: p.Pools}.isAbout(selecting(pool, labels))
}

// Includes reports whether a node with some labels is in one of the domains that are paused.
func (p Pause) Includes(labels map[string]string) bool {
	return len(p.Domains) == 0 || slices.Contains(p.Domains, labels[p.Key])
}

// Blocker returns what holds back nodes while the pause holds: "paused in us-east-1a by alice: INC-1234".
func (p Pause) Blocker() candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateProbe, Code: candidate.CodePaused, Message: p.String(), Until: p.Until,
		Source: &candidate.Source{By: p.By, Why: p.Why},
	}
}

// String returns "paused in us-east-1a by alice: INC-1234". Of a long By or Why it tells the beginning.
func (p Pause) String() string {
	text := "paused"
	if len(p.Domains) > 0 {
		text += " in " + p.domains()
	}
	if p.By != "" {
		text += " by " + excerpt(p.By)
	}
	if p.Why != "" {
		text += ": " + excerpt(p.Why)
	}
	return text
}

// Object names the pause in warnings: "Pause/alice: INC-1234", or "Pause" where nothing is known about it.
func (p Pause) Object() string {
	texts := []string{excerpt(p.By), excerpt(p.Why)}
	return strings.TrimSuffix("Pause/"+strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), ": "), "/")
}

func (p Pause) domains() string {
	var names []string
	for _, d := range p.Domains[:min(few, len(p.Domains))] {
		if d == "" {
			d = "nodes without the label"
		}
		names = append(names, quote.Text(d))
	}
	return first(names, len(p.Domains), ", ")
}

// excerpt returns the beginning of a text that may be very long, on one line.
func excerpt(text string) string {
	const most = 200
	runes := 0
	for i := range text {
		if runes++; runes > most {
			return quote.Text(text[:i]) + " (" + strconv.Itoa(len(text)) + " bytes in all)"
		}
	}
	return quote.Text(text)
}
