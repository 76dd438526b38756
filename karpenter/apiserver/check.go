package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

const (
	// few are specs of drift and emptiness that a broken guard fails within seconds, each of them.
	few = "Drift Drift (should (delete|replace) drifted nodes|can replace)|Emptiness (can delete|will consider|Budgets should allow (all|2)|Emptiness should delete nodes)"
	// some are the files whose specs check -full runs with a broken guard.
	some = "/(drift|emptiness)_test.go"
	// growing are specs of static NodePools that lack nodes and lose more of them. An annotated NodePool does not: the nodes that are
	// missing use up its budgets (disruptkit.Pool.Desired).
	growing = "Static ?Drift.*(should respect budgets for multiple static nodepools|should drift nodes when we can acquire limits|" +
		"should handle drift for multiple static NodePools independently)"
	// dozen and enough are how many of them have to fail.
	dozen, enough = 12, 20
)

// A checking is a check under way: what was done, how long it took, and what came of it.
type checking struct {
	began  time.Time
	mu     sync.Mutex
	rows   [][3]string
	failed error
}

// part does a part of the check. The other parts are done as well, where one fails.
func (c *checking) part(name string, do func() (result string, err error)) (ok bool) {
	began := time.Now()
	result, err := do()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		result = strings.TrimSpace("FAILED " + result)
		c.failed = errors.Join(c.failed, fmt.Errorf("%s: %w", name, err))
	}
	c.rows = append(c.rows, [3]string{name, time.Since(began).Round(time.Second).String(), result})
	return err == nil
}

// print prints a table of all parts.
func (c *checking) print(to io.Writer) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nPART\tTOOK\tRESULT")
	for _, r := range c.rows {
		fmt.Fprintln(w, strings.TrimRight(strings.Join(r[:], "\t"), "\t"))
	}
	fmt.Fprintf(w, "in all\t%s\n", time.Since(c.began).Round(time.Second))
	_ = w.Flush()
}

// check runs Karpenter's suite with a guard that is sound, and some specs with two that are not: these have to fail, or the suite would
// not see what it is to see. Meanwhile it tells the stories, which mostly wait, also some with stewards that are broken. A full check also
// runs the suite plain and with annotations, more specs with the broken guards, all broken stewards and the long stories, and measures.
func check(ctx context.Context, full bool, timeout time.Duration) error {
	c := &checking{began: time.Now()}
	defer func() { c.print(os.Stdout) }()
	var s *suite
	ready := c.part("servers", func() (string, error) { return assets(ctx) }) &&
		c.part("suite, compiled", func() (result string, err error) {
			s, err = prepare(ctx, false)
			return "", err
		})
	if !ready {
		return c.failed
	}
	c.compiled(ctx, func(t *storyteller) {
		var others sync.WaitGroup
		others.Go(func() { c.suites(ctx, s, full, timeout) })
		others.Go(func() { c.adapters(ctx) })
		c.stories(ctx, t, allStories, full, timeout)
		others.Wait()
		if full {
			c.measure(ctx, t, timeout)
		}
	})
	return c.failed
}

// adapters runs the tests of the adapters that need a server.
func (c *checking) adapters(ctx context.Context) {
	c.part("adapters", func() (string, error) {
		servers, err := assets(ctx)
		if err != nil {
			return "", err
		}
		guard, err := moduleDir(ctx, guardModule)
		if err != nil {
			return "", err
		}
		cmd := command(ctx, filepath.Join(guard, "..", "adapters"), []string{"KUBEBUILDER_ASSETS=" + servers},
			"go", "test", "-count=1", "-timeout", "30m", "-run", "^TestServer", "./...")
		cmd.Stdout = os.Stderr
		return "", cmd.Run()
	})
}

// suites runs the suite in several ways.
func (c *checking) suites(ctx context.Context, s *suite, full bool, timeout time.Duration) {
	sound := []string{"guarded"}
	if full {
		sound = []string{"plain", "guarded", "annotated"}
	}
	for _, guarding := range sound {
		c.part("suite, "+guarding, func() (string, error) {
			specs := selection{timeout: timeout}
			if guarding == "annotated" {
				specs.skip = growing
			}
			o, err := s.run(ctx, guarding, specs)
			if err == nil {
				err = o.success()
			}
			return fmt.Sprintf("%v: %v", o, o.costs), err
		})
	}
	for _, guarding := range []string{"dropping", "halving"} {
		c.part("suite, "+guarding, func() (string, error) { return s.broken(ctx, guarding, full, timeout) })
	}
}

// broken runs specs with a broken guard: few, which have to fail all of them, or some. It is an error if too many pass.
func (s *suite) broken(ctx context.Context, guarding string, full bool, timeout time.Duration) (string, error) {
	specs := selection{focus: few, timeout: timeout}
	if full {
		specs = selection{files: some, timeout: timeout}
	}
	o, err := s.run(ctx, guarding, specs)
	if err != nil {
		return "", err
	}
	ran, want := o.passed+len(o.failed), enough
	if !full {
		want = max(ran, dozen)
	}
	result := fmt.Sprintf("%d of %d specs failed", len(o.failed), ran)
	if len(o.failed) < want {
		return result, fmt.Errorf("%d of %d specs failed: with a broken guard at least %d should", len(o.failed), ran, want)
	}
	return result + ", as they should", nil
}
