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
	// some are the files whose specs check -full runs with a guard that is wrong on purpose.
	some = "/(drift|emptiness)_test.go"
	// growing are specs of static NodePools that lack nodes and lose more of them. An annotated NodePool does not: the nodes that are
	// missing use up its budgets (disruptkit.Pool.Desired).
	growing = "Static ?Drift.*(should respect budgets for multiple static nodepools|should drift nodes when we can acquire limits|" +
		"should handle drift for multiple static NodePools independently)"
	// enough is how many of some have to fail.
	enough = 20
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

// check runs Karpenter's suite with the guard. Meanwhile it tells the stories, which mostly wait. A full check also runs the suite plain and
// with annotations, some specs with guards that are wrong on purpose, and stories with such stewards: these have to fail, or the suite and
// the stories would not see what they are to see. It runs the long stories, and measures.
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
	if !full {
		return
	}
	for _, guarding := range []string{"dropping", "halving"} {
		c.part("suite, "+guarding, func() (string, error) { return s.broken(ctx, guarding, timeout) })
	}
}

// broken runs some specs with a guard that is wrong on purpose. It is an error if too many pass.
func (s *suite) broken(ctx context.Context, guarding string, timeout time.Duration) (string, error) {
	o, err := s.run(ctx, guarding, selection{files: some, timeout: timeout})
	if err != nil {
		return "", err
	}
	result := fmt.Sprintf("%d of %d specs failed", len(o.failed), o.passed+len(o.failed))
	if len(o.failed) < enough {
		return result, fmt.Errorf("%s: with a guard that is wrong at least %d should", result, enough)
	}
	return result + ", as they should", nil
}
