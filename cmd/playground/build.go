package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed site
var site embed.FS

// build writes the page: what is in site, the library as WebAssembly, and what Go needs to run that in a browser.
func build(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files, err := fs.Sub(site, "site")
	if err != nil {
		return err
	}
	names, err := fs.Glob(files, "*")
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	if err := goCommand(ctx, "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, "disruptkit.wasm"),
		"github.com/disruptkit/disruptkit/cmd/playground/wasm"); err != nil {
		return err
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "wasm_exec.js"), text, 0o644)
}

func goCommand(ctx context.Context, args ...string) error {
	command := exec.CommandContext(ctx, "go", args...)
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}
