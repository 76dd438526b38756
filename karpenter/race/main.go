// Command race asks Karpenter and disruptkit the same questions, side by side in one process, and prints how long
// each takes. It takes some ten seconds.
//
//	go run ./race
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/karpenter/internal/race"
)

func main() {
	testing.Init()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, races()))
}

// run is the whole program.
func run(args []string, stdout, stderr io.Writer, races iter.Seq2[race.Race, error]) int {
	flags := flag.NewFlagSet("race", flag.ContinueOnError)
	flags.SetOutput(stderr)
	benchtime := flags.Duration("benchtime", 200*time.Millisecond, "how long each side runs, in all rounds together")
	rounds := flags.Int("rounds", 3, "how often both sides run, in turn; the table has the medians")
	markdown := flags.Bool("markdown", false, "print the table in Markdown")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err == nil && (flags.NArg() > 0 || *rounds < 1 || *benchtime <= 0) {
		err = errors.New("it takes no arguments, at least one round, and a benchtime above 0")
		fmt.Fprintln(stderr, "race:", err)
	}
	if err != nil {
		return 2
	}
	t := table{layout: text}
	if *markdown {
		t.layout = inMarkdown
	}
	fmt.Fprint(stdout, t.head())
	for r, err := range races {
		var row row
		if err == nil {
			row, err = measure(r, *rounds, *benchtime)
		}
		if err != nil {
			fmt.Fprintln(stderr, "race:", err)
			return 1
		}
		fmt.Fprint(stdout, t.line(row))
	}
	fmt.Fprintf(stdout, "\n%s, %s/%s, %d CPUs; medians of %d rounds.\n"+
		"A pass of a guard is more than the numbers: it reads pods and PodDisruptionBudgets, decides twice,\n"+
		"and says what blocks nodes.\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), *rounds)
	return 0
}

// races makes those of the table, one after the other: a fleet is large.
func races() iter.Seq2[race.Race, error] {
	return func(yield func(race.Race, error) bool) {
		for _, cron := range []string{"0 9 * * mon-fri", "@daily"} {
			if !yield(race.Window(cron, 8*time.Hour)) {
				return
			}
		}
		for _, budgets := range []int{1, 5, 50} {
			if !yield(race.Allowance(budgets)) {
				return
			}
		}
		for _, nodes := range []int{100, 1_000, 10_000} {
			f, err := race.NewFleet(nodes)
			if err != nil {
				yield(race.Race{}, err)
				return
			}
			if !yield(f.Mapping()) || !yield(f.Pass()) {
				return
			}
		}
	}
}
