// Package standing says how the roll of a NodePool stands, in one annotation that pipelines, dashboards and people can read:
// [annotation.Status]. The guard and the steward keep it.
package standing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/report"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Phase is how a roll stands, in one word.
type Phase string

const (
	// Done: no node has to go, none is in flight, and all are Ready.
	Done Phase = "Done"
	// Progressing: nodes are in flight or not Ready, or may be disrupted now, or something blocks them that may lift at any time.
	Progressing Phase = "Progressing"
	// Waiting: nodes have to go, and none may before a time that is known: a window opens, or a deadline comes.
	Waiting Phase = "Waiting"
	// Paused: nodes have to go, and somebody has paused that.
	Paused Phase = "Paused"
	// Stuck: nodes have to go, are in flight or not Ready, and for an hour nothing has moved that could have.
	Stuck Phase = "Stuck"
)

// Patience is how long nothing may move until a roll is Stuck.
const Patience = time.Hour

// A Status is the annotation of a NodePool in JSON. Fields are only added. Times are in UTC.
type Status struct {
	// ObservedGeneration is the NodePool's metadata.generation that the status is of. If the NodePool has another, the status is old.
	ObservedGeneration int64     `json:"observedGeneration"`
	By                 string    `json:"by"` // who wrote it: guard or steward
	At                 time.Time `json:"at"` // when it was written; it is written again only if it changes
	Phase              Phase     `json:"phase"`
	Since              time.Time `json:"since"`   // of the phase
	Message            string    `json:"message"` // for people
	Nodes              int       `json:"nodes"`   // that count
	New                int       `json:"new"`     // of them, those that have no reason to go, are not in flight, and are Ready
	InFlight           int       `json:"inFlight"`
	ToGo               int       `json:"toGo"`
	NotReady           int       `json:"notReady,omitempty"`   // the others: they were Ready once, and use up budgets
	Moved              time.Time `json:"moved"`                // when these numbers last changed
	Turn               string    `json:"turn,omitempty"`       // the domain whose turn it is, such as a zone: the NodePool's own, or a policy's
	Wave               Wave      `json:"wave,omitzero"`        // the wave that the roll is in, if it rolls in some
	BehindSince        time.Time `json:"behindSince,omitzero"` // since when a start that a budget spreads is due, but blocked; absent: on pace
	NextChange         time.Time `json:"nextChange,omitzero"`  // when time alone may next change what may be disrupted
	Cause              Cause     `json:"cause,omitzero"`       // what blocks most of the nodes that are to go, or NotStored
	// ETA is when the last node is replaced, as a plan foresees it; absent if that is not known.
	ETA ETA `json:"eta,omitzero"`
	// Conditions are Reconciling and Stalled, as kstatus defines them.
	Conditions []Condition `json:"conditions"`
}

// A Wave is one of a roll in waves: the NodePool's own, or, if it has none, that of the first policy that has some.
type Wave struct {
	Policy     string    `json:"policy,omitempty"` // absent: the NodePool's own
	Wave       int       `json:"wave"`             // from 1
	Of         int       `json:"of"`               // how many there are; the last one is all the rest
	BakesUntil time.Time `json:"bakesUntil,omitzero"`
}

// A Condition is one as Kubernetes writes it.
type Condition struct {
	Type               string    `json:"type"`
	Status             string    `json:"status"` // True or False
	Reason             string    `json:"reason"` // the Phase
	Message            string    `json:"message"`
	LastTransitionTime time.Time `json:"lastTransitionTime"`
}

// A Cause is a blocker, and how many nodes it blocks.
type Cause struct {
	Gate    candidate.Gate `json:"gate"`
	Code    candidate.Code `json:"code"`
	Message string         `json:"message"`
	Nodes   int            `json:"nodes"`
	Until   time.Time      `json:"until,omitzero"` // when time alone lifts it; absent: time alone does not
}

// An ETA is by when one in ten, half and nine in ten runs of a plan are done, and what the first plan of the roll said.
type ETA struct {
	Early   time.Time `json:"early,omitzero"`
	Middle  time.Time `json:"middle,omitzero"`
	Late    time.Time `json:"late,omitzero"`
	Planned time.Time `json:"planned,omitzero"`
}

// Rolls are the reasons whose nodes are to go. Consolidation is none: nobody waits for it, and whether it comes is Karpenter's choice.
var Rolls = []candidate.Reason{candidate.Unhealthy, candidate.Requested, candidate.Drifted, candidate.Expired}

// Of returns the status of a pool by decisions for Rolls.
func Of(in disruptkit.Input, pool string, ds ...disruptkit.Decision) Status {
	s := Status{At: second(in.Now), Turn: turn(in, pool), Wave: wave(in, pool, ds), BehindSince: behindSince(in, pool, ds)}
	toGo, causes, may := map[string]bool{}, map[string]*Cause{}, false
	for i := range in.Nodes { // what is in flight is not blocked any more
		if n := &in.Nodes[i]; n.Pool == pool && n.InFlight() {
			toGo[n.Name] = true
		}
	}
	for _, d := range ds {
		for _, c := range d.Allowed {
			if c.Pool == pool {
				toGo[c.Node], may = true, true
			}
		}
	}
	for _, d := range ds {
		for _, c := range d.Blocked {
			if c.Pool == pool && !toGo[c.Node] {
				toGo[c.Node] = true
				count(causes, c.Blockers[0])
			}
		}
		s.NextChange = schedule.First(s.NextChange, known(d.NextChange))
	}
	for i := range in.Nodes {
		switch n := &in.Nodes[i]; {
		case n.Pool != pool:
			continue
		case n.InFlight():
			s.InFlight++
		case toGo[n.Name]:
			s.ToGo++
		case n.Counted() && !n.Ready():
			s.NotReady++
		case n.Counted():
			s.New++
		default:
			continue
		}
		s.Nodes++
	}
	for _, c := range causes {
		if s.Cause.Nodes == 0 || cmp.Or(first(s.Cause)-first(*c), s.Cause.Nodes-c.Nodes, strings.Compare(c.Message, s.Cause.Message)) < 0 {
			s.Cause = *c
		}
	}
	switch {
	case s.ToGo+s.InFlight+s.NotReady == 0:
		s.Phase, s.NextChange, s.Cause, s.Wave, s.BehindSince = Done, time.Time{}, Cause{}, Wave{}, time.Time{}
	case s.InFlight > 0 || may || s.Cause.Nodes == 0:
		s.Phase = Progressing
	case s.Cause.Code == candidate.CodePaused:
		s.Phase = Paused
	case !s.Cause.Until.IsZero():
		s.Phase = Waiting
	default:
		s.Phase = Progressing // until nothing has moved for some time
	}
	return s
}

// NotStored is the code of what a guard or a steward has decided, and cannot write. People are to hear of that first, however few nodes it holds.
const NotStored candidate.Code = "not-stored"

func first(c Cause) int {
	if c.Code == NotStored {
		return 1
	}
	return 0
}

// turn returns the domain whose turn it is of a pool, or of the first of its policies in which one has it.
func turn(in disruptkit.Input, pool string) string {
	if own := in.Memory[pool].Roll.Domain; own != "" {
		return own
	}
	for _, g := range in.Groups {
		if domain := in.Memory[g.Key()].Roll.Domain; domain != "" && slices.Contains(g.Pools, pool) {
			return domain
		}
	}
	return ""
}

// behindSince returns since when the next start of a roll that a pool or one of its policies spreads is due. Zero: it is not due yet.
func behindSince(in disruptkit.Input, pool string, ds []disruptkit.Decision) (since time.Time) {
	for _, d := range ds {
		for _, p := range slices.Concat(d.Pools, d.Groups) {
			if s := p.Spread; s != nil && s.Behind && (p.Pool == pool || isPolicy(in, p.Pool, pool)) {
				since = schedule.First(since, known(s.Next))
			}
		}
	}
	return since
}

// isPolicy reports whether a name is that of a policy of a pool.
func isPolicy(in disruptkit.Input, name, pool string) bool {
	return slices.ContainsFunc(in.Groups, func(g disruptkit.Group) bool { return g.Name == name && slices.Contains(g.Pools, pool) })
}

// wave returns the wave of a pool, or of the first of its policies that has some. The zero Wave: there is none.
func wave(in disruptkit.Input, pool string, ds []disruptkit.Decision) Wave {
	for _, d := range ds {
		for _, p := range d.Pools {
			if w := p.Wave; w != nil && p.Pool == pool {
				return Wave{"", w.Wave, w.Of, known(w.Until)}
			}
		}
	}
	for _, d := range ds {
		for _, p := range d.Groups {
			if w := p.Wave; w != nil && isPolicy(in, p.Pool, pool) {
				return Wave{p.Pool, w.Wave, w.Of, known(w.Until)}
			}
		}
	}
	return Wave{}
}

// count counts a node under what blocks it.
func count(causes map[string]*Cause, b candidate.Blocker) {
	key := string(b.Gate) + "/" + string(b.Code)
	if c := causes[key]; c != nil {
		c.Nodes++
		return
	}
	causes[key] = &Cause{Gate: b.Gate, Code: b.Code, Message: shortened(b.Message), Nodes: 1, Until: known(b.Until)}
}

// mostSaid bounds a message: annotations of an object have 256 KiB together.
const mostSaid = 300

func shortened(text string) string {
	if len(text) <= mostSaid {
		return text
	}
	return strings.ToValidUTF8(text[:mostSaid], "") + "…"
}

func second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// lastTime is the last one that JSON can express.
var lastTime = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)

// known returns a time; zero: it is not known. A single one that JSON cannot express would leave all of the status unwritten.
func known(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return schedule.First(second(t), lastTime)
}

// With returns the status with an outlook, as it follows an earlier status; the zero Status is none.
func (s Status) With(o report.Outlook, earlier Status) Status {
	s.Since, s.Moved = s.At, s.At
	if earlier.Nodes == s.Nodes && earlier.New == s.New && earlier.InFlight == s.InFlight && earlier.ToGo == s.ToGo &&
		earlier.NotReady == s.NotReady && !earlier.Moved.IsZero() {
		s.Moved = earlier.Moved
	}
	if s.Phase == Progressing && s.stuck(earlier) {
		s.Phase = Stuck
	}
	if earlier.Phase == s.Phase && !earlier.Since.IsZero() {
		s.Since = earlier.Since
	}
	if s.Phase != Done {
		s.ETA = ETA{known(o.Early), known(o.Middle), known(o.Late), known(o.Planned)}
		if before := earlier.ETA.Planned; !s.ETA.Planned.IsZero() && !before.IsZero() {
			s.ETA.Planned = before // of before a restart
		}
	}
	s.Message = s.said()
	s.Conditions = s.conditions(earlier)
	return s
}

// stuck reports whether a roll that could move has not for too long. While a window was closed, or somebody had paused it, it could not.
func (s Status) stuck(earlier Status) bool {
	switch earlier.Phase {
	case Stuck:
		return s.Moved.Equal(earlier.Moved)
	case Progressing:
		return min(s.At.Sub(s.Moved), s.At.Sub(earlier.Since)) >= Patience
	}
	return false
}

// said returns one line about how it stands.
func (s Status) said() string {
	if s.Phase == Done {
		return fmt.Sprintf("nothing to do: %s", wording.Count(s.Nodes, "node"))
	}
	text := fmt.Sprintf("%d of %s to go, %d in flight", s.ToGo, wording.Count(s.Nodes, "node"), s.InFlight)
	if s.NotReady > 0 {
		text += fmt.Sprintf(", %d not Ready", s.NotReady)
	}
	if s.Wave.Of > 0 {
		text += fmt.Sprintf(", in wave %d of %d", s.Wave.Wave, s.Wave.Of)
	}
	if b := s.BehindSince; !b.IsZero() {
		text += ", behind its spread since " + b.Format(time.RFC3339)
	}
	if s.Phase == Stuck {
		text += ", and nothing has moved since " + s.Moved.Format(time.RFC3339)
	}
	if !s.ETA.Middle.IsZero() {
		text += "; expected by " + s.ETA.Middle.Format(time.RFC3339)
	}
	if c := s.Cause; c.Nodes > 0 {
		text += fmt.Sprintf("; %d held by %s/%s: %s", c.Nodes, c.Gate, c.Code, c.Message)
		if !c.Until.IsZero() {
			text += "; time alone lifts it " + c.Until.Format(time.RFC3339)
		}
	}
	return text
}

// Types of conditions, "abnormal-true" as kstatus wants them: Stalled is a failure, Reconciling is in progress, and without either all is done.
const (
	Reconciling = "Reconciling"
	Stalled     = "Stalled"
)

// conditions returns those that follow earlier ones. The time of one is when its Status last changed, as in Kubernetes.
func (s Status) conditions(earlier Status) []Condition {
	condition := func(kind string, is bool) Condition {
		c := Condition{kind, "False", string(s.Phase), "", s.At}
		if is {
			c.Status, c.Message = "True", s.Message
		}
		for _, e := range earlier.Conditions {
			if e.Type == kind && e.Status == c.Status && !e.LastTransitionTime.IsZero() {
				c.LastTransitionTime = e.LastTransitionTime
			}
		}
		return c
	}
	return []Condition{condition(Reconciling, s.Phase != Done && s.Phase != Stuck), condition(Stalled, s.Phase == Stuck)}
}

// Least times between two writes of a status. A change of phase or generation is written at once.
const (
	betweenCounts = 30 * time.Second // numbers, turns and causes
	betweenETAs   = 5 * time.Minute  // when it is done
)

// Due reports whether a status is to be written over the last one that was.
func (s Status) Due(last Status) bool {
	age := s.At.Sub(last.At)
	switch {
	case s.Phase != last.Phase || s.ObservedGeneration != last.ObservedGeneration:
		return true
	case !s.Moved.Equal(last.Moved) || s.BehindSince.IsZero() != last.BehindSince.IsZero() || s.Turn != last.Turn || s.Wave.Wave != last.Wave.Wave ||
		s.Wave.Of != last.Wave.Of || s.Cause.Gate != last.Cause.Gate || s.Cause.Code != last.Cause.Code:
		return age >= betweenCounts || age < 0
	}
	return (age >= betweenETAs || age < 0) && s.shifted(last)
}

// shifted reports whether it is done by another time than was said, by more than a tenth of what it still takes.
func (s Status) shifted(last Status) bool {
	is, was := s.ETA.Middle, last.ETA.Middle
	return is.IsZero() != was.IsZero() || is.Sub(was).Abs() > max(time.Minute, is.Sub(s.At)/10)
}

// Text returns the annotation.
func (s Status) Text() (string, error) {
	text, err := json.Marshal(s)
	return string(text), err
}

// Read reads the annotation. What nobody can read is no status, and is written anew.
func Read(text string) (s Status) {
	if json.Unmarshal([]byte(text), &s) != nil {
		return Status{}
	}
	return s
}
