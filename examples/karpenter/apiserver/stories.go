package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const (
	// allStories are the tests of the guard's module that need a server.
	allStories = "^TestServer"
	// mainStories are those that check tells.
	mainStories = "^TestServer(ZonesTakeTurns|Restart|Leader|Standby|Crashes|Conflicting|Probe|Consolidation)"
	// scale is the one that measures, in a process of its own.
	scale = "^TestServerScale$"
)

// stories tells the stories of a check.
func (c *checking) stories(ctx context.Context, full bool, timeout time.Duration) error {
	var told *storyteller
	compiled := c.part("stories, compiled", func() (result string, err error) {
		told, err = compileStories(ctx)
		return "", err
	})
	if !compiled {
		return nil
	}
	tests := mainStories
	if full {
		tests = allStories
	}
	err := c.tell(ctx, told, tests, timeout)
	if full {
		told.env = append(told.env, "SCALE=1")
		err = errors.Join(err, c.tell(ctx, told, scale, timeout))
	}
	return err
}

// tell tells stories, and notes how long each took.
func (c *checking) tell(ctx context.Context, told *storyteller, tests string, timeout time.Duration) error {
	return told.tell(ctx, tests, timeout, func(name, took, result string) {
		d, _ := time.ParseDuration(took)
		c.row("story "+strings.TrimPrefix(name, "TestServer"), d, result)
	})
}

// A storyteller is the tests of the guard's module, compiled.
type storyteller struct {
	dir, binary string
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
	t := &storyteller{dir, filepath.Join(cache, "stories.test"), []string{"KUBEBUILDER_ASSETS=" + servers}}
	say("compiling the stories")
	cmd := command(ctx, dir, nil, "go", "test", "-c", "-o", t.binary, ".")
	cmd.Stdout = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("compiling the stories: %w", err)
	}
	return t, nil
}

// tell tells stories, and calls each for those that have come to their end. It is an error if there is none.
func (t *storyteller) tell(ctx context.Context, tests string, timeout time.Duration, each func(name, took, result string)) error {
	say("telling the stories %s", tests)
	cmd := command(ctx, t.dir, t.env, t.binary, "-test.v", "-test.run", tests, "-test.timeout", timeout.String())
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	stories := readStories(io.TeeReader(out, os.Stdout), each)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("stories: %w", err)
	}
	if stories == 0 {
		return fmt.Errorf("there is no story %s", tests)
	}
	return nil
}

var storyLine = regexp.MustCompile(`^--- (PASS|FAIL|SKIP): (\S+) \((\S+)\)$`)

// readStories reads what go test -v writes, and returns how many tests there were.
func readStories(out io.Reader, each func(name, took, result string)) (stories int) {
	results := map[string]string{"PASS": "passed", "FAIL": "FAILED", "SKIP": "skipped"}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if m := storyLine.FindStringSubmatch(lines.Text()); m != nil {
			each(m[2], m[3], results[m[1]])
			stories++
		}
	}
	return stories
}
