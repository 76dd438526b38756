package lint

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/explain"
	"github.com/disruptkit/disruptkit/cmd/internal/forecast"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// obvious is the value of --fix without one: the fixes with one reading.
const obvious = "obvious"

// A choice is which fixes to take: of a code, one by its number, or those with one reading.
type choice struct {
	code   string // obvious, or that of findings
	number int    // from 1
}

func (c choice) String() string {
	if c.code == obvious {
		return obvious
	}
	return fmt.Sprintf("%s:%d", c.code, c.number)
}

// choices are taken one after the other, since a fix changes what else is to be fixed.
type choices []choice

// Set adds what one --fix says: obvious, or codes with numbers, such as never-binds:2,gap:1.
func (c *choices) Set(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		if one == obvious {
			*c = append(*c, choice{code: obvious})
			continue
		}
		code, number, _ := strings.Cut(one, ":")
		e, err := explain.Of(code)
		n, bad := strconv.Atoi(cmp.Or(number, "1"))
		if bad != nil || n < 1 {
			err = errors.Join(err, fmt.Errorf("%q: write the number of the fix, such as never-binds:2", one))
		}
		if err != nil {
			return err
		}
		*c = append(*c, choice{e.Code, n})
	}
	return nil
}

func (c *choices) String() string { return "" }

// Type is what help shows.
func (c *choices) Type() string { return "code:number" }

// of returns the fix to take of a finding.
func (c choice) of(f forecast.Finding) (fix lint.Fix, taken bool) {
	switch {
	case c.code == obvious && len(f.Fixes) == 1:
		return f.Fixes[0], f.Fixes[0].Obvious
	case c.code == f.Code && c.number <= len(f.Fixes):
		return f.Fixes[c.number-1], true
	}
	return fix, false
}

// patches returns the changes of files that the chosen fixes are, and whether some wait for others. Of each NodePool,
// they have passed a trial together if they are obvious; of others it takes one.
func (c choice) patches(findings []forecast.Finding, note func(string)) (all []manifest.Patch, wait bool) {
	for i, first := range findings {
		if slices.ContainsFunc(findings[:i], first.SamePool) {
			continue
		}
		var chosen []forecast.Finding
		var fixes []lint.Fix
		for _, f := range findings[i:] {
			if fix, taken := c.of(f); taken && f.SamePool(first) && (c.code == obvious || len(fixes) == 0) {
				chosen, fixes = append(chosen, f), append(fixes, fix)
			}
		}
		if len(fixes) == 0 {
			continue
		}
		patch, more, err := forecast.Rewrite(chosen, fixes)
		if err != nil {
			note(fmt.Sprintf("%s: %v", first.Pool, err))
			continue
		}
		all, wait = append(all, patch), wait || more
	}
	slices.SortStableFunc(all, func(a, b manifest.Patch) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Start-b.Start)
	})
	return all, wait
}

// byFile yields the patches of each file.
func byFile(all []manifest.Patch) (files [][]manifest.Patch) {
	for i, p := range all {
		if i == 0 || all[i-1].File != p.File {
			files = append(files, nil)
		}
		files[len(files)-1] = append(files[len(files)-1], p)
	}
	return files
}

// write changes the files.
func write(all []manifest.Patch) error {
	for _, patches := range byFile(all) {
		text := patches[0].Before
		for _, p := range slices.Backward(patches) {
			text = slices.Concat(text[:p.Start], []byte(p.Text), text[p.End:])
		}
		info, err := os.Stat(patches[0].File)
		if err != nil {
			return err
		}
		if err := os.WriteFile(patches[0].File, text, info.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}

// printDiff prints the changes as a unified diff, which patch -p0 applies.
func printDiff(w io.Writer, all []manifest.Patch) error {
	var out bytes.Buffer
	for _, patches := range byFile(all) {
		fmt.Fprintf(&out, "--- %s\n+++ %[1]s\n", patches[0].File)
		var changes []change
		for _, p := range patches {
			changes = append(changes, changesOf(lines(p.Before), lines(p.After()), 0)...)
		}
		for shift := 0; len(changes) > 0; {
			together := 1 // the lines around them meet
			for together < len(changes) && changes[together].at-changes[together-1].end() <= 2*around {
				together++
			}
			shift += hunk(&out, lines(patches[0].Before), changes[:together], shift)
			changes = changes[together:]
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// around is how many lines around a change a diff shows.
const around = 3

// A change puts new lines in the place of old ones.
type change struct {
	at       int // the first old line, from 0
	old, new []string
}

func (c change) end() int { return c.at + len(c.old) }

// changesOf returns what makes a text another one, beside the longest runs of lines that both have. The first line is at
// a line of the file.
func changesOf(before, after []string, at int) (changes []change) {
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after, at = before[1:], after[1:], at+1
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	if len(before)+len(after) == 0 {
		return nil
	}
	most, from, to := 0, 0, 0 // the longest run of lines in both
	for i := range before {
		for j := range after {
			n := 0
			for i+n < len(before) && j+n < len(after) && before[i+n] == after[j+n] {
				n++
			}
			if n > most {
				most, from, to = n, i, j
			}
		}
	}
	if most == 0 {
		return []change{{at, before, after}}
	}
	return append(changesOf(before[:from], after[:to], at),
		changesOf(before[from+most:], after[to+most:], at+from+most)...)
}

// hunk prints changes with the lines around them, and returns how many more lines there are then.
func hunk(w io.Writer, before []string, changes []change, shift int) (more int) {
	last := changes[len(changes)-1].end()
	from, until := max(0, changes[0].at-around), min(len(before), last+around)
	for _, c := range changes {
		more += len(c.new) - len(c.old)
	}
	fmt.Fprintf(w, "@@ -%d,%d +%d,%d @@\n", from+1, until-from, from+1+shift, until-from+more)
	put := func(mark string, text []string) {
		for _, line := range text {
			fmt.Fprint(w, mark, line)
			if !strings.HasSuffix(line, "\n") {
				fmt.Fprint(w, "\n\\ No newline at end of file\n")
			}
		}
	}
	for _, c := range changes {
		put(" ", before[from:c.at])
		put("-", c.old)
		put("+", c.new)
		from = c.end()
	}
	put(" ", before[from:until])
	return more
}

func lines(text []byte) []string { return slices.Collect(strings.Lines(string(text))) }

// apply writes the fixes of the first choice, or prints what would be written. It reports whether there is anything, and
// whether fixes of the choice wait for that.
func (o options) apply(env command.Environment, findings []forecast.Finding) (changed, wait bool, err error) {
	note := func(text string) { fmt.Fprintln(env.Stderr, "note:", text) }
	chosen := choice{code: obvious}
	if len(o.fix) > 0 {
		chosen = o.fix[0]
	}
	patches, wait := chosen.patches(findings, note)
	taken := func(f forecast.Finding) bool { _, taken := chosen.of(f); return taken }
	if chosen.code != obvious && !slices.ContainsFunc(findings, taken) {
		note(fmt.Sprintf("no finding has the fix %s", chosen))
	}
	if o.diff {
		if len(o.fix) > 1 || wait {
			note(fmt.Sprintf("this is %s; what follows depends on it", chosen))
		}
		return len(patches) > 0, wait, printDiff(env.Stdout, patches)
	}
	if len(patches) > 0 {
		note(fmt.Sprintf("%s changed; what is left:", wording.Count(len(patches), "NodePool")))
	}
	return len(patches) > 0, wait, write(patches)
}
