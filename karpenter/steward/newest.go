package steward

import (
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// written are objects as they were last written, over versions that caches may still show.
type written map[types.UID]struct {
	over string
	as   client.Object
}

// newest returns an object as it was last written, if o is still the version before.
func (w written) newest(o client.Object) client.Object {
	last, ok := w[o.GetUID()]
	if !ok {
		return o
	}
	if last.over == o.GetResourceVersion() {
		return last.as
	}
	delete(w, o.GetUID())
	return o
}

// note notes that an object was written over a version.
func (w written) note(over string, as client.Object) {
	w[as.GetUID()] = struct {
		over string
		as   client.Object
	}{over, as}
}
