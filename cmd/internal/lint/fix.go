package lint

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"

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

// files returns each file that patches change, as it was and as it will be, by their names.
func files(all []manifest.Patch) (names []string, was, is map[string]string) {
	was, is = map[string]string{}, map[string]string{}
	for _, p := range slices.Backward(all) { // so that the bytes before a patch stay where they are
		if _, changed := was[p.File]; !changed {
			names = append(names, p.File)
			was[p.File], is[p.File] = string(p.Before), string(p.Before)
		}
		is[p.File] = is[p.File][:p.Start] + p.Text + is[p.File][p.End:]
	}
	slices.Reverse(names)
	return names, was, is
}

// write changes the files.
func write(all []manifest.Patch) error {
	names, _, is := files(all)
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(is[name]), info.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}

// printDiff prints the changes as a unified diff, which patch -p0 applies.
func printDiff(w io.Writer, all []manifest.Patch) error {
	names, was, is := files(all)
	for _, name := range names {
		if _, err := io.WriteString(w, udiff.Unified(name, name, was[name], is[name])); err != nil {
			return err
		}
	}
	return nil
}

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
