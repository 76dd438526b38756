package steward

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/ical"
	"github.com/disruptkit/disruptkit/cmd/replay"
	"github.com/disruptkit/disruptkit/cmd/standing"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/shared"
	"github.com/disruptkit/disruptkit/repair"
)

// Events of nodes.
const (
	ReleasedEvent    = "DisruptionReleased"
	TakenBackEvent   = "DisruptionTakenBack"
	NotReleasedEvent = "DisruptionNotReleased" // admission has held it again
	NotWrittenEvent  = "DisruptionNotWritten"
)

const (
	// pause is the least time between two passes.
	pause = time.Second
	// look again after this time, whatever happens.
	longest = time.Minute
	// settles is how long all nodes of a NodePool are held before admission denies anything: as long as Karpenter takes to look again at
	// what it has found before.
	settles = 30 * time.Second
)

// A Steward holds and releases nodes on an API server. Client, Prober and Clock are required. It is not safe for concurrent use: a manager
// runs one Reconcile at a time, and only while it leads.
type Steward struct {
	Client   client.Client // may read from a cache
	Recorder record.EventRecorder
	Prober   karpenter.Prober
	Clock    func() time.Time
	// Repair has the policies by which the provider repairs nodes; none: nothing is released for repair.
	Repair repair.Set
	// Calendars are those that budgets may name; nil: none.
	Calendars *ical.Directory
	// Recording records each decision as it is made, before anything is written; nil: nothing is recorded.
	Recording *replay.Recorder
	// Soon is as in Options.
	Soon time.Duration
	// Dry writes nothing, and says in the log what it would write.
	Dry bool

	parser    kube.Parser
	nodes     written
	pools     written
	claims    written
	shared    shared.Reader // of DisruptionPolicies
	known     shared.Calendars
	unstored  map[string]failure  // memories, by the key in Input.Memory
	unwritten map[string]failure  // nodes, by name
	taken     map[types.UID]taken // by NodeClaim
	coming    map[types.UID]coming
	lost      map[string][]time.Time // by NodePool: when NodeClaims were created that have been lost while a node was taken
	ends      map[string]end         // by NodePool: not stored yet
	jitters   func() float64         // set by tests
	rests     map[string]Rest
	heldFor   map[string]time.Time // since when all nodes of pools are held
	last      time.Time            // the end of the last pass
	said      map[string]string    // in a dry run, the last said of a node

	statuses standing.Keeper
}

// Reconcile looks at the whole cluster once. Which object has changed does not matter.
func (s *Steward) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	if wait := pause - time.Since(s.last); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	began := time.Now()
	next, err := s.Pass(ctx)
	s.last = time.Now()
	passSeconds.Observe(s.last.Sub(began).Seconds())
	if err != nil {
		return reconcile.Result{}, err
	}
	lastPass.SetToCurrentTime()
	wait := longest
	if !next.IsZero() {
		wait = min(wait, max(next.Sub(s.Clock()), pause))
	}
	return reconcile.Result{RequeueAfter: wait}, nil
}

// Pass looks at the cluster, decides, stores and writes. It returns when time alone may change what it does. Conflicts are no errors: the
// next pass, which follows soon, decides anew.
func (s *Steward) Pass(ctx context.Context) (next time.Time, err error) {
	s.ready()
	shot, seen, err := s.look(ctx)
	if err != nil {
		return next, err
	}
	p := decide(shot, s.Recording)
	count(shot, p)
	if s.Dry {
		s.tell(ctx, p)
		return p.Next, nil
	}
	s.rests = p.Rests
	maps.DeleteFunc(s.heldFor, func(pool string, _ time.Time) bool { return seen.pools[pool] == nil })
	maps.DeleteFunc(s.unstored, func(key string, _ failure) bool { return seen.pools[key] == nil && seen.shared[key] == nil })
	maps.DeleteFunc(s.unwritten, func(node string, _ failure) bool { return seen.nodes[strings.TrimPrefix(node, claimOf)] == nil })
	may, again, err := s.commit(ctx, p, shot, seen)
	for _, name := range slices.Sorted(maps.Keys(p.Drift)) {
		n, reason := seen.nodes[name], p.Drift[name]
		if reason != "" && !may[n.Labels[v1.NodePoolLabelKey]] {
			continue
		}
		done, conflict, drifting := s.drift(ctx, seen.claims[name], reason)
		s.noted(s.unwritten, claimOf+name, done, drifting)
		s.complain(n, NotWrittenEvent, "The steward cannot write its NodeClaim", drifting)
		if again = again || conflict; done {
			p.Drift[name] = ""
		}
		err = errors.Join(err, drifting)
	}
	wrote := map[string]bool{}
	for _, w := range p.possible(may) {
		conflict, writing := s.write(ctx, seen.nodes[w.Node], w)
		wrote[w.Node] = !conflict && writing == nil
		s.noted(s.unwritten, w.Node, !conflict && writing == nil, writing)
		s.complain(seen.nodes[w.Node], NotWrittenEvent, "The steward cannot write it", writing)
		again = again || conflict
		err = errors.Join(err, writing)
		if ctx.Err() != nil {
			return next, ctx.Err()
		}
	}
	again = s.taintAll(ctx, p, seen, wrote) || again
	err = errors.Join(err, s.tellStatus(ctx, shot, seen))
	if again {
		p.Next = s.Clock().Add(pause)
	}
	for _, f := range slices.Concat(slices.Collect(maps.Values(s.unstored)), slices.Collect(maps.Values(s.unwritten))) {
		if f.until.After(shot.Input.Now) { // else something was in its way, which says when to look again
			p.Next = sooner(p.Next, f.until)
		}
	}
	if len(s.heldFor) > 0 {
		p.Next = sooner(p.Next, s.Clock().Add(settles/2))
	}
	return p.Next, err
}

func (s *Steward) ready() {
	if s.nodes == nil {
		s.nodes, s.pools, s.claims = written{}, written{}, written{}
		s.taken, s.ends, s.lost = map[types.UID]taken{}, map[string]end{}, map[string][]time.Time{}
		s.statuses.By = "steward"
		s.rests, s.heldFor, s.said = map[string]Rest{}, map[string]time.Time{}, map[string]string{}
		s.unstored, s.unwritten = map[string]failure{}, map[string]failure{}
	}
}

// ended counts a write by how it has ended. It reports whether another client had written the object, or deleted it: the next pass decides
// anew. Any other error says what was to be written.
func ended(kind, what string, err error) (conflict bool, _ error) {
	switch {
	case err == nil:
		writes.WithLabelValues(kind).Inc()
		return false, nil
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		conflicts.WithLabelValues(kind).Inc()
		return true, nil
	}
	failures.WithLabelValues(kind).Inc()
	return false, fmt.Errorf("%s: %w", what, err)
}

// enforce lets admission deny the disruption of nodes that are not released, once all have been held for a while, and no more where a
// NodePool is opted in no more.
func (s *Steward) enforce(np *v1.NodePool, p Plan) {
	held := p.Held[np.Name]
	switch since, waits := s.heldFor[np.Name]; {
	case !takesPart(np):
		delete(np.Annotations, annotation.StewardEnforced)
		delete(s.heldFor, np.Name)
	case enforced(np) || !held:
		delete(s.heldFor, np.Name)
	case !waits:
		s.heldFor[np.Name] = s.Clock()
	case s.Clock().Sub(since) >= settles:
		np.Annotations[annotation.StewardEnforced] = "true" // until that is written, all nodes go on to have been held
	}
}

// write changes the annotations of a node in one patch.
func (s *Steward) write(ctx context.Context, n *corev1.Node, w Write) (conflict bool, err error) {
	change := w.Annotations(annotation.ReadMark(n.Annotations))
	if len(change) == 0 {
		return false, nil
	}
	began := s.Clock()
	to, conflict, err := s.patch(ctx, n, w, types.MergePatchType, map[string]any{"annotations": change})
	if to == nil {
		return conflict, err
	}
	if slices.ContainsFunc(slices.Collect(maps.Values(change)), func(to any) bool { return to != nil }) { // else it has no new stamp
		s.compare(ctx, to, began, s.Clock())
	}
	if w.undone(to) {
		return s.undone(ctx, to, w)
	}
	s.say(ctx, to, w)
	return false, nil
}

// patch patches the metadata of a node over the version that was decided on. It returns the node as it is then; nil: it is gone, or was not
// written.
func (s *Steward) patch(
	ctx context.Context, n *corev1.Node, w Write, how types.PatchType, metadata map[string]any, o ...client.PatchOption,
) (to *corev1.Node, conflict bool, err error) {
	metadata["uid"], metadata["resourceVersion"] = n.UID, n.ResourceVersion
	body := map[string]any{"metadata": metadata}
	if how == types.ApplyPatchType {
		body["apiVersion"], body["kind"] = "v1", "Node"
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, false, err
	}
	to = &corev1.Node{}
	to.Name = n.Name
	err = s.Client.Patch(ctx, to, client.RawPatch(how, data), o...)
	if apierrors.IsNotFound(err) { // nothing is left to be held
		return nil, false, nil
	}
	kind := w.Kind.String()
	if conflict, err := ended(kind, kind+" of node "+n.Name, err); conflict || err != nil {
		return nil, conflict, err
	}
	s.nodes.note(n.ResourceVersion, to)
	return to, false, nil
}

// say describes what was done in the log and, where people wait for it, in an event.
func (s *Steward) say(ctx context.Context, n *corev1.Node, w Write) {
	if w.Kind == Tell {
		return
	}
	log.FromContext(ctx).Info(w.Kind.String(), "Node", w.Node, "NodePool", w.Pool, "until", w.Until, "why", w.Why)
	if s.Recorder == nil {
		return
	}
	switch w.Kind {
	case Release, ReleaseForRepair:
		s.Recorder.Eventf(n, corev1.EventTypeNormal, ReleasedEvent,
			"Karpenter may disrupt the node until %s (%s)", w.Until.UTC().Format(time.RFC3339), w.Why)
	case TakeBack:
		s.Recorder.Eventf(n, corev1.EventTypeNormal, TakenBackEvent, "Karpenter has not disrupted the node: it is held again (%s)", w.Why)
	}
}

// tell logs what would be written. It repeats nothing.
func (s *Steward) tell(ctx context.Context, p Plan) {
	said := map[string]string{}
	for _, w := range p.Writes {
		said[w.Node] = w.Kind.String() + " " + w.Why
		if s.said[w.Node] != said[w.Node] && w.Kind != Tell {
			log.FromContext(ctx).Info("would "+w.Kind.String(), "Node", w.Node, "NodePool", w.Pool, "until", w.Until, "why", w.Why)
		}
	}
	s.said = said
}
