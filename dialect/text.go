package dialect

import "fmt"

// The words for dialects in JSON. They have no version: a recording stays readable.
const (
	disruptkit = "disruptkit"
	karpenter  = "karpenter"
)

// MarshalText returns "disruptkit" or "karpenter".
func (d Dialect) MarshalText() ([]byte, error) {
	if d == Karpenter {
		return []byte(karpenter), nil
	}
	return []byte(disruptkit), nil
}

// UnmarshalText reads what MarshalText writes.
func (d *Dialect) UnmarshalText(text []byte) error {
	switch string(text) {
	case disruptkit:
		*d = Disruptkit
	case karpenter:
		*d = Karpenter
	default:
		return fmt.Errorf("dialect %.100q is unknown: write %s or %s", text, disruptkit, karpenter)
	}
	return nil
}
