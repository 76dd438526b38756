package steward

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/standing"
	"github.com/disruptkit/disruptkit/karpenter"
)

// Who may not write says so where people look: in the status of the NodePool, on the nodes, and in events, as far as those can be written.
func TestWritesThatAreDeniedAreReported(t *testing.T) {
	for _, c := range []struct {
		rule   string
		denied func(client.Object) bool
		event  string
		status bool // it can be written
		other  bool // the second node is released
	}{
		{"no node", func(o client.Object) bool { _, is := o.(*corev1.Node); return is }, NotWrittenEvent, true, false},
		{"one node", func(o client.Object) bool { return o.GetName() == "n1" }, NotWrittenEvent, true, true},
		{"a NodeClaim that is to drift", func(o client.Object) bool { return o.GetName() == "claim-n1" }, NotWrittenEvent, true, true},
		{"the NodePool", func(o client.Object) bool { return o.GetName() == "p" }, karpenter.MemoryNotStoredEvent, false, false},
	} {
		e := newEstate(map[string]string{annotation.Disruption: `budgets: [{nodes: "1"}]`, annotation.Expire: monthly})
		e.node("n1", 800*time.Hour)
		e.node("n2", 750*time.Hour)
		s, _ := e.steward("")
		at, recorder := noon, record.NewFakeRecorder(1000)
		s.Clock, s.Recorder = func() time.Time { return at }, recorder
		s.Client = interceptor.NewClient(s.Client.(client.WithWatch), interceptor.Funcs{
			Patch: func(ctx context.Context, kube client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
				if c.denied(o) {
					return apierrors.NewForbidden(schema.GroupResource{}, o.GetName(), errors.New("no"))
				}
				return kube.Patch(ctx, o, patch, opts...)
			},
		})
		told, released := 0, false
		var held string
		for range 240 { // a NodeClaim that cannot be written uses a slot ever less often
			if _, err := s.Pass(t.Context()); err != nil && !apierrors.IsForbidden(err) && !strings.Contains(err.Error(), "forbidden") {
				t.Fatal(err)
			}
			at = at.Add(time.Second)
			var np v1.NodePool
			var n corev1.Node
			if err := errors.Join(s.Client.Get(t.Context(), client.ObjectKey{Name: "p"}, &np), s.Client.Get(t.Context(), client.ObjectKey{Name: "n2"}, &n)); err != nil {
				t.Fatal(err)
			}
			if cause := standing.Read(np.Annotations[annotation.Status]).Cause; cause.Code == standing.NotStored && strings.Contains(cause.Message, "forbidden") {
				told++
			}
			released = released || annotation.ReadMark(n.Annotations).Disrupt == annotation.None
			held = n.Annotations[annotation.Held]
		}
		if (told > 200) != c.status || released != c.other {
			t.Errorf("%s: the status says so in %d of 240 s, the other node is released: %v", c.rule, told, released)
		}
		if said := len(recorder.Events); said == 0 || !strings.Contains(<-recorder.Events, c.event) {
			t.Errorf("%s: %d events", c.rule, said)
		}
		if !c.status && held != "Expired: budget/not-stored" {
			t.Errorf("%s: the node says %s", c.rule, held)
		}
	}
}
