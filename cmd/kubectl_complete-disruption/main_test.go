package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestItPrintsWhatThePluginCompletes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("kubectl-disruption is a shell script here")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	var stdout, stderr bytes.Buffer
	if status := run([]string{"why", ""}, &stdout, &stderr); status != 2 || stdout.Len() > 0 || stderr.Len() == 0 {
		t.Errorf("without the plugin: status %d, %s, %s", status, &stdout, &stderr)
	}
	stdout.Reset()
	stderr.Reset()
	script := "#!/bin/sh\nfor a; do echo \"[$a]\"; done\necho said >&2\nexit 3\n"
	if err := os.WriteFile(filepath.Join(dir, "kubectl-disruption"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if status := run([]string{"why", ""}, &stdout, &stderr); status != 3 || stdout.String() != "[__completeNoDesc]\n[why]\n[]\n" || stderr.String() != "said\n" {
		t.Errorf("status %d, %q, %q", status, &stdout, &stderr)
	}
}

func TestSomebodyWhoRunsItByHandIsToldWhatItIsFor(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if status := run(nil, &stdout, &stderr); status != 0 || stdout.Len() == 0 || stderr.Len() > 0 {
		t.Errorf("status %d, %s, %s", status, &stdout, &stderr)
	}
}
