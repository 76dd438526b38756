// Command conformance has cases with which a program, in whatever language, shows that it decides as disruptkit does, and judges its answers.
// docs/conformance.md says how. Built for WebAssembly, it decides in other languages:
//
//	GOOS=wasip1 GOARCH=wasm go build -o disruptkit.wasm ./conformance
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/disruptkit/disruptkit/cmd/replay"
	"github.com/disruptkit/disruptkit/internal/wording"
)

const help = `conformance has cases with which a program in any language shows that it decides as disruptkit does.

  conformance cases >cases.jsonl                          print the cases of this version, one line of JSON each
  conformance cases --random 10000 --seed 1 >cases.jsonl  print random cases: the same for the same seed and version
  conformance check [cases.jsonl] <answers.jsonl          judge answers to the cases of this version, or of a file
  conformance answer <cases.jsonl >answers.jsonl          answer cases as disruptkit does
  conformance decide <cases.jsonl >decided.jsonl          write the decision into each case

A case has a name, a reason, an input, and the decision: {"version": "2", "name": …, "reason": …, "input": {…}, "decision": {…}}. An
answer has the name and a decision: {"name": …, "decision": {…}}. cmd/schema/case.json describes both. Files may be compressed by gzip.

The exit status is 0; 1 if an answer is not as it should be; or 2 if nothing could be done.
`

//go:embed cases.jsonl.gz
var bundled []byte

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	good, err := do(args, stdin, stdout)
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "conformance:", err)
		return 2
	case !good:
		return 1
	}
	return 0
}

func do(args []string, stdin io.Reader, stdout io.Writer) (good bool, err error) {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are returned
	random, seed := flags.Int("random", 0, ""), flags.Uint64("seed", 1, "")
	if len(args) == 0 {
		args = []string{"-h"}
	}
	switch err := flags.Parse(args[1:]); {
	case errors.Is(err, flag.ErrHelp), args[0] == "-h", args[0] == "--help":
		_, err := io.WriteString(stdout, help)
		return true, err
	case err != nil:
		return false, fmt.Errorf("%w: write conformance -h to see the flags", err)
	case flags.NArg() > 0 && args[0] != "check" || flags.NArg() > 1:
		return false, fmt.Errorf("%q is no flag: write conformance -h to see what there is", flags.Arg(0))
	case *random < 0:
		return false, fmt.Errorf("--random %d: write how many cases there are to be, such as 10000", *random)
	}
	switch args[0] {
	case "cases":
		return true, cases(stdout, *random, *seed)
	case "check":
		return check(flags.Arg(0), stdin, stdout)
	case "answer":
		return true, replay.Each(stdin, func(c replay.Case) error { return replay.Print(stdout, c.Answer()) })
	case "decide":
		return true, replay.Each(stdin, func(c replay.Case) error { return decide(stdout, c) })
	}
	return false, fmt.Errorf("there is no command %q: write cases, check, answer or decide", args[0])
}

// cases prints the cases that come with this version, or random ones.
func cases(stdout io.Writer, random int, seed uint64) error {
	if random == 0 {
		return replay.Each(bytes.NewReader(bundled), func(c replay.Case) error { return replay.Print(stdout, c) })
	}
	for c, err := range drawn(seed, random) {
		if err == nil {
			err = replay.Print(stdout, c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// check judges answers, and prints what is wrong with them.
func check(file string, answers io.Reader, stdout io.Writer) (good bool, err error) {
	var cases io.Reader = bytes.NewReader(bundled)
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return false, err
		}
		defer f.Close()
		cases = f
	}
	wrong := 0
	right, all, err := replay.Judge(cases, answers, func(d replay.Divergence) {
		fmt.Fprintln(stdout, d)
		wrong++
	})
	if err != nil {
		return false, err
	}
	fmt.Fprintf(stdout, "%d of %d cases are as they should be; %s\n", right, all, wording.Count(wrong, "divergence"))
	return wrong == 0, nil
}

func decide(stdout io.Writer, c replay.Case) error {
	decision, err := c.Decide()
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	c.Decision = decision
	return replay.Print(stdout, c)
}
