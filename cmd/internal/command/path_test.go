package command

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAPathIsOfTheDirectoryOrOfTheOneThatPeopleAreIn(t *testing.T) {
	theirs, here := t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(theirs, "theirs"), filepath.Join(theirs, "both"), filepath.Join(here, "both")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(here)
	t.Setenv("PWD", theirs)
	for name, want := range map[string]string{
		"theirs":                      filepath.Join(theirs, "theirs"),
		"both":                        "both",
		"neither":                     "neither",
		filepath.Join(here, "absent"): filepath.Join(here, "absent"),
	} {
		if got := Path(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	t.Setenv("PWD", "")
	if got := Path("theirs"); got != "theirs" {
		t.Errorf("without PWD: got %s", got)
	}
}
