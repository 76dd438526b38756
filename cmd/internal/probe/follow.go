package probe

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/cmd/poll"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// follow polls the probes of NodePools, and prints their verdicts whenever they change. It ends early, and well, when
// ctx does.
func (o *options) follow(ctx context.Context, env command.Environment, _ []string) (status int, err error) {
	switch {
	case o.file == "":
		return command.Hopeless, fmt.Errorf("name a file with NodePools: %s -f nodepools.yaml", env.Name)
	case o.end < 0:
		return command.Hopeless, fmt.Errorf("--for %s is not a time to poll for: write one such as 30s", o.end)
	}
	pools, err := o.read(env)
	if err != nil {
		return command.Hopeless, err
	}
	for _, w := range pools.Warnings() {
		fmt.Fprintln(env.Stderr, w.Error())
		if w.Code == candidate.CodeInvalidProbe || w.Code == manifest.CodeUnreadable {
			status = command.Faulty
		}
	}
	if len(pools.Pools) == 0 {
		return command.Hopeless, hint(env, "no NodePool is in the input: hand in those that have disruptionProbes")
	}
	if len(pools.Probes) == 0 {
		return command.Hopeless, hint(env,
			"no NodePool in the input has disruptionProbes: write them under spec.disruption")
	}
	if o.end > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, o.end)
		defer stop()
	}
	return status, watch(ctx, pools.Probes, env.Stdout)
}

// read reads NodePools.
func (o *options) read(env command.Environment) (*manifest.Cluster, error) {
	in, err := manifest.Open(o.file, env.Stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	cluster, err := manifest.Read(in)
	if err != nil {
		return nil, fmt.Errorf("%w\n%w", err, hint(env, "what is read here are NodePools in YAML or JSON"))
	}
	return cluster, nil
}

// watch polls until ctx ends.
func watch(ctx context.Context, probes map[string][]httpget.Spec, stdout io.Writer) error {
	var client httpget.Client
	runner := poll.New(&client, poll.YAML)
	runner.Set(slices.Concat(slices.Collect(maps.Values(probes))...))
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	running.Go(func() { runner.Run(ctx) })

	type place struct {
		pool     string
		position int
	}
	last := map[place]probe.Verdict{}
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for ctx.Err() == nil {
		var out strings.Builder
		for _, pool := range slices.Sorted(maps.Keys(probes)) {
			for i, v := range runner.Verdicts(probes[pool]...) {
				at := place{pool, i}
				if before, told := last[at]; told && poll.Same(before, v) {
					continue
				}
				last[at] = v
				v.StaleAt = time.Time{} // each answer moves it
				fmt.Fprintf(&out, "%s  %s  %v\n", time.Now().UTC().Format("15:04:05Z"), wording.Quote("NodePool/"+pool), v)
			}
		}
		if _, err := io.WriteString(stdout, out.String()); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-runner.Changed():
		case <-ticks.C: // answers may have grown too old
		}
	}
	return nil
}
