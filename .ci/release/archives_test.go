package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestArchivesHoldTheCommandAndWhatCompletesIt(t *testing.T) {
	for _, row := range []struct {
		goos string
		want []string
	}{
		{"linux", []string{"kubectl-disruption", "kubectl_complete-disruption"}},
		{"darwin", []string{"kubectl-disruption", "kubectl_complete-disruption"}},
		{"windows", []string{"kubectl-disruption.exe", "kubectl_complete-disruption.exe"}},
	} {
		if got := programs(row.goos); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.goos, got, row.want)
		}
	}
}

// krew puts the file named in bin on the PATH, and no other (https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/). The rest
// of the files stay in the plugin's directory, and people are told in the caveats how to put them on the PATH.
func TestTheKrewManifestUnpacksBothProgramsAndPutsTheCommandOnThePath(t *testing.T) {
	manifest, err := krewManifest("v0.7.0", []archive{
		{OS: "linux", Arch: "arm64", Name: "l.tar.gz", Programs: programs("linux"), SHA256: "11"},
		{OS: "windows", Arch: "amd64", Name: "w.zip", Programs: programs("windows"), SHA256: "22"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`
  - selector:
      matchLabels:
        os: linux
        arch: arm64
    uri: https://github.com/disruptkit/disruptkit/releases/download/v0.7.0/l.tar.gz
    sha256: 11
    bin: kubectl-disruption
    files:
    - from: kubectl-disruption
      to: .
    - from: kubectl_complete-disruption
      to: .
    - from: LICENSE
      to: .
`, `
    uri: https://github.com/disruptkit/disruptkit/releases/download/v0.7.0/w.zip
    sha256: 22
    bin: kubectl-disruption.exe
    files:
    - from: kubectl-disruption.exe
      to: .
    - from: kubectl_complete-disruption.exe
      to: .
    - from: LICENSE
      to: .
`, `
      cp "${KREW_ROOT:-$HOME/.krew}"/store/disruption/*/kubectl_complete-disruption "${KREW_ROOT:-$HOME/.krew}/bin/"
`} {
		if !strings.Contains(string(manifest), want) {
			t.Errorf("the manifest lacks%s\nit is\n%s", want, manifest)
		}
	}
}

func TestEachProgramOfTheArchivesIsPublished(t *testing.T) {
	r := opened(t)
	for _, program := range []string{command, completion} {
		if name := filepath.ToSlash(filepath.Join(r.modules[1].dir, program, "main.go")); !slices.Contains(r.files, name) {
			t.Errorf("there is no %s", name)
		}
	}
}
