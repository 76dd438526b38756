package steward

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// An outage is a time in which the API server does not do something, counted from the first pass.
type outage struct {
	from, to time.Duration
	of       string
}

// What does not work in an outage. An answer that is lost comes after the write was made.
var outages = map[string]func(verb string, o client.Object) error{
	"everything":      func(string, client.Object) error { return errors.New("connection refused") },
	"writes":          failing[client.Object]("patch", errors.New("no leader")),
	"writes of nodes": failing[*corev1.Node]("patch", errors.New("denied")),
	"writes of pools": failing[*v1.NodePool]("patch", errors.New("denied")),
	"conflicts":       failing[client.Object]("patch", apierrors.NewConflict(schema.GroupResource{}, "it", nil)),
	"node conflicts":  failing[*corev1.Node]("patch", apierrors.NewConflict(schema.GroupResource{}, "it", nil)),
	"pool conflicts":  failing[*v1.NodePool]("patch", apierrors.NewConflict(schema.GroupResource{}, "it", nil)),
	"lost answers":    failing[client.Object]("patched", errors.New("timeout")),
}

func failing[T client.Object](what string, err error) func(string, client.Object) error {
	return func(verb string, o client.Object) error {
		if _, concerned := o.(T); concerned && verb == what {
			return err
		}
		return nil
	}
}

// An outing is a node that Karpenter never takes, and a steward in outages: when it was released, and since when admission denies.
type outing struct {
	client.Client
	outages  []outage
	now      time.Time
	written  bool // since the last pass
	releases []time.Duration
	enforced time.Duration
}

func newOuting(outages ...outage) *outing {
	o := &outing{outages: outages, now: noon}
	e := newEstate(nil)
	e.node("n", time.Hour, drifted("AMIDrift"))
	o.Client = fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(e.objects...).
		WithObjectTracker(clienttesting.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder())).Build() // without managed fields, which take long
	return o
}

// fails returns the error of what is done now.
func (o *outing) fails(verb string, object client.Object) error {
	for _, out := range o.outages {
		if at := o.now.Sub(noon); at >= out.from && at < out.to {
			if err := outages[out.of](verb, object); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *outing) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if err := o.fails("list", nil); err != nil {
		return err
	}
	return o.Client.List(ctx, list, opts...)
}

func (o *outing) Patch(ctx context.Context, object client.Object, patch client.Patch, opts ...client.PatchOption) error {
	if err := o.fails("patch", object); err != nil {
		return err
	}
	if err := o.Client.Patch(ctx, object, patch, opts...); err != nil {
		return err
	}
	o.written = true
	return o.fails("patched", object)
}

// retry is how long after a pass that has failed the next one is, for the sake of a quick test.
const retry = 4 * time.Second

// play lets a steward do its passes: when it has said, soon after one that has failed, and a second after one that has written, since it
// watches what it writes.
func (o *outing) play(t interface{ Fatal(...any) }, length time.Duration) {
	s := &Steward{Client: o, Prober: noProbes{}, Clock: func() time.Time { return o.now }}
	for was := annotation.Ours; o.now.Before(noon.Add(length)); {
		o.written = false
		next, err := s.Pass(context.Background())
		if o.written || !next.IsZero() && next.Before(o.now.Add(pause)) {
			next = o.now.Add(pause)
		}
		if err != nil {
			next = o.now.Add(retry)
		}
		var n corev1.Node
		var np v1.NodePool
		if err := errors.Join(o.Get(context.Background(), client.ObjectKey{Name: "n"}, &n), o.Get(context.Background(), client.ObjectKey{Name: "p"}, &np)); err != nil {
			t.Fatal(err)
		}
		is := annotation.ReadMark(n.Annotations).Disrupt
		if at := o.now.Sub(noon); is == annotation.None && was == annotation.Ours {
			o.releases = append(o.releases, at)
		}
		if was = is; o.enforced == 0 && enforced(&np) {
			o.enforced = o.now.Sub(noon)
		}
		if o.now = o.now.Add(longest); !next.IsZero() && next.Before(o.now) {
			o.now = next
		}
	}
}

// Whatever the API server does not do for a while, the steward is late by no more than that while: what it could not write changes nothing of
// what it does later. It holds a node for a while before admission denies anything; that may begin anew, where an outage has outlasted a release.
func TestAnOutageDelaysNothingBeyondItsEnd(t *testing.T) {
	const length = 5 * time.Minute
	usual := newOuting()
	usual.play(t, length)
	if got := fmt.Sprint(usual.releases, usual.enforced); got != "[0s 1m45s 4m0s] 31s" {
		t.Fatalf("without an outage, the releases and the beginning of admission are at %s", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		o, late := newOuting(), time.Duration(0)
		for range rapid.IntRange(1, 2).Draw(t, "outages") {
			from := time.Duration(rapid.OneOf(rapid.IntRange(0, 200), rapid.IntRange(20, 30), rapid.IntRange(60, 100)).Draw(t, "from")) * time.Second
			lasts := time.Duration(rapid.IntRange(1, 45).Draw(t, "lasts")) * time.Second
			o.outages = append(o.outages, outage{from, from + lasts, rapid.SampledFrom(slices.Sorted(maps.Keys(outages))).Draw(t, "of")})
			late += lasts + retry + pause + min(lasts+retry, lastTry) // waits after stores that have failed double, so that none is longer than all before
		}
		o.play(t, length+late)
		by := usual.enforced + late
		if slices.ContainsFunc(o.outages, func(o outage) bool { return o.to > usual.releases[1]-firstRest }) { // that ends a release
			by += settles
		}
		if o.enforced == 0 || o.enforced > by {
			t.Fatalf("after %v: admission denies after %s, and usually after %s", o.outages, o.enforced, usual.enforced)
		}
		for i, at := range usual.releases {
			if i >= len(o.releases) || o.releases[i] > at+late {
				t.Fatalf("after %v: the releases are at %v, usually at %v", o.outages, o.releases, usual.releases)
			}
		}
	})
}

// What cannot be stored is tried again after a second, and ever later, but at least twice a minute. One that is stored begins anew.
func TestWhatCannotBeStoredIsTriedAgainEverLater(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := noon
		s := &Steward{Clock: func() time.Time { return now }}
		s.ready()
		inARow := 0
		for range 20 {
			switch rapid.SampledFrom([]string{"fails", "fails", "fails", "fails", "conflict", "stored"}).Draw(t, "it") {
			case "fails":
				s.noted(s.unstored, "p", false, errors.New("timeout"))
				wait := lastTry
				if inARow < 5 {
					wait = time.Second << inARow
				}
				inARow++
				if !s.waits("p", now.Add(wait-1)) || s.waits("p", now.Add(wait)) || s.waits("q", now) {
					t.Fatalf("failure %d in a row: it is tried again at %s, want after %s", inARow, s.unstored["p"].until, wait)
				}
				now = now.Add(wait)
			case "conflict":
				s.noted(s.unstored, "p", false, nil)
			case "stored":
				s.noted(s.unstored, "p", true, nil)
				inARow = 0
			}
			if s.waits("p", now) {
				t.Fatal("it waits, and nothing has failed")
			}
		}
	})
}
