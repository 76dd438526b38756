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
	AlwaysAllow        bool      // unhealthyPodEvictionPolicy: AlwaysAllow; unready pods may always be evicted
}

// An enforcedPDB is a PodDisruptionBudget as it is enforced: DisruptionsAllowed is at least 0.
type enforcedPDB struct {
	PDB
	negative bool // its status says that it allows less than 0
	invalid  bool // it allows nothing
	source   *Source
	code     Code   // of the blocker once it allows nothing more
	refusal  string // its message, after the pod's name
}

func (p *enforcedPDB) name() string { return p.source.PDBs[0] }

// compile compiles a PDB whose selector is not nil. It returns the selector and all faults.
func (p PDB) compile() (enforcedPDB, compiledSelector, []Warning) {
	name := path(p.Namespace, p.Name)
	which := " PDB " + wording.Quote(name) + ", which "
	enforced := enforcedPDB{PDB: p, negative: p.DisruptionsAllowed < 0, source: &Source{PDBs: []string{name}}}
	selector, faults := p.Selector.compile()
	for i := range faults {
		faults[i].Code, faults[i].Object = CodeInvalidPDB, p.object()
	}
	switch {
	case len(faults) > 0: // it blocks all pods of its namespace
		enforced.DisruptionsAllowed, enforced.AlwaysAllow, enforced.invalid = 0, false, true
		enforced.code, enforced.refusal = CodeInvalidPDB,
			" may have"+which+"is not valid: "+wording.Quote(faults[0].Field)+": "+faults[0].Message
	case p.DisruptionsAllowed <= 0:
		enforced.DisruptionsAllowed = 0
		enforced.code, enforced.refusal = CodeAllowsNone, " has"+which+"allows no disruption now"
	default:
		enforced.code, enforced.refusal = CodeExhausted, " has"+which+"is used up"
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
