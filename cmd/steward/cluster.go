package steward

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A Cluster is an API server.
type Cluster struct {
	URL  string       // without a slash at its end
	HTTP *http.Client // which says who asks
}

// An object is what the commands read of one.
type object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name              string            `json:"name"`
		Namespace         string            `json:"namespace"`
		Labels            map[string]string `json:"labels"`
		Annotations       map[string]string `json:"annotations"`
		CreationTimestamp time.Time         `json:"creationTimestamp"`
		DeletionTimestamp time.Time         `json:"deletionTimestamp"`
		ManagedFields     []struct {
			Manager  string          `json:"manager"`
			FieldsV1 json.RawMessage `json:"fieldsV1"`
		} `json:"managedFields"`
	} `json:"metadata"`
	Spec struct {
		Taints   []map[string]any `json:"taints"` // of a Node
		Template struct {
			Spec struct {
				ExpireAfter string `json:"expireAfter"` // of a NodePool
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
	Status struct {
		Conditions []struct{ Type, Status, Reason string } `json:"conditions"`
	} `json:"status"`
}

// resource returns what the kind of an object is called in paths.
func (o object) resource() string {
	name := strings.ToLower(o.Kind)
	if stem, ends := strings.CutSuffix(name, "y"); ends {
		return stem + "ies"
	}
	return name + "s"
}

// path returns the path of an object, or of all objects of its kind where it has no name.
func (o object) path() string {
	root := "/apis/"
	if !strings.Contains(o.APIVersion, "/") {
		root = "/api/"
	}
	path := root + o.APIVersion
	if o.Metadata.Namespace != "" {
		path += "/namespaces/" + url.PathEscape(o.Metadata.Namespace)
	}
	if path += "/" + o.resource(); o.Metadata.Name != "" {
		path += "/" + url.PathEscape(o.Metadata.Name)
	}
	return path
}

// pools, claims, nodes and pods are the kinds of lists.
var (
	pools  = object{APIVersion: "karpenter.sh/v1", Kind: "NodePool"}
	claims = object{APIVersion: "karpenter.sh/v1", Kind: "NodeClaim"}
	nodes  = object{APIVersion: "v1", Kind: "Node"}
	pods   = object{APIVersion: "v1", Kind: "Pod"}
)

// A refusal is an answer of the API server that is not the one that was asked for.
type refusal struct {
	code    int
	message string
}

func (r refusal) Error() string { return r.message }

// missing reports whether what was asked for is not there, nor perhaps its kind.
func missing(err error) bool {
	var r refusal
	return errors.As(err, &r) && r.code == http.StatusNotFound
}

// ask sends a request, and reads the answer into an object, unless it is nil.
func (c Cluster) ask(ctx context.Context, method, path, media string, body []byte, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, c.URL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	answer, err := c.HTTP.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode/100 != 2 {
		var status struct{ Message string }
		if json.Unmarshal(text, &status) != nil {
			status.Message = strings.TrimSpace(string(text))
		}
		return refusal{answer.StatusCode, cmp.Or(status.Message, answer.Status)}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("GET %s: the answer cannot be read: %w", path, err)
	}
	return nil
}

// list returns all objects of a kind.
func (c Cluster) list(ctx context.Context, of object, query string) ([]object, error) {
	var all struct{ Items []object }
	if err := c.ask(ctx, http.MethodGet, of.path()+query, "", nil, &all); err != nil {
		return nil, fmt.Errorf("listing %s: %w", of.resource(), err)
	}
	for i := range all.Items {
		all.Items[i].APIVersion, all.Items[i].Kind = of.APIVersion, of.Kind
	}
	return all.Items, nil
}

// fleet returns all NodePools and Nodes.
func (c Cluster) fleet(ctx context.Context) (owners, machines []object, err error) {
	if owners, err = c.list(ctx, pools, ""); err != nil {
		return nil, nil, err
	}
	machines, err = c.list(ctx, nodes, "")
	return owners, machines, err
}

// keyed returns whether a taint has a key.
func keyed(key string) func(taint map[string]any) bool {
	return func(taint map[string]any) bool { return taint["key"] == key }
}

// apply creates or changes an object so that it is as written.
func (c Cluster) apply(ctx context.Context, w written) error {
	return c.ask(ctx, http.MethodPatch, w.path()+"?force=true&fieldManager=disruptkit-steward-install", "application/apply-patch+yaml", w.text, nil)
}

// remove deletes an object, after what it owns. What is not there, or of a kind that the cluster does not have, is gone already.
func (c Cluster) remove(ctx context.Context, o object) (there bool, err error) {
	const options = `{"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Foreground"}`
	err = c.ask(ctx, http.MethodDelete, o.path(), "application/json", []byte(options), nil)
	if missing(err) {
		return false, nil
	}
	return err == nil, err
}

// annotate changes annotations of an object; nil removes one.
func (c Cluster) annotate(ctx context.Context, o object, change map[string]any) error {
	if len(change) == 0 {
		return nil
	}
	return c.patch(ctx, o, "merge-patch", map[string]any{"metadata": map[string]any{"annotations": change}})
}

// replace changes a field of an object if it still has a value.
func (c Cluster) replace(ctx context.Context, o object, field string, old, value any) error {
	return c.patch(ctx, o, "json-patch", []map[string]any{
		{"op": "test", "path": field, "value": old},
		{"op": "replace", "path": field, "value": value},
	})
}

// patch changes an object. One that is gone need not be changed.
func (c Cluster) patch(ctx context.Context, o object, kind string, change any) error {
	body, err := json.Marshal(change)
	if err != nil {
		return err
	}
	if err = c.ask(ctx, http.MethodPatch, o.path(), "application/"+kind+"+json", body, nil); missing(err) {
		return nil
	}
	return err
}
