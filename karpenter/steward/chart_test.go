package steward

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	manifests "github.com/disruptkit/disruptkit/cmd/steward"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// render returns the objects of the chart: of its crds, which Helm applies first and never deletes, and of its templates. It knows what the chart uses of Helm: text/template, quote, and the values Release.Namespace and
// Values; change has those that are not the default.
func render(t *testing.T, namespace string, change map[string]any) (objects []*unstructured.Unstructured) {
	t.Helper()
	values := map[string]any{}
	text, err := os.ReadFile("chart/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, &values); err != nil {
		t.Fatal(err)
	}
	for name, value := range change {
		if _, known := values[name]; !known {
			t.Fatalf("the chart has no value %s", name)
		}
		values[name] = value
	}
	crds, err := filepath.Glob("chart/crds/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range crds {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		some, err := world.Objects(text)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, some...)
	}
	files, err := filepath.Glob("chart/templates/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no templates: %v", err)
	}
	for _, file := range files {
		made, err := template.New(filepath.Base(file)).Option("missingkey=error").
			Funcs(template.FuncMap{"quote": func(v any) string { return fmt.Sprintf("%q", fmt.Sprint(v)) }}).ParseFiles(file)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := made.Execute(&out, map[string]any{"Values": values, "Release": map[string]any{"Namespace": namespace}}); err != nil {
			t.Fatal(err)
		}
		some, err := world.Objects(out.Bytes())
		if err != nil {
			t.Fatalf("%s: %v\n%s", file, err, out.String())
		}
		objects = append(objects, some...)
	}
	return objects
}

// installed returns what install applies, in the namespace disruptkit, but for the Namespace itself.
func installed(t *testing.T) (objects []*unstructured.Unstructured) {
	t.Helper()
	for _, m := range [][]byte{disruptionpolicy.CRD, manifests.Run, manifests.Hold, manifests.Deny} {
		some, err := world.Objects(m)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, some...)
	}
	return slices.DeleteFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == "Namespace" })
}

func byName(objects []*unstructured.Unstructured) map[string]any {
	all := map[string]any{}
	for _, o := range objects {
		all[o.GetKind()+" "+o.GetName()] = o.Object
	}
	return all
}

func TestTheChartHasTheObjectsThatInstallApplies(t *testing.T) {
	want := byName(installed(t))
	chart := slices.DeleteFunc(render(t, "disruptkit", nil), isHook)
	if diff := cmp.Diff(want, byName(chart)); diff != "" || len(want) < 10 {
		t.Errorf("%d objects: %s", len(want), diff)
	}
}

// isHook reports whether Helm makes an object only for a while.
func isHook(o *unstructured.Unstructured) bool { return o.GetAnnotations()["helm.sh/hook"] != "" }

// Before Helm deletes anything, the steward leaves: a Job runs that, and may do it.
func TestTheStewardLeavesBeforeTheChartIsUninstalled(t *testing.T) {
	var kinds []string
	for _, o := range render(t, "else", map[string]any{"image": "r/i:1"}) {
		if !isHook(o) {
			continue
		}
		if o.GetAnnotations()["helm.sh/hook"] != "pre-delete" || !strings.Contains(o.GetAnnotations()["helm.sh/hook-delete-policy"], "hook-succeeded") {
			t.Errorf("%s has %v", o.GetKind(), o.GetAnnotations())
		}
		kinds = append(kinds, o.GetKind())
		if first := o.GetAnnotations()["helm.sh/hook-weight"] == "-1"; first == (o.GetKind() == "Job") {
			t.Errorf("%s comes first: %v", o.GetKind(), first)
		}
		if text := fmt.Sprint(o.Object); o.GetKind() == "Job" && (!strings.Contains(text, "args:[leave --keep-idle --namespace=else]") || !strings.Contains(text, "image:r/i:1")) {
			t.Errorf("the Job is %s", text)
		}
	}
	if want := []string{"ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "Job"}; !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}

func TestTheValuesOfTheChart(t *testing.T) {
	other := render(t, "else", map[string]any{"image": "r/i:1", "replicas": 3, "mutatingPolicy": false, "calendarZone": "Europe/Berlin"})
	text := fmt.Sprint(byName(other))
	for _, want := range []string{"image:r/i:1", "replicas:3", "--namespace=else", "--calendar-zone=Europe/Berlin", "namespace:else"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not there", want)
		}
	}
	for _, never := range []string{"namespace:disruptkit", "namespace=disruptkit", "MutatingAdmissionPolicy"} {
		if strings.Contains(text, never) {
			t.Errorf("%s is there", never)
		}
	}
}

// kubectl apply -k applies all manifests but the kind of the policies, which kubectl delete -k would delete with all policies.
func TestTheKustomizationHasAllManifests(t *testing.T) {
	text, err := os.ReadFile("../../cmd/steward/manifests/kustomization.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var k struct {
		APIVersion, Kind string
		Resources        []string
	}
	if err := yaml.UnmarshalStrict(text, &k); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../cmd/steward/manifests/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, f := range files {
		if name := filepath.Base(f); name != "kustomization.yaml" {
			want = append(want, name)
		}
	}
	slices.Sort(k.Resources)
	if !slices.Equal(k.Resources, want) || k.Kind != "Kustomization" || k.APIVersion != "kustomize.config.k8s.io/v1beta1" {
		t.Errorf("%+v, want the files %v", k, want)
	}
}

// Helm reads no file outside the chart's directory.
func TestTheCopyOfTheCustomResourceDefinitionIsTheSame(t *testing.T) {
	const file = "chart/crds/disruptionpolicies.yaml"
	if text, err := os.ReadFile(file); err != nil || !bytes.Equal(text, disruptionpolicy.CRD) {
		t.Errorf("%s is not cmd/disruptionpolicy/crd.yaml (%v): copy that", file, err)
	}
}

// Helm itself renders what render does, and has no complaint about the chart.
func TestHelmRendersTheChartAsTheseTestsDo(t *testing.T) {
	helm := os.Getenv("HELM")
	if helm == "" {
		t.Skip("HELM is not set: bash .ci/run helm builds it")
	}
	if out, err := exec.CommandContext(t.Context(), helm, "lint", "--strict", "chart").CombinedOutput(); err != nil {
		t.Errorf("helm lint: %v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), helm, "template", "steward", "chart", "--include-crds", "--namespace", "else",
		"--set", "image=r/i:1,replicas=3,calendarZone=Europe/Berlin").Output()
	if err != nil {
		t.Fatal(err)
	}
	objects, err := world.Objects(out)
	if err != nil {
		t.Fatal(err)
	}
	want := byName(render(t, "else", map[string]any{"image": "r/i:1", "replicas": 3, "calendarZone": "Europe/Berlin"}))
	if diff := cmp.Diff(want, byName(objects)); diff != "" {
		t.Errorf("(-render +helm)\n%s", diff)
	}
}
