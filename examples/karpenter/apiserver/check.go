package main

import (
	"context"
	"fmt"
)

// dozens are how many specs have to fail where a guard is broken.
const dozens = 24

// check runs Karpenter's suite with a guard that is sound, and with two that are not: these have to fail, or the suite would not see
// what it is to see.
func check(ctx context.Context) error {
	s, err := prepare(ctx, false)
	if err != nil {
		return err
	}
	for _, guarding := range []string{"guarded", "annotated"} {
		o, err := s.run(ctx, guarding, selection{})
		if err != nil {
			return err
		}
		if err := o.success(); err != nil {
			return fmt.Errorf("%s: %w", guarding, err)
		}
	}
	for _, guarding := range []string{"dropping", "halving"} {
		o, err := s.run(ctx, guarding, selection{})
		if err != nil {
			return err
		}
		if len(o.failed) < dozens {
			return fmt.Errorf("%s: %v, but at least %d should fail", guarding, o, dozens)
		}
	}
	return nil
}
