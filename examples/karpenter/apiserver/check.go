package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

// enough is how many specs have to fail where a guard is broken.
const enough = 24

// some are the files whose specs run with a broken guard: specs that fail take long.
const some = "/(drift|emptiness)_test.go"

// check runs Karpenter's suite with a guard that is sound, and with two that are not: these have to fail, or the suite would not see
// what it is to see. Then it tells the stories.
func check(ctx context.Context) error {
	s, err := prepare(ctx, false)
	if err != nil {
		return err
	}
	all := selection{timeout: 90 * time.Minute}
	broken := selection{files: some, timeout: 90 * time.Minute}
	for _, guarding := range []string{"guarded", "annotated"} {
		o, err := s.run(ctx, guarding, all)
		if err != nil {
			return err
		}
		if err := o.success(); err != nil {
			return fmt.Errorf("%s: %w", guarding, err)
		}
	}
	for _, guarding := range []string{"dropping", "halving"} {
		o, err := s.run(ctx, guarding, broken)
		if err != nil {
			return err
		}
		if len(o.failed) < enough {
			return fmt.Errorf("%s: %v, but of a broken guard at least %d should fail", guarding, o, enough)
		}
	}
	return stories(ctx, allStories, 90*time.Minute)
}

// allStories are the tests of the guard's module that need a server.
const allStories = "^TestServer"

// stories runs tests of the guard's module that need a server.
func stories(ctx context.Context, tests string, timeout time.Duration) error {
	servers, err := assets(ctx)
	if err != nil {
		return err
	}
	dir, err := moduleDir(ctx, guardModule)
	if err != nil {
		return err
	}
	say("telling the stories %s", tests)
	cmd := command(ctx, dir, []string{"KUBEBUILDER_ASSETS=" + servers}, "go", "test", "-count=1", "-v", "-run", tests, "-timeout", timeout.String(), ".")
	cmd.Stdout = os.Stdout
	return cmd.Run()
}
