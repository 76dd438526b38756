// Package follow reads something again and again: a cluster, or a file whenever it changes.
package follow

import (
	"context"
	"errors"
	"os"
	"time"
)

// Patience is how long a reading may take before it is said that there is no answer.
const Patience = time.Minute

// ErrLate is the error of a reading that takes longer than that. It may still end well.
var ErrLate = errors.New("the cluster has not answered for a minute")

// A Source is what is read, as a T.
type Source[T any] struct {
	File  string        // "": the cluster is asked
	Every time.Duration // from one reading of the cluster to the next; a file is looked at each second
	// Patience is how long a reading may take; see Patience.
	Patience time.Duration
	// Read reads once. If there is a file, at is when it was written.
	Read func(at time.Time) (T, error)

	written time.Time // the file, when it was read last
}

// Each calls see with all that is read, or with why nothing could be, until see returns that it is over, or until ctx
// is done. A file that has not changed is not read again. While a reading takes long, see is called once.
func (s *Source[T]) Each(ctx context.Context, see func(T, error) (over bool)) {
	for {
		r, ok := s.next(ctx, func(err error) (over bool) { return see(*new(T), err) })
		if !ok || r.changed && see(r.of, r.err) || !pause(ctx, s.wait()) {
			return
		}
	}
}

// A reading is what was read, or why nothing was.
type reading[T any] struct {
	of      T
	err     error
	changed bool // it is no file that is as it was
}

// next reads once. It reports whether nobody has stopped it, and late has not said that it is over.
func (s *Source[T]) next(ctx context.Context, late func(error) (over bool)) (r reading[T], ok bool) {
	done := make(chan reading[T], 1)
	go func() { done <- s.read() }()
	slow := time.NewTimer(s.Patience)
	defer slow.Stop()
	for {
		select {
		case r := <-done:
			return r, ctx.Err() == nil
		case <-ctx.Done():
			return r, false
		case <-slow.C:
			if late(ErrLate) {
				return r, false
			}
		}
	}
}

// read reads the cluster, or the file unless it is the one that was read last.
func (s *Source[T]) read() (r reading[T]) {
	r.changed = true
	if s.File == "" {
		r.of, r.err = s.Read(time.Time{})
		return r
	}
	info, err := os.Stat(s.File)
	if err != nil {
		s.written, r.err = time.Time{}, err
		return r
	}
	if info.ModTime().Equal(s.written) {
		return reading[T]{}
	}
	s.written = info.ModTime()
	if r.of, r.err = s.Read(s.written.UTC().Truncate(time.Second)); r.err != nil {
		s.written = time.Time{} // it may be half written
	}
	return r
}

// wait returns how long to wait before the next reading.
func (s *Source[T]) wait() time.Duration {
	if s.File != "" {
		return min(time.Second, s.Every)
	}
	return s.Every
}

// pause waits, and reports whether nobody has stopped it meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
