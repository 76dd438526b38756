package follow

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// followed follows a source until it has been read so often, and returns what was seen.
func followed(t *testing.T, s Source[string], often int) (seen []string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	s.Each(ctx, func(text string, err error) bool {
		if err != nil {
			text = "error: " + err.Error()
		}
		seen = append(seen, text)
		return len(seen) == often
	})
	return seen
}

func TestAClusterIsReadAgainAndAgainWhateverFails(t *testing.T) {
	answers := []string{"a", "a", "", "b"}
	s := Source[string]{Every: time.Millisecond, Patience: time.Minute, Read: func(at time.Time) (string, error) {
		text := answers[0]
		answers = answers[1:]
		if text == "" {
			return "", errors.New("refused")
		}
		return text, nil
	}}
	if seen := followed(t, s, 4); !slices.Equal(seen, []string{"a", "a", "error: refused", "b"}) {
		t.Errorf("%q", seen)
	}
}

func TestAFileIsReadAgainWhenItChanges(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	read := 0
	s := Source[string]{File: file, Every: time.Second, Patience: time.Minute, Read: func(time.Time) (string, error) {
		read++
		text, err := os.ReadFile(file)
		if strings.HasPrefix(string(text), "{") {
			err = errors.New("half a file")
		}
		return string(text), err
	}}
	see := func(want string, changed bool) {
		t.Helper()
		if r := s.read(); r.changed != changed || r.of != want {
			t.Errorf("%+v, want %q, changed %v", r, want, changed)
		}
	}
	write := func(text string, after time.Duration) {
		t.Helper()
		at := time.Now().Add(after)
		if err := errors.Join(os.WriteFile(file, []byte(text), 0o666), os.Chtimes(file, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	see("", true) // it is not there
	write("one", 0)
	see("one", true)
	see("", false)
	write("{", time.Minute)
	see("{", true)
	see("{", true) // it is read again until it is whole
	write("two", 2*time.Minute)
	see("two", true)
	see("", false)
	away := file + ".old"
	if err := os.Rename(file, away); err != nil {
		t.Fatal(err)
	}
	see("", true)
	if err := os.Rename(away, file); err != nil {
		t.Fatal(err)
	}
	see("two", true) // or it would be said for ever that it is not there
	see("", false)
	if read != 5 {
		t.Errorf("read %d times", read)
	}
}

func TestAReadingThatTakesLongIsSaidOnceAndEndsWithTheContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var seen []string
	s := Source[string]{Every: time.Millisecond, Patience: 20 * time.Millisecond, Read: func(time.Time) (string, error) {
		time.AfterFunc(100*time.Millisecond, stop)
		<-ctx.Done()
		time.Sleep(20 * time.Millisecond)
		return "", ctx.Err()
	}}
	s.Each(ctx, func(_ string, err error) bool {
		seen = append(seen, err.Error())
		return false
	})
	if !slices.Equal(seen, []string{"the cluster has not answered for a minute"}) {
		t.Errorf("%q", seen)
	}
}

// Such as when what has been said of a late reading could not be written.
func TestAReadingThatTakesLongIsNotWaitedForOnceItIsOver(t *testing.T) {
	hangs := make(chan struct{})
	defer close(hangs)
	s := Source[string]{Every: time.Millisecond, Patience: time.Millisecond, Read: func(time.Time) (string, error) {
		<-hangs
		return "", nil
	}}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	if s.Each(ctx, func(_ string, err error) bool { return errors.Is(err, ErrLate) }); ctx.Err() != nil {
		t.Error("it was waited for")
	}
}
