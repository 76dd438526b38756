package annotation

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/topology"
)

// A text is where the text of a field goes, and reports whether it is valid. Null is absent, as for other fields.
type text func(string) bool

// UnmarshalJSON is for [jsonobject.Set].
func (set *text) UnmarshalJSON(data []byte) error {
	var written *string
	if err := json.Unmarshal(data, &written); err != nil {
		return err
	}
	if written != nil && !(*set)(*written) {
		return jsonobject.Invalid(fmt.Sprintf("%.100q", *written))
	}
	return nil
}

func duration(to *time.Duration) *text {
	return new(text(func(written string) (valid bool) {
		d, err := time.ParseDuration(written)
		*to = d
		return err == nil && d > 0
	}))
}

// patience is a duration, or Never.
func patience(to *time.Duration) *text {
	return new(text(func(written string) (valid bool) {
		if written == "Never" {
			*to = candidate.Forever
			return true
		}
		return (*duration(to))(written)
	}))
}

func unlabelled(to *topology.Unlabelled) *text {
	return new(text(func(written string) (valid bool) {
		*to, valid = map[string]topology.Unlabelled{
			"TakeTurn": topology.TakeTurn, "Exempt": topology.Exempt, "Block": topology.Block,
		}[written]
		return valid
	}))
}

// moment is a time. The zero time is none: it means no end in a [probe.Pause], which nobody has written.
func moment(to *time.Time) *text {
	return new(text(func(written string) (valid bool) {
		return to.UnmarshalText([]byte(written)) == nil && !to.IsZero()
	}))
}
