package decide

import (
	"errors"
	"fmt"
	"io"
)

// printNames prints the nodes that are allowed now, one on each line, as kubectl get -o name does.
func printNames(w io.Writer, a answer) error {
	if len(a.decisions) != 1 {
		return errors.New("-o name is for one reason, since several use up the same budgets: write --reason Drifted")
	}
	for _, d := range a.decisions {
		if text := caveat(d.Reason); text != "" {
			return errors.New(text)
		}
		for _, c := range d.Allowed {
			if _, err := fmt.Fprintf(w, "node/%s\n", c.Node); err != nil {
				return err
			}
		}
	}
	return nil
}
