package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// run runs a command and returns what it printed.
func run(ctx context.Context, name string, args ...string) (string, error) {
	return execute(exec.CommandContext(ctx, name, args...))
}

// runGo runs the go command in a directory, with more environment.
func runGo(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	return execute(c)
}

// execute runs a command. What it printed is in the error where it fails.
func execute(c *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(c.Args, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}
