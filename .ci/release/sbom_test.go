package main

import (
	"strings"
	"testing"
)

// The bill of materials of an archive is read from the command alone.
func TestABillOfMaterialsCoversEachProgramOfAnArchive(t *testing.T) {
	programs := []string{"command", "completion"}
	for _, row := range []struct {
		name    string
		modules [][]string
		says    string
	}{
		{"the same modules", [][]string{{"a@v1", "b@v2"}, {"b@v2", "a@v1"}}, ""},
		{"fewer", [][]string{{"a@v1", "b@v2"}, {"a@v1"}}, ""},
		{"one more", [][]string{{"a@v1"}, {"a@v1", "b@v2"}}, "completion has b@v2"},
		{"another version", [][]string{{"a@v1", "b@v2"}, {"b@v3"}}, "completion has b@v3"},
	} {
		err := covered(programs, row.modules)
		if row.says == "" && err != nil || row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)) {
			t.Errorf("%s: %v, want %q", row.name, err, row.says)
		}
	}
}

// The workflow attests each archive's bill of materials by its name.
func TestTheReleaseWorkflowAttestsTheBillOfMaterialsOfEachArchive(t *testing.T) {
	workflow := opened(t).get(t, ".github/workflows/release.yaml")
	for _, p := range platforms {
		suffix := p.OS + "_" + p.Arch + extension(p.OS)
		if !strings.Contains(workflow, suffix) {
			t.Errorf("the workflow release does not know the archive for %s", suffix)
		}
	}
	if name := sbomOf("${{ matrix.archive }}"); !strings.Contains(workflow, "sbom-path: dist/"+command+"_${{ github.ref_name }}_"+name) {
		t.Errorf("the workflow release does not attest %s", name)
	}
}
