package candidate

import (
	"fmt"

	"github.com/disruptkit/disruptkit/internal/quote"
)

// A PDB is a PodDisruptionBudget: how many of the pods that it selects in its namespace may be evicted now.
type PDB struct {
	Namespace, Name    string
	Selector           *Selector // nil selects nothing, the zero Selector the whole namespace
	DisruptionsAllowed int       // status.disruptionsAllowed; 0 and less block
	AlwaysAllow        bool      // unhealthyPodEvictionPolicy: AlwaysAllow; pods that are not Ready may go whatever is allowed
}

// A compiledPDB is one as it is enforced.
type compiledPDB struct {
	PDB
	written   int    // DisruptionsAllowed, before it was made 0 where it is less
	code      string // of what holds back its pods where it allows nothing
	refusal   string // the sentence for it, behind the pod
	exhausted string // the same where others use it up
	source    *Source
}

// compilePDB returns what a PDB selects, and its faults; its selector is not nil.
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
	if len(faults) > 0 { // all pods of its namespace are held back
		compiled.code, compiled.refusal = CodeInvalidPDB, " may have"+name+"is not valid: "+quote.Text(faults[0].Field)+": "+faults[0].Message
		compiled.DisruptionsAllowed, compiled.AlwaysAllow = 0, false
	}
	return compiled, selector, faults
}

func (p PDB) object() string { return "PodDisruptionBudget/" + path(p.Namespace, p.Name) }

// text is all that there is to see, first by namespace and name.
func (p PDB) text() string {
	selector := p.Selector
	p.Selector = nil
	return fmt.Sprintf("%s\x00%s\x00%#v %#v", p.Namespace, p.Name, p, selector)
}
