package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/follow"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
)

const dashboardLong = `dashboard serves one page, by default for this machine alone, that shows a roll at one look: how far it is and how that compares
with the plan, whose turn it is, the week of the budgets, what blocks nodes, and what happened last.

Without -f it asks the cluster of kubectl's context, every --watch-every, however many pages are open. A file is read again whenever
it changes. The page refreshes itself when something has changed, and loads nothing from elsewhere. If the cluster cannot be read,
the page says since when and why, and that the rest is old.

The plan for comparison is made when the command starts, and again when a NodePool's revision changes. What nobody has given or
measured is a guess, and the page says so.

There is no login: whoever can reach the address can read the page. The server answers only for an IP address, localhost, or the host
name in --listen.

The exit status is 0 when somebody stops it; 1 if something is invalid or missing then, or the last attempt to read the cluster failed;
or 2 if nothing could be read or served.`

const dashboardExamples = `  # open the address that it prints
  kubectl disruption dashboard
  # at an address of your choice, with the times of Berlin
  kubectl disruption dashboard --listen localhost:8080 --zone Europe/Berlin
  # without a cluster
  kubectl disruption dashboard --demo --listen localhost:8080`

// DashboardCommand returns the command that serves the page with how far rolls are. It ends, and well, when its context does.
func DashboardCommand(env *command.Environment) *cobra.Command {
	d := &dashboard{}
	c := command.New(env, &cobra.Command{
		Use:     "dashboard [flags]",
		Short:   "A roll at one look, as a page on this machine",
		Long:    dashboardLong,
		Example: dashboardExamples,
		Args:    command.NoFile,
	}, d.run)
	f := c.Flags()
	f.StringVar(&d.listen, "listen", "127.0.0.1:0", "serve at this `address`; port 0 is any that is free")
	d.rolls.AddFlags(env, f)
	choose.PoolFlag(f, &d.pool, "show one `NodePool`; everything is decided on the whole cluster")
	return c
}

// A dashboard is what the flags of the command say.
type dashboard struct {
	listen string
	rolls  planner.Rolls
	pool   string // "": all
}

// run serves until ctx ends.
func (d *dashboard) run(ctx context.Context, env command.Environment, _ []string) (status int, err error) {
	policy, zone, err := d.rolls.Finish(env, d.pool)
	if err != nil {
		return hopeless, err
	}
	if _, _, err := net.SplitHostPort(d.listen); err != nil {
		return hopeless, fmt.Errorf("--listen %q is not an address: write one such as localhost:8080", d.listen)
	}
	listener, err := listen(ctx, d.listen)
	if err != nil {
		return hopeless, err
	}
	defer listener.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	now := &live{watch: watch{as: policy.As}, zone: zone, pool: d.pool}
	here, began, served := newHost(d.listen, listener.Addr()), false, make(chan error, 1)
	err = errors.New("stopped before the cluster was read")
	d.rolls.Follow(ctx, env, func(r planner.Rolled, fault error) (ends bool) {
		if fault == nil {
			now.take(r)
		}
		if fault == nil && !began {
			d.rolls.Tell(env, r.Cluster)
			fault = choose.Pool(d.pool, choose.Names(now.last.in.Pools))
		}
		switch {
		case began && fault != nil:
			now.fail(fault)
		case began:
		case errors.Is(fault, follow.ErrLate):
			fmt.Fprintln(env.Stderr, "note:", fault)
		case fault != nil:
			err = fault
			return true
		default:
			began, err = true, nil
			if !here.loopback {
				fmt.Fprintln(env.Stderr, "note: whoever reaches this address can read the page: there is no login")
			}
			fmt.Fprintf(env.Stderr, "http://%s/ is the page; interrupt to end\n", listener.Addr())
			go func() {
				served <- serve(ctx, listener, now.handler(here))
				stop() // reading as well
			}()
		}
		return false
	})
	stop()
	if began {
		err = <-served
	}
	if err != nil {
		return hopeless, err
	}
	return now.status(), nil
}
