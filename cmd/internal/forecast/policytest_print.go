package forecast

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/internal/wording"
)

const testLong = `test checks what must hold of NodePools, as promtool tests alerts: that drift is frozen in business hours for all of next year,
that no time is without a limit, that each week has some open hours, or how many nodes may be disrupted at a time. It is exact for all
times, not sampled: a test that fails names the first time at which it does not hold.

A file has the NodePools that it is about (policies), the engine, and tests:

  policies: [nodepool.yaml]
  engine: karpenter          # or guard, steward, disruptkit
  from: 2027-01-01
  to: 2028-01-01
  zone: Europe/Berlin
  nodes: 100                 # of each NodePool
  tests:
  - {name: no drift in business hours, pool: web, reason: Drifted, atMost: 0, during: {schedule: 0 9 * * mon-fri, duration: 8h}}
  - {name: never without a limit, limited: true}
  - {name: time enough, reason: Drifted, open: {least: 4h, each: week}}
  - {name: Saturday night, at: "2027-01-02T03:00:00Z", nodes: 180, atMost: 20}

Without a pool, a test is of each. Without a reason, it is of each for which budgets are asked: in Karpenter not of Expired, since
nodes expire whatever budgets say (expireAfter); a note names the NodePools whose nodes do. DisruptionPolicies, calendars and rolls are not tested.

The exit status is 0 if all tests pass; 1 if one fails; or 2 if a file cannot be read.`

// TestCommand returns the command that tests policies.
func TestCommand(env *command.Environment) *cobra.Command {
	var print func(io.Writer, []suiteResult) error
	c := command.New(env, &cobra.Command{
		Use: "test [flags] file...", Short: "Policy tests: what must hold of budgets, at all times", Long: testLong,
		Example: "  # in a pipeline of GitHub\n  kubectl disruption test -o github policies_test.yaml",
	}, func(_ context.Context, env command.Environment, args []string) (status int, err error) {
		if len(args) == 0 {
			return command.Hopeless, errors.New("which tests? Write a file, and for what is in it, write kubectl disruption test --help")
		}
		var all []suiteResult
		for _, file := range args {
			s, err := readSuite(file, env.Stdin)
			if err != nil {
				return command.Hopeless, err
			}
			verdicts, err := s.run()
			if err != nil {
				return command.Hopeless, err
			}
			all = append(all, suiteResult{file, verdicts, s.unlimited()})
			for _, v := range verdicts {
				if v.why != "" {
					status = command.Faulty
				}
			}
		}
		return status, print(env.Stdout, all)
	})
	command.OneOf(c.Flags(), &print, "output", "o", "the `format`: %s; github prints workflow commands",
		command.Is("text", printTests), command.Is("github", printTestsGitHub))
	return c
}

// A suiteResult is what came of a file.
type suiteResult struct {
	file     string
	verdicts []verdict
	notes    []string
}

// text returns what a verdict is about, and the counterexample.
func (v verdict) text() string {
	text := fmt.Sprintf("%s: %s, %s", wording.Quote(v.Name), wording.Quote(v.pool), v.reason)
	if v.why == "" {
		return text
	}
	return fmt.Sprintf("%s: on %s %s", text, v.at.In(v.zone).Format("Mon 2 Jan 2006 15:04 MST"), v.why)
}

func printTests(w io.Writer, all []suiteResult) error {
	var out strings.Builder
	ran, failed := 0, 0
	for _, s := range all {
		for _, v := range s.verdicts {
			if ran++; v.why != "" {
				failed++
				fmt.Fprintf(&out, "FAIL %s:%d: %s\n", s.file, v.line, v.text())
			}
		}
		for _, note := range s.notes {
			fmt.Fprintf(&out, "note %s: %s\n", s.file, note)
		}
	}
	fmt.Fprintf(&out, "%d of %s failed\n", failed, wording.Count(ran, "test"))
	_, err := io.WriteString(w, out.String())
	return err
}

// printTestsGitHub prints a workflow command for each test that fails.
func printTestsGitHub(w io.Writer, all []suiteResult) error {
	var out strings.Builder
	for _, s := range all {
		for _, v := range s.verdicts {
			if v.why != "" {
				out.WriteString(command.Annotation("error", s.file, v.line, "policy test", v.text()))
			}
		}
		for _, note := range s.notes {
			out.WriteString(command.Annotation("notice", s.file, 1, "policy test", note))
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}
