package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Pause is a person's request not to disrupt nodes: during an incident, over a holiday, or in a zone that traffic was
// moved away from (a zonal shift). The zero Pause blocks every node for every reason until you remove it.
//
// A pause does not stop nodes that are already in flight. Nothing overrides it, neither repair nor an overdue node. A
// roll skips a paused zone and comes back to it; see package topology.
type Pause struct {
	Pools   []PoolSelector     // pools that match any of these, by name or by label; none: the whole cluster
	Reasons []candidate.Reason // and their children, in any spelling candidate.ParseReason accepts; none: every reason
	Key     string             // the label whose values are Domains, such as topology.kubernetes.io/zone
	Domains []string           // only nodes in these; "" means nodes without the label; none: everywhere
	// Inbound also pauses nodes elsewhere, if one of their pods may move to the Domains: during a zonal shift, nothing
	// new should land in the zone that traffic was moved away from. See [Pause.Awaits].
	Inbound bool

	From  time.Time // when it begins; zero: it has begun already
	Until time.Time // when it ends; zero: when you remove it

	By  string // who asked for it
	Why string // such as an incident's number
}

// State reports whether the pause is in effect at a time, and when that ends. A zero until means that the pause lasts
// until it is removed, or that it is over for ever.
func (p Pause) State(now time.Time) (holds bool, until time.Time) {
	switch {
	case !p.From.IsZero() && now.Before(p.From):
		return false, p.From
	case p.Until.IsZero() || now.Before(p.Until):
		return true, p.Until
	}
	return false, time.Time{}
}

// codeInvalidPause is the code of a Warning: a pause is invalid, and blocks more than it says. It is stable.
const codeInvalidPause candidate.Code = "invalid-pause"

// Enforced returns the pause that takes effect, and a warning for each fault. A fault never makes a pause block less
// than it says: an unknown reason pauses every reason, Domains without a Key pause all domains, and a pause that ends
// before it begins lasts until it is removed. The returned Reasons are in the API's spelling, and the Domains have no
// duplicates. Methods are valid reasons in addition to candidate.Methods.
func (p Pause) Enforced(methods ...candidate.Reason) (Pause, []candidate.Warning) {
	var faults []candidate.Warning
	fault := func(field, value, format string, args ...any) {
		faults = append(faults, candidate.Warning{
			Code: codeInvalidPause, Object: p.Object(), Field: field, Value: value,
			Message: fmt.Sprintf(format, args...),
		})
	}
	enforced := p
	enforced.Reasons, enforced.Domains = nil, distinct(p.Domains)
	for i, written := range p.Reasons {
		reason, err := candidate.ParseReason(string(written), methods...)
		if err != nil {
			fault(fmt.Sprintf("reasons[%d]", i), string(written), "%v; until then, every reason is paused", err)
		}
		enforced.Reasons = append(enforced.Reasons, reason) // "" is every reason
	}
	switch {
	case len(p.Domains) > 0 && p.Key == "":
		fault("key", "", "domains %s need a label: write a key such as topology.kubernetes.io/zone; until then, "+
			"all domains are paused", enforced.domains())
		enforced.Domains = nil
	case p.Key != "" && !wording.IsLabelKey(p.Key):
		fault("key", p.Key, "key %.100q is not a label name: write one such as topology.kubernetes.io/zone; "+
			"until then, all domains are paused", p.Key)
		enforced.Domains = nil
	case p.Key != "" && len(p.Domains) == 0:
		fault("domains", "", "the pause names no values of the label %s, and applies everywhere: write domains, "+
			"or leave out the key", p.Key)
	}
	if p.Inbound && len(p.Domains) == 0 {
		fault("inbound", "true", "the pause applies everywhere, so inbound adds nothing: write domains, "+
			"or leave out inbound")
	}
	if !p.Until.IsZero() && !p.From.IsZero() && !p.From.Before(p.Until) {
		fault("until", written(p.Until),
			"the pause ends at %s, but begins at %s, so it applies until it is removed: write a later end",
			written(p.Until), written(p.From))
		enforced.From, enforced.Until = time.Time{}, time.Time{}
	}
	return enforced, faults
}

func written(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Concerns reports whether the pause applies to a pool and a reason; it does not look at time and domains. The reason
// "" is unknown, so every pause applies to it, as a [Denial] does. Call it on the result of [Pause.Enforced].
func (p Pause) Concerns(reason candidate.Reason, pool string, labels map[string]string) bool {
	covers := func(r candidate.Reason) bool { return Denial{Reason: r}.blocks(reason) }
	_, about := selecting(p.Pools, pool, labels)
	return about && (len(p.Reasons) == 0 || slices.ContainsFunc(p.Reasons, covers))
}

// Includes reports whether a node with these labels is in a paused domain.
func (p Pause) Includes(labels map[string]string) bool {
	return len(p.Domains) == 0 || slices.Contains(p.Domains, labels[p.Key])
}

// Awaits reports whether the pause is Inbound, and the node is outside its Domains but has a pod that may move there
// when the node is drained. Only a NodeSelector keeps a pod out of the Domains: affinity and the zones of volumes are
// ignored, so a node may be paused needlessly. Pods that move to no other node do not count (candidate.Pod.Stays). A
// node whose pods are unknown counts. Call it on the result of [Pause.Enforced].
func (p Pause) Awaits(n *candidate.Node) bool {
	if !p.Inbound || p.Includes(n.Labels) {
		return false
	}
	return n.PodsUnknown || slices.ContainsFunc(n.Pods, func(pod candidate.Pod) bool {
		domain, pinned := pod.NodeSelector[p.Key]
		return !pod.Stays && (!pinned || slices.Contains(p.Domains, domain))
	})
}

// Blocker returns the blocker of nodes while the pause is in effect: "paused in us-east-1a by alice: INC-1234". A long
// By or Why is cut.
func (p Pause) Blocker() candidate.Blocker {
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
	return candidate.Blocker{
		Gate: candidate.GateProbe, Code: candidate.CodePaused, Message: text, Until: p.Until,
		Source: &candidate.Source{By: p.By, Why: p.Why},
	}
}

// Object names the pause in warnings: "Pause/alice: INC-1234", or "Pause" if it has neither By nor Why.
func (p Pause) Object() string {
	texts := []string{excerpt(p.By), excerpt(p.Why)}
	texts = slices.DeleteFunc(texts, func(t string) bool { return t == "" })
	if len(texts) == 0 {
		return "Pause"
	}
	return "Pause/" + strings.Join(texts, ": ")
}

// distinct returns a list without duplicates, in its order.
func distinct(list []string) []string {
	known := make(map[string]bool, len(list))
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool {
		again := known[s]
		known[s] = true
		return again
	})
}

func (p Pause) domains() string {
	return first(p.Domains, ", ", func(d string) string {
		return wording.Quote(cmp.Or(d, "nodes without the label"))
	})
}

// excerpt returns the beginning of a text on one line. Users may write very long texts.
func excerpt(text string) string {
	const most = 200
	runes := 0
	for i := range text {
		if runes++; runes > most {
			return wording.Quote(text[:i]) + " (" + strconv.Itoa(len(text)) + " bytes in all)"
		}
	}
	return wording.Quote(text)
}
