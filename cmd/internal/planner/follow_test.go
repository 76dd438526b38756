package planner

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

// followingFile returns what follows a file.
func followingFile(t *testing.T, file string, args ...string) *following {
	t.Helper()
	o, err := parseOptions(append([]string{"--watch", "-f", file, "--runs", "20"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	out := &bytes.Buffer{}
	return newFollowing(o, command.Environment{Stdout: out, Stderr: io.Discard})
}

// A cluster answers with texts one after the other; "" is that it fails.
type answers struct {
	texts []string
	asked int
}

func (a *answers) get(string) (io.ReadCloser, error) {
	text := a.texts[min(a.asked, len(a.texts)-1)]
	a.asked++
	if text == "" {
		return nil, errors.New("connection refused\nto read a file, write -f FILE")
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

// followed follows a cluster until it has answered with all texts, and returns what is printed, without times.
func followed(t *testing.T, args []string, texts ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, failed bytes.Buffer
	inNoTime(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		cluster := &answers{texts: texts}
		env := command.Environment{Stdout: &out, Stderr: &failed, Cluster: func(kinds string) (io.ReadCloser, error) {
			if cluster.asked == len(texts) {
				stop()
			}
			return cluster.get(kinds)
		}}
		status = command.Run(ctx, env, Command, append([]string{"--watch", "--watch-every", "1s", "--engine", "karpenter", "--runs", "10"}, args...))
	})
	return regexp.MustCompile(`[A-Z][a-z]{2} \d+ [A-Z][a-z]{2} \d\d:\d\d`).ReplaceAllString(out.String(), "…"), failed.String(), status
}

var nothingLeft = strings.ReplaceAll(fleet(1, `[{nodes: "1"}]`), "type: Drifted, status: \"True\"", "type: Drifted, status: \"False\"")

func TestTheClusterIsFollowedUntilNoNodeIsLeftToGo(t *testing.T) {
	drifted := fleet(1, `[{nodes: "1"}]`)
	stdout, stderr, status := followed(t, nil, drifted, drifted, nothingLeft)
	if lines := strings.Split(stdout, "\n"); status != good || len(lines) != 3 ||
		!strings.Contains(lines[0], "planned: 3 nodes to go, 3 done by …") || !strings.Contains(lines[1], "nothing is left to do") {
		t.Errorf("status %d:\n%s%s", status, stdout, stderr)
	}
	if stdout, _, status := followed(t, nil, nothingLeft); status != good || !strings.Contains(stdout, "no node has to go") {
		t.Errorf("status %d: %s", status, stdout)
	}
}

func TestWhatCannotBeReadMakesTheLastAnswerStale(t *testing.T) {
	drifted := fleet(1, `[{nodes: "1"}]`)
	stdout, _, status := followed(t, nil, drifted, "", "", drifted, "", nothingLeft)
	if n := strings.Count(stdout, "stale: connection refused"); n != 2 || status != good || strings.Count(stdout, "the last answer is of …: ") != 2 {
		t.Errorf("%d times stale, status %d:\n%s", n, status, stdout)
	}
	if !strings.Contains(stdout, "the last answer is of …: planned: 3 nodes to go") || !strings.Contains(stdout, "on time: 0 of 3 done") {
		t.Errorf("which answer is stale, and that it is no longer, should be said:\n%s", stdout)
	}
	if strings.Contains(stdout, "write -f") {
		t.Errorf("what is said of a first reading is no matter of a later one:\n%s", stdout)
	}
	stdout, _, status = followed(t, nil, drifted, "")
	if !strings.Contains(stdout, "stale: connection refused") || status != faulty {
		t.Errorf("stopped while stale: status %d:\n%s", status, stdout)
	}
	if _, stderr, status := followed(t, nil, "", drifted); status != hopeless || !strings.Contains(stderr, "connection refused") {
		t.Errorf("nothing could be read: status %d, %s", status, stderr)
	}
	if _, _, status := followed(t, nil, drifted, drifted); status != good {
		t.Errorf("stopped while all is well: status %d", status)
	}
}

// What is missing is an error, however long it is followed.
func TestWhatIsMissingIsSaidAtTheEnd(t *testing.T) {
	broken := strings.Replace(fleet(1, `[{nodes: "1"}]`), `{nodes: "1"}`, `{nodes: "one"}`, 1)
	if _, stderr, status := followed(t, nil, broken, broken); status != faulty || strings.Count(stderr, `"one"`) != 1 {
		t.Errorf("status %d: %s", status, stderr)
	}
}

func TestAClusterThatDoesNotAnswerMakesTheLastAnswerStale(t *testing.T) {
	defer func(d time.Duration) { patience = d }(patience)
	patience = 50 * time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	var out bytes.Buffer
	first := true
	env := command.Environment{Stdout: &out, Stderr: io.Discard, Cluster: func(string) (io.ReadCloser, error) {
		if first {
			first = false
			return io.NopCloser(strings.NewReader(fleet(1, `[{nodes: "1"}]`))), nil
		}
		time.AfterFunc(200*time.Millisecond, stop)
		<-ctx.Done()
		time.Sleep(50 * time.Millisecond)
		return nil, ctx.Err()
	}}
	status := command.Run(ctx, env, Command, []string{"--watch", "--watch-every", "1s", "--engine", "karpenter", "--runs", "10"})
	if status != faulty || !strings.Contains(out.String(), "stale: the cluster has not answered for ") || strings.Contains(out.String(), "canceled") {
		t.Errorf("status %d:\n%s", status, out.String())
	}
}
