package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// allStories are the tests of the guard's module that need a server.
	allStories = "^TestServer"
	// scale is the one that only measures: it is told alone, and only by a full check.
	scale = "TestServerScale"
	// tellers is how many stories are told at once, each on servers of its own: they mostly wait.
	tellers = 4
)

// A storyteller is the tests of the guard's module, compiled.
type storyteller struct {
	dir, binary string
	logs        string // the directory of what stories say
	env         []string
}

func compileStories(ctx context.Context) (*storyteller, error) {
	servers, err := assets(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := moduleDir(ctx, guardModule)
	if err != nil {
		return nil, err
	}
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	t := &storyteller{dir: dir, logs: filepath.Join(cache, "stories"), env: []string{"KUBEBUILDER_ASSETS=" + servers}}
	t.binary = filepath.Join(t.logs, "stories.test")
	if err := errors.Join(os.RemoveAll(t.logs), os.MkdirAll(t.logs, 0o755)); err != nil {
		return nil, err
	}
	say("compiling the stories")
	cmd := command(ctx, dir, nil, "go", "test", "-c", "-o", t.binary, ".")
	cmd.Stdout = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("compiling the stories: %w", err)
	}
	return t, nil
}

// names returns the names of stories, without the one that only measures unless nothing else is meant.
func (t *storyteller) names(ctx context.Context, tests string) (names []string, err error) {
	out, err := output(ctx, t.dir, t.env, t.binary, "-test.list", tests)
	if err != nil {
		return nil, err
	}
	all := strings.Fields(out)
	for _, name := range all {
		if strings.HasPrefix(name, "TestServer") && (name != scale || len(all) == 1) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no story %s", tests)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(b), rank(a)) })
	return names, nil
}

// rank is higher for stories that take longer: they begin first.
func rank(story string) int {
	return 1 + slices.Index([]string{"TestServerCrashesInARoll", "TestServerZonesTakeTurns", "TestServerWatchesLag"}, story)
}

// stories tells stories, some at once. Each has a process and servers of its own, so that what one does to them concerns no other.
func (c *checking) stories(ctx context.Context, tests string, timeout time.Duration) {
	var t *storyteller
	var names []string
	compiled := c.part("stories, compiled", func() (result string, err error) {
		if t, err = compileStories(ctx); err == nil {
			names, err = t.names(ctx, tests)
		}
		return "", err
	})
	if !compiled {
		return
	}
	say("telling %d stories; what they say is in %s", len(names), t.logs)
	next := make(chan string)
	var telling sync.WaitGroup
	for range tellers {
		telling.Go(func() {
			for name := range next {
				c.part("story "+strings.TrimPrefix(name, "TestServer"), func() (string, error) { return t.tell(ctx, name, timeout) })
			}
		})
	}
	for _, name := range names {
		next <- name
	}
	close(next)
	telling.Wait()
}

// measure tells the story that measures, alone.
func (c *checking) measure(ctx context.Context, timeout time.Duration) {
	c.part("1,000 nodes", func() (string, error) {
		t, err := compileStories(ctx)
		if err != nil {
			return "", err
		}
		t.env = append(t.env, "SCALE=1")
		return t.tell(ctx, scale, timeout)
	})
}

// tell tells a story. Where it fails, or measures, all that it said is printed.
func (t *storyteller) tell(ctx context.Context, name string, timeout time.Duration) (result string, err error) {
	log := filepath.Join(t.logs, name+".log")
	file, err := os.Create(log)
	if err != nil {
		return "", err
	}
	defer file.Close()
	cmd := command(ctx, t.dir, t.env, t.binary, "-test.v", "-test.run", "^"+name+"$", "-test.timeout", timeout.String())
	cmd.Stdout, cmd.Stderr = file, file
	ended := cmd.Run()
	if exit := (*exec.ExitError)(nil); ended != nil && !errors.As(ended, &exit) {
		return "", ended
	}
	text, err := os.ReadFile(log)
	if err != nil {
		return "", err
	}
	result, err = storyResult(name, string(text))
	if err == nil && ended != nil {
		err = fmt.Errorf("it passed, but not what came after it: %w", ended)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "\n%s\n", text)
		return result, fmt.Errorf("%w, see %s", err, log)
	}
	say("%s %s", name, result)
	if name == scale {
		fmt.Printf("%s", text)
	}
	return result, nil
}

// storyResult reads what go test -v has written of a test: it is an error unless that passed or was skipped.
func storyResult(name, out string) (string, error) {
	end := regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): ` + name + ` \(`).FindStringSubmatch(out)
	switch {
	case end == nil:
		return "", errors.New("it has not come to its end")
	case end[1] == "FAIL":
		return "", errors.New("it failed")
	case end[1] == "SKIP":
		return "skipped", nil
	}
	return "passed", nil
}
