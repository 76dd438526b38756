package steward

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// An api is an API server in memory, which knows all kinds. It does what the commands ask for.
type api struct {
	objects map[string]map[string]any // by their paths
	writes  []string                  // kinds, in their order
	fails   int                       // the number of the write that fails, once
	wrote   func(path string)         // is called after each write
	mu      sync.Mutex                // is held while a request is answered, and by what changes objects meanwhile
}

// newAPI returns a server that has some objects, in YAML.
func newAPI(t *testing.T, objects ...string) *api {
	t.Helper()
	a := &api{objects: map[string]map[string]any{}, wrote: func(string) {}}
	for _, text := range objects {
		a.add(t, text)
	}
	return a
}

// add adds an object in YAML, and returns its path.
func (a *api) add(t *testing.T, text string) string {
	t.Helper()
	var o object
	var all map[string]any
	for _, into := range []any{&o, &all} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	a.objects[o.path()] = all
	return o.path()
}

func (a *api) cluster() Cluster {
	return Cluster{URL: "http://localhost", HTTP: &http.Client{Transport: a}}
}

// after changes objects after a time.
func (a *api) after(d time.Duration, change func()) {
	time.AfterFunc(d, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		change()
	})
}

// annotations returns the annotations of an object.
func (a *api) annotations(path string) map[string]any {
	all, _ := dig(a.objects[path], "metadata", "annotations").(map[string]any)
	return all
}

func dig(of any, fields ...string) any {
	for _, f := range fields {
		m, _ := of.(map[string]any)
		of = m[f]
	}
	return of
}

// RoundTrip answers a request.
func (a *api) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Method != http.MethodGet {
		a.writes = append(a.writes, path.Base(path.Dir(r.URL.Path)))
		if len(a.writes) == a.fails {
			return nil, fmt.Errorf("the connection is lost")
		}
		defer a.wrote(r.URL.Path)
	}
	code, answer := a.answer(r, body)
	text, err := json.Marshal(answer)
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Body: io.NopCloser(bytes.NewReader(text)), Request: r}, err
}

func (a *api) answer(r *http.Request, body []byte) (code int, answer any) {
	o, there := a.objects[r.URL.Path]
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/version":
		return 200, map[string]any{"gitVersion": "v1.36.3"}
	case r.Method == http.MethodGet:
		items := []any{}
		for _, at := range slices.Sorted(maps.Keys(a.objects)) {
			if strings.HasPrefix(at, r.URL.Path+"/") {
				items = append(items, a.objects[at])
			}
		}
		return 200, map[string]any{"items": items}
	case r.Header.Get("Content-Type") == "application/apply-patch+yaml":
		var all map[string]any
		if err := yaml.Unmarshal(body, &all); err != nil {
			return 400, map[string]any{"message": err.Error()}
		}
		a.objects[r.URL.Path] = all
		return 200, all
	case !there:
		return 404, map[string]any{"message": r.URL.Path + " not found"}
	case r.Method == http.MethodDelete:
		delete(a.objects, r.URL.Path)
		return 200, o
	case r.Header.Get("Content-Type") == "application/json-patch+json":
		var steps []struct {
			Op    string
			Value any
		}
		spec := o["spec"].(map[string]any)
		if json.Unmarshal(body, &steps) != nil || len(steps) != 2 || !reflect.DeepEqual(steps[0].Value, spec["taints"]) {
			return 422, map[string]any{"message": "the taints have changed"}
		}
		spec["taints"] = steps[1].Value
		return 200, o
	}
	var change map[string]any
	if err := json.Unmarshal(body, &change); err != nil {
		return 400, map[string]any{"message": err.Error()}
	}
	merge(o, change)
	return 200, o
}

// merge changes an object by a merge patch.
func merge(o, change map[string]any) {
	for name, value := range change {
		part, is := value.(map[string]any)
		old, was := o[name].(map[string]any)
		switch {
		case value == nil:
			delete(o, name)
		case is && was:
			merge(old, part)
		default:
			o[name] = value
		}
	}
}

// kinds returns the kinds of the writes, without repetitions.
func (a *api) kinds() string { return strings.Join(slices.Compact(slices.Clone(a.writes)), " ") }

// at returns a time in the way of the API server.
func at(t time.Time) string { return t.UTC().Format(time.RFC3339) }
