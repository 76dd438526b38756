package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A suite is the tests of one package, compiled with all mutants.
type suite struct {
	name    string // the package, relative to the root module
	dir     string // where its tests run
	binary  string
	flags   []string
	took    time.Duration // without mutants
	reaches map[int]bool  // which mutants its tests come to
}

// build compiles the tests of packages.
func build(root string, packages []string, overlay, to string) (suites []*suite, err error) {
	for i, p := range packages {
		s := &suite{name: p, dir: filepath.Join(root, p), binary: filepath.Join(to, fmt.Sprintf("suite%d.test", i))}
		cmd := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", s.binary, "./"+p)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build the tests of %s: %w\n%s", p, err, out)
		}
		s.flags = []string{"-test.short", "-test.failfast", "-test.timeout=0"}
		rapid := []string{"-rapid.nofailfile", "-rapid.shrinktime=0s", "-rapid.seed=1"}
		if exec.Command(s.binary, append(rapid, "-test.list=^$")...).Run() == nil {
			s.flags = append(s.flags, rapid...) // it has properties
		}
		suites = append(suites, s)
	}
	return suites, nil
}

// trace runs a suite without mutants, and finds out which of them it reaches.
func (s *suite) trace() error {
	file := s.binary + ".trace"
	start := time.Now()
	if out, err := s.run(time.Hour, "DISRUPTKIT_MUTANT_TRACE="+file); err != nil {
		return fmt.Errorf("the tests of %s fail without a mutant: %w\n%s", s.name, err, out)
	}
	s.took, s.reaches = time.Since(start), map[int]bool{}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) { // it reaches none
		return nil
	}
	for line := range strings.Lines(string(text)) {
		number, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		s.reaches[number] = true
	}
	return err
}

// run runs a suite, up to its first failure. It fails, too, if the tests take too long, as a mutant that loops for ever
// makes them.
func (s *suite) run(limit time.Duration, environment ...string) (output []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.binary, s.flags...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), environment...)
	return cmd.CombinedOutput()
}

// kills reports whether a suite fails with a mutant.
func (s *suite) kills(m mutant) bool {
	if !s.reaches[m.number] {
		return false
	}
	_, err := s.run(30*time.Second+5*s.took, fmt.Sprintf("DISRUPTKIT_MUTANT=%d", m.number))
	return err != nil
}

// survivors returns the mutants that no suite kills. Fast suites run first.
func survivors(suites []*suite, mutants []mutant, workers int, progress func(done int)) (alive []mutant) {
	suites = slices.SortedFunc(slices.Values(suites), func(a, b *suite) int { return int(a.took - b.took) })
	lives := make([]bool, len(mutants))
	var next, done int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(mutants) {
					return
				}
				lives[i] = !slices.ContainsFunc(suites, func(s *suite) bool { return s.kills(mutants[i]) })
				mu.Lock()
				done++
				progress(done)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for i, m := range mutants {
		if lives[i] {
			alive = append(alive, m)
		}
	}
	return alive
}
