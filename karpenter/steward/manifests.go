package steward

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// RunManifest is what runs the steward: a Deployment with what it is allowed to do.
//
//go:embed manifests/steward.yaml
var RunManifest []byte

// HoldManifest is the admission policy that holds nodes, which never denies anything. It needs Kubernetes 1.36.
//
//go:embed manifests/hold.yaml
var HoldManifest []byte

// DenyManifest is the admission policy that denies the disruption of nodes that are not released.
//
//go:embed manifests/deny.yaml
var DenyManifest []byte

// Objects returns the objects of a manifest.
func Objects(manifest []byte) (objects []*unstructured.Unstructured, err error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096)
	for {
		o := &unstructured.Unstructured{}
		switch err := decoder.Decode(o); {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, fmt.Errorf("reading a manifest: %w", err)
		case len(o.Object) > 0:
			objects = append(objects, o)
		}
	}
}
