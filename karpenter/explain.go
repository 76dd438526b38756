package karpenter

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/karpenter/pkg/events"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/report"
)

// InvalidPolicyEvent is the reason of events about invalid annotations of NodePools and pods.
const InvalidPolicyEvent = "InvalidDisruptionPolicy"

// repeatAfter is the time before an event about an object is repeated, even if its numbers have changed.
const repeatAfter = 5 * time.Minute

// repeatNodeAfter is the time before an event about a node is repeated. In a roll, thousands of nodes may wait for
// hours. Each event is a write to the API server, which keeps events for an hour.
const repeatNodeAfter = 30 * time.Minute

// mostSaid is the number of blockers in an event: the API server rejects messages of more than 1,024 characters.
const (
	mostSaid    = 3
	longestNote = 1000
)

// warn records warnings about an object, to be published.
func (s *snapshot) warn(object client.Object, warnings ...candidate.Warning) {
	for _, w := range warnings {
		s.warnings = append(s.warnings, warningEvent(object, w))
	}
}

func warningEvent(object client.Object, w candidate.Warning) events.Event {
	message := fmt.Sprintf("%s: %s", w.Field, w.Message)
	return event(object, corev1.EventTypeWarning, InvalidPolicyEvent, message, message)
}

// event returns an event. Events about an object with equal same count as repeats.
func event(object client.Object, kind, reason, message, same string) events.Event {
	return events.Event{
		InvolvedObject: object, Type: kind, Reason: reason, Message: shortened(message),
		DedupeValues: []string{string(object.GetUID()), same}, DedupeTimeout: repeatAfter,
	}
}

// explain publishes why the guard withholds candidates, what is wrong with policies, and what has changed since the
// last call. It leaves out what Karpenter's own budgets block: that is for Karpenter to report.
func (g *guard) explain(s *snapshot, p plan) {
	g.Recorder.Publish(s.warnings...)
	for _, w := range s.several.Warnings {
		g.warnPolicy(s, w)
	}
	for _, found := range p.decision.Warnings {
		if placed, ours := s.several.Place(found); ours {
			for _, w := range placed {
				g.warnPolicy(s, w)
			}
			continue
		}
		for _, w := range annotation.Place(found, s.Pauses) {
			if np := s.nodePools[strings.TrimPrefix(w.Object, "NodePool/")]; np != nil {
				g.Recorder.Publish(warningEvent(np, w))
			}
		}
	}
	withheld := p.withheld()
	for _, b := range withheld {
		if c := p.byName[b.Node]; slices.ContainsFunc(b.Blockers, ofNode) {
			message, same := fmt.Sprintf("Not disrupted for %s: %s", b.Reason, told(b.Blockers)), codes(b)
			for _, object := range []client.Object{c.Node, c.NodeClaim} {
				e := event(object, corev1.EventTypeNormal, events.DisruptionBlocked, message, same)
				e.DedupeTimeout = repeatNodeAfter
				g.Recorder.Publish(e)
			}
		}
	}
	for _, name := range sortedKeys(s.nodePools) {
		if message, same := g.summary(name, withheld); message != "" {
			g.Recorder.Publish(event(s.nodePools[name], corev1.EventTypeNormal, events.DisruptionBlocked, message, same))
		}
	}
	for _, e := range g.changes(s.Input, p.decision) {
		if np := s.nodePools[e.Pool]; np != nil && s.annotated[e.Pool] {
			g.Recorder.Publish(event(np, corev1.EventTypeNormal, e.Name, e.Message, e.Message))
		}
	}
}

// warnPolicy publishes a warning about a DisruptionPolicy.
func (g *guard) warnPolicy(s *snapshot, w candidate.Warning) {
	if o := s.several.objects[strings.TrimPrefix(w.Object, disruptionpolicy.Kind+"/")]; o != nil {
		g.Recorder.Publish(warningEvent(o, w))
	}
}

// withheld returns the candidates that the guard withholds, or would withhold if Karpenter did not, with their
// blockers, except those that Karpenter's own budgets imply.
func (p plan) withheld() (withheld []candidate.Candidate) {
	for _, b := range p.decision.Blocked {
		if p.byName[b.Node] == nil || p.may[b.Node] {
			continue
		}
		if p.budgets[b.Pool] <= p.most[b.Pool] {
			b.Blockers = slices.DeleteFunc(slices.Clone(b.Blockers), byNumber)
		}
		if len(b.Blockers) > 0 {
			withheld = append(withheld, b)
		}
	}
	return withheld
}

// byNumber reports whether a blocker says that budgets allow no more nodes. If Karpenter's own budgets say so as well,
// the blocker says nothing new.
func byNumber(b candidate.Blocker) bool {
	return b.Gate == candidate.GateBudget && (b.Code == candidate.CodeExhausted || b.Code == candidate.CodeAllowsNone)
}

// ofNode reports whether a blocker concerns a single node, rather than its whole pool.
func ofNode(b candidate.Blocker) bool {
	return b.Gate == candidate.GateNode || b.Gate == candidate.GatePod || b.Gate == candidate.GateTopology
}

// summary returns one message about what blocks the nodes of a pool: causes that block most nodes first, each with an
// example.
func (g *guard) summary(pool string, withheld []candidate.Candidate) (message, same string) {
	type cause struct {
		code, example string
		nodes         int
	}
	var causes []*cause
	nodes := map[string]bool{}
	for _, b := range withheld {
		if b.Pool != pool {
			continue
		}
		nodes[b.Node] = true
		first := b.Blockers[0]
		code := fmt.Sprintf("%s/%s", first.Gate, first.Code)
		of := slices.IndexFunc(causes, func(c *cause) bool { return c.code == code })
		if of < 0 {
			of, causes = len(causes), append(causes, &cause{code: code, example: first.String()})
		}
		causes[of].nodes++
	}
	if len(nodes) == 0 {
		return "", ""
	}
	slices.SortStableFunc(causes, func(a, b *cause) int { return cmp.Or(cmp.Compare(b.nodes, a.nodes), cmp.Compare(a.code, b.code)) })
	var texts, codes []string
	for i, c := range causes {
		codes = append(codes, c.code)
		switch {
		case i == mostSaid:
			texts = append(texts, "and "+wording.Count(len(causes)-mostSaid, "more cause"))
		case i < mostSaid && len(causes) > 1:
			texts = append(texts, fmt.Sprintf("%d by %s", c.nodes, c.example))
		case i < mostSaid:
			texts = append(texts, c.example)
		}
	}
	slices.Sort(codes)
	held := fmt.Sprintf("%d nodes are", len(nodes))
	if len(nodes) == 1 {
		held = "1 node is"
	}
	return fmt.Sprintf("%s not disrupted for %s: %s", held, g.reason, strings.Join(texts, "; ")), string(g.reason) + " " + strings.Join(codes, " ")
}

// changes returns the events of NodePools since the last decision for the reason, whichever method that was for. An
// event for a reason covers its children, and is reported once.
func (c *Cluster) changes(in disruptkit.Input, d disruptkit.Decision) []report.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := report.Summarize(c.reports[d.Reason], in, d)
	if c.reports == nil {
		c.reports = map[candidate.Reason]report.Report{}
	}
	c.reports[d.Reason] = next
	return slices.DeleteFunc(slices.Clone(next.Events), func(e report.Event) bool {
		return e.Reason != e.Reason.Method() && slices.ContainsFunc(next.Events, func(of report.Event) bool {
			return of.Name == e.Name && of.Pool == e.Pool && of.Reason == e.Reason.Method()
		})
	})
}

// told lists the blockers of a candidate.
func told(blockers []candidate.Blocker) string {
	var texts []string
	for i, b := range blockers {
		if i == mostSaid {
			texts = append(texts, fmt.Sprintf("and %d more", len(blockers)-mostSaid))
			break
		}
		texts = append(texts, b.String())
	}
	return strings.Join(texts, "; ")
}

// codes returns the codes of a candidate's blockers.
func codes(c candidate.Candidate) string {
	text := string(c.Reason)
	for _, b := range c.Blockers {
		text += fmt.Sprintf(" %s/%s", b.Gate, b.Code)
	}
	return text
}

func shortened(message string) string {
	if len(message) <= longestNote {
		return message
	}
	return strings.ToValidUTF8(message[:longestNote], "") + "…"
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
