// Package rerun is the command replay: it makes recorded decisions again.
package rerun

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/cmd/replay"
	"github.com/disruptkit/disruptkit/internal/wording"
)

const long = `replay makes recorded decisions again, and names each value that is not as it was. Any version on any machine should decide as the
one that made the recording. A version that decides wrongly makes the same wrong decision again, so replay also checks decisions against a
model of topology: two zones in flight (TURNS), more nodes than a budget allows (LIMITS), a zone that is left early (ORDER), a turn that is
not remembered (MEMORY).

A recording has a line of JSON for each decision: the reason, everything that the decision depends on, and the answer with the memory
for the next one. The guard writes recordings (Cluster.Recording), and so do the steward (disruptkit-steward run --record FILE)
and programs with package replay. A file may be compressed by gzip; - is standard input.

A line that cannot be read, such as the last one of a program that died, is an error. The lines after it are checked all the same, as a
recording of their own.

The exit status is 0; 1 if a decision differs, or the model does not allow it; or 2 if a recording, or a line of it, cannot be read.`

const examples = `  # does this version decide as the guard did, and was that right?
  kubectl disruption replay guard.jsonl
  # recordings of several weeks
  kubectl disruption replay week-47.jsonl.gz week-48.jsonl.gz`

// Command returns the command.
func Command(env *command.Environment) *cobra.Command {
	return command.New(env, &cobra.Command{
		Use:         "replay [flags] file...",
		Short:       "Whether recorded decisions would be made again",
		Long:        long,
		Example:     examples,
		Annotations: command.WithoutCluster(),
	}, run)
}

// run replays recordings, and says what differs.
func run(_ context.Context, env command.Environment, files []string) (status int, err error) {
	if len(files) == 0 {
		return command.Hopeless, errors.New("which recording? Write a file, or - for standard input")
	}
	all, differ := 0, 0
	for _, file := range files {
		n, d, unread := one(env, file)
		all, differ, err = all+n, differ+d, errors.Join(err, unread)
	}
	switch {
	case differ > 0:
		fmt.Fprintf(env.Stdout, "%d of %s differ, or are wrong\n", differ, wording.Count(all, "decision"))
		status = command.Faulty
	case all > 0:
		fmt.Fprintf(env.Stdout, "%s: none differs, none is wrong\n", wording.Count(all, "decision"))
	}
	if err != nil {
		status = command.Hopeless
	}
	return status, err
}

// one replays a recording. It returns how many decisions there are, and how many of them differ.
func one(env command.Environment, file string) (all, differ int, err error) {
	in, err := manifest.Open(file, env.Stdin)
	if err != nil {
		return 0, 0, err
	}
	defer in.Close()
	last := -1
	all, err = replay.Check(in, func(d replay.Divergence) {
		if d.Line != last {
			last, differ = d.Line, differ+1
		}
		fmt.Fprintf(env.Stdout, "line %d: %s\n", d.Line, d)
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return all, differ, err
}
