// Package kube reads objects from a cluster by calling kubectl. So it has the same access as kubectl: contexts, logins,
// proxies.
package kube

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
)

// A Cluster is the cluster that kubectl talks to.
type Cluster struct {
	Flags  *Flags    // kubectl's own, handed on as they are
	Stderr io.Writer // for kubectl's messages and the name of the context
	Again  bool      // it has been asked before, and its name is known
}

// Get returns the objects of some kinds in all namespaces, as a stream while kubectl prints them. The stream ends with
// io.EOF only if kubectl has listed all of the kinds. If it fails, however much it has printed, reading ends with an
// error that says which kinds are missing: a list that could not be read is not an empty one.
func (c Cluster) Get(ctx context.Context, kinds string) (io.ReadCloser, error) {
	which, name, err := c.connection(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w\nto read what kubectl printed elsewhere, write -f FILE", err)
	}
	if kinds, err = installed(ctx, which, kinds); err != nil {
		return nil, err
	}
	if !c.Again {
		c.note(name, kinds)
	}
	get := exec.CommandContext(ctx, "kubectl", append(which, "get", kinds, "--all-namespaces", "--output", "json")...)
	said := &beginning{}
	get.Stderr = io.MultiWriter(c.Stderr, said)
	out, err := get.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := get.Start(); err != nil {
		return nil, fault(err, "kubectl")
	}
	return &output{ReadCloser: out, get: get, kinds: strings.Split(kinds, ","), said: said}, nil
}

// note reports which cluster is asked for what.
func (c Cluster) note(name, kinds string) {
	fmt.Fprintf(c.Stderr, "note: asking the cluster of %s for %s\n", name, strings.ReplaceAll(kinds, ",", ", "))
	if c.Flags.namespace != "" {
		fmt.Fprintf(c.Stderr, "note: -n %s has no effect: nodes have pods of all namespaces, so all are read\n", c.Flags.namespace)
	}
}

// connection returns the arguments that lead kubectl to the cluster, and a name of the cluster for people. A context is always named, so that the
// cluster stays the same while somebody switches contexts.
func (c Cluster) connection(ctx context.Context) (args []string, name string, err error) {
	given := c.Flags.without("context")
	server := cmp.Or(c.Flags.value("server"), c.Flags.value("cluster")) // which is asked, whatever the context says
	name = c.Flags.value("context")
	if name == "" {
		out, err := exec.CommandContext(ctx, "kubectl", append(given, "config", "current-context")...).Output()
		switch {
		case err == nil:
			name = strings.TrimSpace(string(out))
		case server != "": // kubectl needs no context
			return given, server, nil
		default:
			return nil, "", fault(err, "kubectl config current-context")
		}
	}
	return append([]string{"--context", name}, given...), cmp.Or(server, "context "+name), nil
}

// run returns what kubectl prints for the cluster.
func (c Cluster) run(ctx context.Context, what string, args ...string) ([]byte, error) {
	which, _, err := c.connection(ctx)
	if err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "kubectl", append(which, args...)...).Output()
	if err != nil {
		return nil, fault(err, "kubectl "+what)
	}
	return out, nil
}

// NodePools returns the NodePools, as a list in JSON. It says nothing: Get does when all objects are read.
func (c Cluster) NodePools(ctx context.Context) (io.ReadCloser, error) {
	out, err := c.run(ctx, "get nodepools", "get", "nodepools", "--output", "json")
	return io.NopCloser(bytes.NewReader(out)), err
}

// Events returns the Events about a node, as a list in JSON. Events about objects without a namespace are in the namespace default, so
// that nothing else need be readable.
func (c Cluster) Events(ctx context.Context, node string) (io.Reader, error) {
	out, err := c.run(ctx, "get events", "get", "events", "--namespace", "default",
		"--field-selector", "involvedObject.kind=Node,involvedObject.name="+node, "--output", "json")
	return bytes.NewReader(out), err
}

// Patch changes an object, such as nodepool/web, by a merge patch.
func (c Cluster) Patch(ctx context.Context, object, patch string) error {
	_, err := c.run(ctx, "patch "+object, "patch", object, "--type", "merge", "-p", patch)
	return err
}

// fault returns kubectl's message for an error.
func fault(err error, command string) error {
	if exit, ok := err.(*exec.ExitError); ok {
		return fmt.Errorf("%s: %s", command, cmp.Or(strings.TrimSpace(string(exit.Stderr)), err.Error()))
	}
	return fmt.Errorf("%s: %w", command, err)
}

// An output is what kubectl prints.
type output struct {
	io.ReadCloser
	get   *exec.Cmd
	kinds []string   // that it was asked for
	said  *beginning // on standard error
	ended error      // the error that ended reading
}

func (o *output) Read(p []byte) (int, error) {
	if o.ended != nil {
		return 0, o.ended
	}
	n, err := o.ReadCloser.Read(p)
	if err == io.EOF {
		if failed := o.get.Wait(); failed != nil {
			err = o.fault(failed)
		}
	}
	o.ended = err
	return n, err
}

// fault names the kinds that kubectl could not list. Where its messages name none, any may be missing.
func (o *output) fault(failed error) error {
	var missing []string
	for _, kind := range o.kinds {
		if regexp.MustCompile(`(resource|resource type) "` + kind + `["./]|(^|[ "])` + kind + `(\.[a-z0-9.-]+)? is forbidden`).Match(o.said.text) {
			missing = append(missing, kind)
		}
	}
	if len(missing) == 0 {
		missing = []string{"all that was asked for"}
	}
	return fmt.Errorf("kubectl get: %w, and so %s may be missing: without what it could not list nothing can be said", failed, strings.Join(missing, ", "))
}

// A beginning keeps the first 64 kB of what is written.
type beginning struct{ text []byte }

func (b *beginning) Write(p []byte) (int, error) {
	b.text = append(b.text, p[:min(len(p), 1<<16-len(b.text))]...)
	return len(p), nil
}

// Close ends kubectl, even if it has not printed everything yet.
func (o *output) Close() error {
	err := o.ReadCloser.Close()
	_ = o.get.Wait() // kubectl has already reported what it could not list
	return err
}
