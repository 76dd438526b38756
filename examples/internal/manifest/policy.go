package manifest

import (
	"flag"
	"io"

	"github.com/disruptkit/disruptkit/repair"
)

// A Policy says of objects what they do not say themselves. The zero Policy is Karpenter's.
type Policy struct {
	// MostSpecific lets the most specific of the active budgets decide, not the most restrictive; see budget.Spec.
	MostSpecific bool
	// FailClosed makes annotations of pods that are not valid hold their node back; see candidate.Rules.
	FailClosed bool
	// Repair are the policies by which unhealthy nodes are repaired. Those of a cloud provider are not in the API.
	Repair repair.Set
}

// What the help of programs says of the flags.
const (
	MostSpecificHelp = "the most specific of the active budgets decide, not the most restrictive; per-method controls imply it"
	FailClosedHelp   = "pods whose annotations are not valid hold their node back (default: such annotations are ignored)"
)

// Flags adds the flags of programs that read clusters.
func (p *Policy) Flags(flags *flag.FlagSet) {
	p.PoolFlags(flags)
	flags.BoolVar(&p.FailClosed, "fail-closed", false, "")
	p.repairFlag(flags)
}

// PoolFlags adds the flags of programs that read NodePools alone.
func (p *Policy) PoolFlags(flags *flag.FlagSet) {
	flags.BoolVar(&p.MostSpecific, "most-specific", false, "")
}

// Read reads objects by the zero Policy; see Policy.Read.
func Read(in io.Reader) (*Cluster, error) { return Policy{}.Read(in) }

// ReadPools reads NodePools by the zero Policy; see Policy.ReadPools.
func ReadPools(name string, in io.Reader) (*File, error) { return Policy{}.ReadPools(name, in) }
