// Command apiserver gets a real Kubernetes API server, and checks the guard against it: with Karpenter's own disruption
// suite, and with the stories of a fleet that rolls.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"
)

const help = `apiserver gets a real Kubernetes API server, and checks the guard against it.

  go -C karpenter/apiserver run . build            build kube-apiserver and etcd once, print the directory
  go -C karpenter/apiserver run . suite [FLAGS]    run Karpenter's own disruption suite with guarded methods
  go -C karpenter/apiserver run . stories [-run R] tell the stories of a fleet that rolls, with faults, on the server
  go -C karpenter/apiserver run . broken [-run R]  tell stories with stewards that are broken on purpose: each has to fail
  go -C karpenter/apiserver run . adapters         run the tests of adapters/ that need the server
  go -C karpenter/apiserver run . check [-full]    the suite, guarded, stories, and adapters: as CI does
  go -C karpenter/apiserver run . cluster [CMD]    run a cluster of fake nodes with an unmodified Karpenter, until Ctrl-C or while CMD runs

build takes about 7 minutes of CPU and 2 GB of memory, once; the result stays in the user's cache directory. Where
KUBEBUILDER_ASSETS is set, as setup-envtest does, the servers there are used instead.

cluster also builds the other servers of Kubernetes, kwok and Karpenter's kwok provider, and needs kubectl. It is what a kind cluster with these
two is, without containers: pods run, on nodes that do not exist. It prints the KUBECONFIG, which CMD has in its environment.

check ends with a table of what was done, how long it took, and what came of it. With -full, it also runs the suite plain and with
annotations, specs with guards and stories with stewards that are wrong on purpose, and the longest stories, and measures the steward on
5,000 nodes and a pass over 1,000 nodes. What stories say is kept for a day in the user's cache directory, a directory for each
run: several programs may tell stories at once.

Flags of suite; check and stories know -timeout as well:
  -guard MODE     plain: Karpenter alone · guarded (the default) · annotated: guarded, and all NodePools have annotations
                  that change nothing · dropping: a guard that drops all commands · halving: one that shows every second
                  candidate
  -focus REGEXP   run only specs whose names match
  -files REGEXP   run only specs of files whose names match
  -race           with the race detector
  -timeout D      give up a run of the suite, or a story, after D (45m)

-run of stories and broken selects stories, as that of go test does: ^TestServer is all of them. -full of stories adds those that take
longest.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := do(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "apiserver:", err)
		os.Exit(1)
	}
}

// do is the whole program.
func do(ctx context.Context, args []string) error {
	if len(args) == 0 || slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]) {
		fmt.Print(help)
		return nil
	}
	flags := flag.NewFlagSet("apiserver", flag.ContinueOnError)
	flags.Usage = func() {}
	guarding := flags.String("guard", "guarded", "")
	race := flags.Bool("race", false, "")
	var specs selection
	flags.StringVar(&specs.focus, "focus", "", "")
	flags.StringVar(&specs.files, "files", "", "")
	flags.DurationVar(&specs.timeout, "timeout", 45*time.Minute, "")
	tests := flags.String("run", allStories, "")
	full := flags.Bool("full", false, "")
	switch err := flags.Parse(args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(help)
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0 && args[0] != "cluster":
		return fmt.Errorf("what is %q? There are only flags after %s", flags.Arg(0), args[0])
	}
	switch args[0] {
	case "build":
		dir, err := assets(ctx)
		if err == nil {
			fmt.Println(dir)
		}
		return err
	case "suite":
		suite, err := prepare(ctx, *race)
		if err != nil {
			return err
		}
		outcome, err := suite.run(ctx, *guarding, specs)
		if err != nil {
			return err
		}
		return outcome.success()
	case "stories":
		c := &checking{began: time.Now()}
		c.compiled(ctx, func(t *storyteller) { c.stories(ctx, t, *tests, *full, specs.timeout) })
		c.print(os.Stdout)
		return c.failed
	case "broken":
		c := &checking{began: time.Now()}
		c.breakStewards(ctx, *tests, specs.timeout)
		c.print(os.Stdout)
		return c.failed
	case "adapters":
		c := &checking{began: time.Now()}
		c.adapters(ctx)
		c.print(os.Stdout)
		return c.failed
	case "cluster":
		return runCluster(ctx, flags.Args())
	case "check":
		return check(ctx, *full, specs.timeout)
	default:
		return fmt.Errorf("there is no command %q:\n\n%s", args[0], help)
	}
}
