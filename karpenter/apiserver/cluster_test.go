package main

import (
	"os"
	"path/filepath"
	"testing"
)

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
