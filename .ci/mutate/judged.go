package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// A judgement says why a mutant that survives is no gap in the tests. Line numbers change, so it names the file, the
// code and the change.
type judgement struct{ file, code, change, reason string }

// readJudged reads the judgements in a file: "file | code | change | reason" in each line, "#" begins a comment.
func readJudged(path string) (all []judgement, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, " ¦ ")
		if len(fields) != 4 {
			return nil, fmt.Errorf("%s: %q has %d fields; write file ¦ code ¦ change ¦ reason", path, line, len(fields))
		}
		all = append(all, judgement{fields[0], fields[1], fields[2], fields[3]})
	}
	return all, nil
}

func (j judgement) of(m mutant) bool {
	return j.file == m.file && j.code == m.code && j.change == m.change
}

// judge parts the survivors in those that are judged and those that are not, and finds the judgements of no mutant.
func judge(mutants, alive []mutant, known []judgement) (judged, gaps []mutant, stale []judgement) {
	for _, m := range alive {
		if slices.ContainsFunc(known, func(j judgement) bool { return j.of(m) }) {
			judged = append(judged, m)
		} else {
			gaps = append(gaps, m)
		}
	}
	for _, j := range known {
		if !slices.ContainsFunc(mutants, j.of) {
			stale = append(stale, j)
		}
	}
	return judged, gaps, stale
}

// report lists the survivors. It fails if too few of the mutants that are not judged were killed.
func report(out io.Writer, mutants, alive []mutant, known []judgement, least float64) error {
	judged, gaps, stale := judge(mutants, alive, known)
	for _, m := range gaps {
		fmt.Fprintln(out, m)
	}
	for _, j := range stale {
		fmt.Fprintf(out, "judged.txt: no such mutant any more: %s ¦ %s ¦ %s\n", j.file, j.code, j.change)
	}
	counted := len(mutants) - len(judged)
	if counted == 0 {
		return fmt.Errorf("no mutants")
	}
	percent := 100 * float64(counted-len(gaps)) / float64(counted)
	fmt.Fprintf(out, "%d mutants: %d killed, %d judged, %d survive; %.1f %% of those that are not judged are killed\n",
		len(mutants), len(mutants)-len(alive), len(judged), len(gaps), percent)
	if percent < least {
		return fmt.Errorf("%.1f %% are fewer than %.1f %%", percent, least)
	}
	return nil
}
