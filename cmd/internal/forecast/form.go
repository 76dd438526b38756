package forecast

import (
	"errors"
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// A Form is a question that somebody asks in the fields of a form, and not with flags: no answer names a flag.
type Form struct {
	Text  string // NodePools, as a file has them
	As    string // karpenter, guard, disruptkit or, for disruptkit where the most specific budgets decide, most-specific
	Zone  string // of the tz database; "" is UTC
	From  string // a date or time at which the week begins; "" is today
	Nodes string // how many nodes a pool has
	// JSON asks for all of it, with what other engines would do, which takes two to three times as long.
	JSON bool
	// Choice returns the words in the form for a value of As.
	Choice func(as string) string
}

// A FormAnswer has everything that the form shows, of one reading.
type FormAnswer struct {
	Findings []Finding // the first are of what is no NodePool
	Pools    int       // how many there are
	Notes    []string
	SVG      string // as forecast -o svg prints it
	JSON     string // as forecast -o json prints it; "" if nobody asked for it
}

// MostSpecific is the value of Form.As for disruptkit where the most specific budgets decide.
const MostSpecific = "most-specific"

// formFile is the name of the text in places, such as text:12.
const formFile = "text"

// Answer returns what the text means. The error says why nothing can be shown.
func (f Form) Answer() (a FormAnswer, err error) {
	o, err := f.options()
	if err != nil {
		return a, err
	}
	in := newInput(o)
	if err := in.add(formFile, strings.NewReader(f.Text)); errors.Is(err, manifest.ErrEmpty) {
		return a, errors.New("nothing is written yet: paste a NodePool, or an object with budgets")
	} else if err != nil {
		return a, err
	}
	if len(in.pools) == 0 {
		return a, errors.Join(in.unreadable()...)
	}
	in.namesakes()
	pools, err := forecastAll(o, in)
	if err != nil {
		return a, err
	}
	return f.answer(report{o, pools, in.faults}, in.notes)
}

func (f Form) answer(r report, notes []string) (a FormAnswer, err error) {
	a.Pools, a.Notes = len(r.pools), notes
	for _, fault := range r.faults {
		a.Findings = append(a.Findings, findingOf(fault))
	}
	for _, p := range r.pools {
		a.Findings = append(a.Findings, p.findings...)
	}
	var json, svg strings.Builder
	err = printSVG(&svg, r)
	if f.JSON {
		err = errors.Join(err, printJSON(&json, r))
	}
	a.SVG, a.JSON = svg.String(), json.String()
	return a, err
}

// unreadable reports why there is no NodePool.
func (in *input) unreadable() (errs []error) {
	for _, fault := range in.faults {
		errs = append(errs, fault)
	}
	return append(errs, errNoPool)
}

func (f Form) options() (o options, err error) {
	o = options{form: true}
	if o.Policy, err = f.policy(); err != nil {
		return o, err
	}
	if o.Nodes, err = parseNodes(f.Nodes); err != nil {
		return o, err
	}
	zone := strings.TrimSpace(f.Zone)
	if zone == "" {
		zone = "UTC"
	}
	if o.zone, err = command.ParseZone(zone); err != nil {
		return o, fmt.Errorf("the time zone %w", err)
	}
	return o, o.setSpan("the week from", f.From, "", "")
}

func (f Form) policy() (p manifest.Policy, err error) {
	as := f.As
	if as == MostSpecific {
		as, p.MostSpecific = engine.Disruptkit.String(), true
	}
	if err := p.As.Set(as); err != nil {
		return p, fmt.Errorf("the engine %w", err)
	}
	p.Choose = func(as engine.Engine, mostSpecific bool) string {
		if mostSpecific {
			return "choose " + f.Choice(MostSpecific)
		}
		return "choose " + f.Choice(as.String())
	}
	return p, nil
}
