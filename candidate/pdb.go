package candidate

import (
	"fmt"

	"github.com/disruptkit/disruptkit/internal/quote"
)

// A PDB is a PodDisruptionBudget: how many of the pods that it selects in its namespace may be evicted now.
type PDB struct {
	Namespace, Name    string
	Selector           *Selector // nil selects nothing, the zero Selector the whole namespace
	DisruptionsAllowed int       // status.disruptionsAllowed; 0 or less blocks
	AlwaysAllow        bool      // unhealthyPodEvictionPolicy: AlwaysAllow; pods that are not Ready may always go
}

// A compiledPDB is a PDB as it is enforced.
type compiledPDB struct {
	PDB
	written   int    // DisruptionsAllowed as written, which may be below 0
	code      string // of the blocker if it allows nothing
	refusal   string // the message for that, after the pod's name
	exhausted string // the message if others have used it up
	source    *Source
}

// compilePDB compiles a PDB whose selector is not nil. It returns the selector and all faults.
func compilePDB(p PDB) (compiledPDB, selector, []Warning) {
	name := " PDB " + quote.Text(path(p.Namespace, p.Name)) + ", which "
	compiled := compiledPDB{
		PDB: p, written: p.DisruptionsAllowed,
		code: CodeAllowsNone, refusal: " has" + name + "allows no disruption now",
		exhausted: " has" + name + "nodes ahead of this one use up",
		source:    &Source{PDBs: []string{path(p.Namespace, p.Name)}},
	}
	compiled.DisruptionsAllowed = max(0, p.DisruptionsAllowed)
	selector, faults := p.Selector.compile()
	for i := range faults {
		faults[i].Code, faults[i].Object = CodeInvalidPDB, p.object()
	}
	if len(faults) > 0 { // it holds back all pods of its namespace
		compiled.code, compiled.refusal = CodeInvalidPDB, " may have"+name+"is not valid: "+quote.Text(faults[0].Field)+": "+faults[0].Message
		compiled.DisruptionsAllowed, compiled.AlwaysAllow = 0, false
	}
	return compiled, selector, faults
}

func (p PDB) object() string { return "PodDisruptionBudget/" + path(p.Namespace, p.Name) }

// text is a sort key: namespace, name, then everything else.
func (p PDB) text() string {
	selector := p.Selector
	p.Selector = nil
	return fmt.Sprintf("%s\x00%s\x00%#v %#v", p.Namespace, p.Name, p, selector)
}
