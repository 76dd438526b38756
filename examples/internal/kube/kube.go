// Package kube reads objects from a cluster by calling kubectl. So it has the same access as kubectl: contexts, logins,
// proxies.
package kube

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// A Cluster is the cluster that kubectl talks to.
type Cluster struct {
	Context string    // "": the current one
	Stderr  io.Writer // for kubectl's messages and the name of the context
}

// Get returns the objects of some kinds in all namespaces, as a stream while kubectl prints them. If kubectl cannot
// list some of the kinds, it says so on Stderr, and Get returns the others.
func (c Cluster) Get(ctx context.Context, kinds string) (io.ReadCloser, error) {
	name := c.Context
	if name == "" {
		out, err := exec.CommandContext(ctx, "kubectl", "config", "current-context").Output()
		if err != nil {
			return nil, fmt.Errorf("%w\nto read what kubectl printed elsewhere, write -f FILE", fault(err, "kubectl config current-context"))
		}
		name = strings.TrimSpace(string(out))
	}
	fmt.Fprintf(c.Stderr, "note: asking the cluster of context %s for %s\n", name, strings.ReplaceAll(kinds, ",", ", "))
	args := []string{"--context", name, "get", kinds, "--all-namespaces", "--output", "json"}
	get := exec.CommandContext(ctx, "kubectl", args...)
	get.Stderr = c.Stderr
	out, err := get.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := get.Start(); err != nil {
		return nil, fault(err, "kubectl")
	}
	return &output{ReadCloser: out, get: get}, nil
}

// fault returns kubectl's message for an error.
func fault(err error, command string) error {
	if exit, ok := err.(*exec.ExitError); ok {
		return fmt.Errorf("%s: %s", command, cmp.Or(strings.TrimSpace(string(exit.Stderr)), err.Error()))
	}
	return fmt.Errorf("%s: %w", command, err)
}

// An output is what kubectl prints. If kubectl fails without printing anything, reading fails, too.
type output struct {
	io.ReadCloser
	get   *exec.Cmd
	read  int
	ended error // the error that ended reading
}

func (o *output) Read(p []byte) (int, error) {
	if o.ended != nil {
		return 0, o.ended
	}
	n, err := o.ReadCloser.Read(p)
	o.read += n
	if err == io.EOF && o.read == 0 {
		if failed := o.get.Wait(); failed != nil {
			err = fmt.Errorf("kubectl get: %w", failed)
		}
	}
	o.ended = err
	return n, err
}

// Close ends kubectl, even if it has not printed everything yet.
func (o *output) Close() error {
	err := o.ReadCloser.Close()
	_ = o.get.Wait() // kubectl has already reported what it could not list
	return err
}
