package manifest

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/repair"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Policy says how to read objects. The zero Policy is the default.
type Policy struct {
	Now time.Time // what is over then is not spoken of; zero: that is not known
	// As is the engine that the answer is for.
	As engine.Engine
	// MostSpecific lets the most specific active budgets decide instead of the most restrictive; see [budget.Spec].
	MostSpecific bool
	// Calendars are windows that budgets name; see budget.Spec, and ReadCalendars.
	Calendars map[string]schedule.Window
	// FailClosed makes invalid annotations of pods block their node; see [candidate.Rules].
	FailClosed bool
	// Repair has the policies for repairing unhealthy nodes. The API does not show those of a cloud provider.
	Repair repair.Set
	// Whole reports that the input has all objects of Kinds that the cluster has. A kind without objects then is not missing.
	Whole bool
	// WithoutPods leaves out Pods, since there are many: what they block, and what is Empty, is then unknown.
	WithoutPods bool
	// Choose describes how somebody chooses another engine, and there the most specific budgets, where no flags are written.
	// Nil names the flags.
	Choose func(as engine.Engine, mostSpecific bool) string

	calendarFiles []string // from --calendar
	calendarNotes []string // what other programs may read otherwise in these
	repairAssumed bool     // nobody has written --repair
}

// For returns the policy for another engine, and for the reasons that somebody asks for. Unless --repair says otherwise,
// Karpenter repairs no node, since its feature gate NodeRepair is off by default, with the guard or without it. Who asks
// for Unhealthy has it on.
func (p Policy) For(e engine.Engine, asked []candidate.Reason) Policy {
	p.As = e
	if p.repairAssumed {
		p.Repair = repair.Set{}
		if e == engine.Disruptkit || slices.ContainsFunc(asked, candidate.Unhealthy.Covers) {
			p.Repair = usual
		}
	}
	return p
}

// Flags adds the flags of programs that read clusters.
func (p *Policy) Flags(flags *pflag.FlagSet) {
	p.PoolFlags(flags)
	flags.BoolVar(&p.FailClosed, "fail-closed", false,
		"pods with invalid annotations block their node (by default such annotations are ignored)")
	p.repairFlag(flags)
}

// PoolFlags adds the flags of programs that only read NodePools.
func (p *Policy) PoolFlags(flags *pflag.FlagSet) {
	p.As.Flag(flags)
	flags.StringArrayVar(&p.calendarFiles, "calendar", nil,
		"an iCalendar `file`, such as holidays.ics, for budgets that have "+
			`"calendar: holidays"; or name=file; there may be several; whole days are in the zone that the file names, `+
			`or in UTC, unless --zone sets the zone of dates`)
	flags.BoolVar(&p.MostSpecific, "most-specific", false,
		"the most specific of the active budgets decide, not the most restrictive; per-method controls with budgets or a disruptAfter imply it")
}

// choose describes how to choose an engine.
func (p Policy) choose(as engine.Engine) string {
	if p.Choose != nil {
		return p.Choose(as, false)
	}
	return "write --engine " + as.String()
}

// chooseMostSpecific describes how to let the most specific budgets decide.
func (p Policy) chooseMostSpecific() string {
	if p.Choose != nil {
		return p.Choose(p.As, true)
	}
	return "write --most-specific"
}

// Check rejects flags that have no effect for the engine.
func (p Policy) Check() error {
	switch {
	case p.MostSpecific && p.As == engine.Karpenter:
		return errors.New("--most-specific has no effect in Karpenter: write --engine disruptkit, or --engine guard and the annotation " + annotation.MostSpecific)
	case p.MostSpecific && p.As.Annotated():
		return errors.New("--most-specific has no effect on the " + p.As.String() + ": write the annotation " + annotation.MostSpecific)
	case len(p.calendarFiles) > 0 && p.As == engine.Karpenter:
		return errors.New("--calendar has no effect in Karpenter, which has no calendars: write --engine disruptkit, guard or steward")
	case p.FailClosed && p.As == engine.Karpenter:
		return errors.New("--fail-closed has no effect in Karpenter, which ignores annotations that are not valid: write --engine guard or --engine disruptkit")
	}
	return nil
}

// Unread adds to the error of a file that cannot be read what to print into one.
func (p Policy) Unread(err error) error {
	if p.Whole { // it is no file
		return err
	}
	return fmt.Errorf("%w\nto print what is read here, write: %s", err, Command)
}

// Read is [Policy.Read] with the zero Policy.
func Read(in io.Reader) (*Cluster, error) { return Policy{}.Read(in) }

// ReadPools is [Policy.ReadPools] with the zero Policy.
func ReadPools(name string, in io.Reader) (*File, error) { return Policy{}.ReadPools(name, in) }
