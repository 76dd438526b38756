package candidate

import (
	"fmt"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// A PDB is a PodDisruptionBudget: how many of the pods that it selects in its namespace may be evicted now.
type PDB struct {
	Namespace, Name    string
	Selector           *Selector // nil selects nothing, the zero Selector the whole namespace
	DisruptionsAllowed int       // status.disruptionsAllowed; 0 or less blocks
	AlwaysAllow        bool      // unhealthyPodEvictionPolicy: AlwaysAllow; pods that are not Ready may always go
}

// An enforcedPDB is a PodDisruptionBudget as it is enforced. Those that select nothing are left out.
type enforcedPDB struct {
	Name        string // namespace/name
	Allowed     int    // at least 0
	Written     int    // what its status says it allows, which may be below 0
	AlwaysAllow bool   // pods that are not Ready may always go
	Invalid     bool   // it is broken, and allows nothing
	Refusal     string // the message if it allows nothing, after the pod's name
	Exhausted   string // the message if others have used it up
}

// compile compiles a PDB whose selector is not nil. It returns the selector and all faults.
func (p PDB) compile() (enforcedPDB, compiledSelector, []Warning) {
	name := path(p.Namespace, p.Name)
	which := " PDB " + wording.Quote(name) + ", which "
	enforced := enforcedPDB{
		Name: name, Allowed: max(0, p.DisruptionsAllowed), Written: p.DisruptionsAllowed, AlwaysAllow: p.AlwaysAllow,
		Refusal:   " has" + which + "allows no disruption now",
		Exhausted: " has" + which + "is used up",
	}
	selector, faults := p.Selector.compile()
	for i := range faults {
		faults[i].Code, faults[i].Object = CodeInvalidPDB, p.object()
	}
	if len(faults) > 0 { // it holds back all pods of its namespace
		enforced.Allowed, enforced.AlwaysAllow, enforced.Invalid = 0, false, true
		enforced.Refusal = " may have" + which + "is not valid: " +
			wording.Quote(faults[0].Field) + ": " + faults[0].Message
	}
	return enforced, selector, faults
}

func (p PDB) object() string { return "PodDisruptionBudget/" + path(p.Namespace, p.Name) }

// text is a sort key: namespace, name, then everything else.
func (p PDB) text() string {
	selector := p.Selector
	p.Selector = nil
	return fmt.Sprintf("%s\x00%s\x00%#v %#v", p.Namespace, p.Name, p, selector)
}
