package program

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
)

// words are the reasons that people write, those of the RFCs included.
var words = []string{
	string(candidate.Drifted), string(candidate.Empty), string(candidate.Underutilized), string(candidate.Expired), string(candidate.Unhealthy),
	"Drift", "Emptiness", "Consolidation", "Expiration",
}

// Reasons reads the reasons that a flag names, with commas between them. Methods, and the children that are known, may be in any case.
func Reasons(flag, text string) (reasons []candidate.Reason, err error) {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if end := strings.IndexAny(name, "/:"); end >= 0 {
			name = asKnown(name[:end], words) + name[end:end+1] + asKnown(name[end+1:], candidate.DriftReasons())
		}
		reason, fault := candidate.ParseReason(asKnown(name, words))
		if fault != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", flag, fault))
		}
		reasons = append(reasons, reason)
	}
	return reasons, err
}

// asKnown returns a name as it is known, where only its case differs.
func asKnown(name string, known []string) string {
	if i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) }); i >= 0 {
		return known[i]
	}
	return name
}
