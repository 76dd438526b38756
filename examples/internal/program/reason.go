package program

import (
	"errors"
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
)

// Reasons reads the reasons that a flag names, with commas between them. Methods may be in any case.
func Reasons(flag, text string) (reasons []candidate.Reason, err error) {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		method, child, _ := strings.Cut(name, "/")
		for _, known := range []candidate.Reason{
			candidate.Drifted, candidate.Empty, candidate.Underutilized, candidate.Expired, candidate.Unhealthy,
		} {
			if strings.EqualFold(method, string(known)) {
				name = string(known)
				if child != "" {
					name += "/" + child
				}
			}
		}
		reason, fault := candidate.ParseReason(name)
		if fault != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", flag, fault))
		}
		reasons = append(reasons, reason)
	}
	return reasons, err
}
