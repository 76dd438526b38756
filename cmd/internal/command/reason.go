package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// methods are the reasons that the flag offers.
var methods = []string{
	string(candidate.Drifted), string(candidate.Empty), string(candidate.Underutilized), string(candidate.Expired),
	string(candidate.Unhealthy), string(candidate.Requested),
}

// words are the reasons that people write, those of the RFCs included.
var words = slices.Concat(methods, []string{"Drift", "Emptiness", "Consolidation", "Expiration"})

// Reasons is the value of the flag --reason: reasons with commas between them. Methods, and the children that are
// known, may be in any case.
type Reasons []candidate.Reason

// AddFlag adds the flag. What people may write replaces %s in the usage.
func (r *Reasons) AddFlag(flags *pflag.FlagSet, usage string) {
	flags.Var(r, "reason", fmt.Sprintf(usage, strings.Join(methods, ", ")+
		", or children such as Drifted/AMIDrift, in any case, "+
		"with commas between them"))
}

// String returns nothing: by default there are no reasons, and what that means differs.
func (r *Reasons) String() string { return "" }

// Type names the value of the flag.
func (r *Reasons) Type() string { return "names" }

// Completions are the reasons that the flag may name.
func (r *Reasons) Completions() []string { return methods }

// Set reads the value of the flag. An empty one names none, as if there were no flag.
func (r *Reasons) Set(text string) (err error) {
	if *r = nil; text == "" {
		return nil
	}
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if end := strings.IndexAny(name, "/:"); end >= 0 {
			name = asKnown(name[:end], words) + name[end:end+1] + asKnown(name[end+1:], wording.DriftReasons)
		}
		reason, fault := candidate.ParseReason(asKnown(name, words))
		err = errors.Join(err, fault)
		if !slices.Contains(*r, reason) { // Drift,Drifted is one
			*r = append(*r, reason)
		}
	}
	return err
}

// asKnown returns a name as it is known, where only its case differs.
func asKnown(name string, known []string) string {
	if i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) }); i >= 0 {
		return known[i]
	}
	return name
}
