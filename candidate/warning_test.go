package candidate_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
)

func TestWarningsAreThoseThatAnErrorJoins(t *testing.T) {
	one, two := candidate.Warning{Field: "a", Message: "a is wrong"}, candidate.Warning{Field: "b", Message: "b is wrong"}
	for _, c := range []struct {
		name string
		err  error
		want []candidate.Warning
	}{
		{"of no error, none", nil, nil},
		{"of an error that joins nothing, none", errors.New("no"), nil},
		{"of one that joins some, these, in order", errors.Join(two, one), []candidate.Warning{two, one}},
		{"what else it joins is left out", errors.Join(errors.New("no"), one), []candidate.Warning{one}},
		{"also where it is wrapped", fmt.Errorf("compiling: %w", errors.Join(one)), []candidate.Warning{one}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, candidate.Warnings(c.err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
