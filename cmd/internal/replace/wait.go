package replace

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/patch"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// await waits until machines are gone.
func (o *options) await(ctx context.Context, env command.Environment, chosen []machine) (status int, err error) {
	var over <-chan time.Time
	if o.timeout > 0 {
		over = time.After(o.timeout)
	}
	said := -1
	for {
		left, err := remaining(env, chosen)
		if err != nil {
			return command.Hopeless, fmt.Errorf("the wait ends, and the requests stay: %w", err)
		}
		if gone := len(chosen) - len(left); gone != said {
			fmt.Fprintf(env.Stdout, "%d of %s gone\n", gone, wording.Count(len(chosen), "node"))
			said = gone
		}
		if len(left) == 0 {
			return command.Good, nil
		}
		why := "interrupted"
		select {
		case <-time.After(o.every):
			continue
		case <-over:
			why = "not gone after " + wording.Duration(o.timeout)
		case <-ctx.Done():
		}
		fmt.Fprintf(env.Stdout, "%s, and the requests stay: %s; kubectl disruption why says what blocks a node\n", why,
			wording.List(left, mostAlike, func(m machine) string { return m.object().path() }))
		return command.Faulty, nil
	}
}

// remaining returns the machines that still have an object. An object that was created anew under the same name is another one.
func remaining(env command.Environment, chosen []machine) (left []machine, err error) {
	objects, err := patch.Read[*object](&patch.Flags{}, env, "nodeclaims,nodes")
	if err != nil {
		return nil, err
	}
	there := func(was *object) bool {
		return slices.ContainsFunc(objects, func(is *object) bool {
			return is.path() == was.path() && is.Metadata.CreationTimestamp.Equal(was.Metadata.CreationTimestamp)
		})
	}
	for _, m := range chosen {
		if slices.ContainsFunc(m.objects(), there) {
			left = append(left, m)
		}
	}
	return left, nil
}
