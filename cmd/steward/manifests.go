// Package steward has the commands that install the steward in a cluster, show what it does there, and take it out again. The steward itself
// is github.com/disruptkit/disruptkit/karpenter/steward.
//
// The commands talk to the API server over HTTP, as kubectl proxy lets anybody do: so the plugin needs no more than kubectl, and the Job that
// Helm runs before it deletes the steward does the same with its own account.
package steward

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"

	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
)

var (
	// Run is what runs the steward: a Deployment with what it is allowed to do.
	//
	//go:embed manifests/steward.yaml
	Run []byte
	// Hold is the admission policy that holds nodes, which never denies anything. It needs Kubernetes 1.36.
	//
	//go:embed manifests/hold.yaml
	Hold []byte
	// Deny is the admission policy that denies the disruption of nodes that are not released.
	//
	//go:embed manifests/deny.yaml
	Deny []byte
)

// A written object is one of a manifest, and its text in YAML.
type written struct {
	object
	text []byte
}

// manifest returns the objects of a manifest.
func manifest(text []byte) (all []written, err error) {
	for _, text := range bytes.Split(text, []byte("\n---\n")) {
		w := written{text: bytes.TrimSpace(text)}
		if err := yaml.Unmarshal(text, &w.object); err != nil {
			return nil, fmt.Errorf("reading a manifest: %w", err)
		}
		all = append(all, w)
	}
	return all, nil
}

// image is the image of the steward in its manifest.
const image = "image: disruptkit-steward:latest"

// manifests returns all objects in the order in which they are applied, with an image of the steward.
func manifests(of string) (all []written, err error) {
	run := bytes.Replace(Run, []byte(image), []byte("image: "+strconv.Quote(of)), 1)
	for _, m := range [][]byte{disruptionpolicy.CRD, run, Hold, Deny} {
		objects, err := manifest(m)
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	return all, nil
}
