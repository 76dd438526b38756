package dialect

import (
	"fmt"
	"slices"
	"strings"
)

// words are the dialects in JSON. They have no version: a recording stays readable.
var words = []string{Disruptkit: "disruptkit", Karpenter: "karpenter"}

// MarshalText returns "disruptkit" or "karpenter".
func (d Dialect) MarshalText() ([]byte, error) {
	if int(d) >= len(words) {
		d = Disruptkit
	}
	return []byte(words[d]), nil
}

// UnmarshalText reads what MarshalText writes.
func (d *Dialect) UnmarshalText(text []byte) error {
	i := slices.Index(words, string(text))
	if i < 0 {
		return fmt.Errorf("dialect %.100q is unknown: write %s", text, strings.Join(words, " or "))
	}
	*d = Dialect(i)
	return nil
}
