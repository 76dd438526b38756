package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A cluster whose process ends is no cluster: which one it was, and what it said last, is the error, and not what failed for that.
func TestAClusterSaysWhichProcessHasEnded(t *testing.T) {
	sh, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Skip("there is no /bin/sh")
	}
	program := filepath.Join(t.TempDir(), "scheduler")
	if err := os.WriteFile(program, sh, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	c := &cluster{dir: t.TempDir(), failed: make(chan error, 1)}
	c.run(ctx, program, nil, "-c", "echo no such flag >&2; exit 1")
	c.running.Wait()
	err = c.cause(errors.New("no connection"))
	for _, part := range []string{"scheduler has ended: exit status 1", "no such flag"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v, want %q in it", err, part)
		}
	}

	c.run(ctx, program, nil, "-c", "sleep 60")
	stop()
	ended := make(chan bool)
	go func() { c.running.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("a process goes on after the end of its cluster")
	}
	if err := c.cause(nil); err != nil {
		t.Errorf("a cluster that is ended has failed: %v", err)
	}
}

func TestOnlyTheOwnerReadsTheSecretsOfACluster(t *testing.T) {
	c := &cluster{dir: t.TempDir(), address: "https://127.0.0.1:1"}
	c.config = filepath.Join(c.dir, "kubeconfig")
	if err := c.secrets(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(c.dir)
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Error(f.Name(), info.Mode(), err)
		}
	}
}
