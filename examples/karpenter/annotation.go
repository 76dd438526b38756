package karpenter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	goyaml "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// The annotations of a NodePool that say what spec.disruption cannot say yet. Their values are YAML or JSON. One that
// cannot be read, or that nobody knows, holds back all nodes of the pool: it may be a limit that was meant to hold.
const (
	annotationPrefix = "disruptkit.dev/"

	// DisruptionAnnotation is what spec.disruption would be with the fields of the RFCs: budgets (with topologyKey, sequential,
	// timeZone, outside, child reasons) that are added to those of the NodePool, and the controls defaults, consolidation,
	// drift, expiration and emptiness. See budget.Spec.
	DisruptionAnnotation = annotationPrefix + "disruption"
	// MostSpecificAnnotation "true" lets the most specific active budgets alone decide, as controls do anyway. What Karpenter
	// makes of its own budgets still is the most that may go.
	MostSpecificAnnotation = annotationPrefix + "most-specific"
	// ProbesAnnotation is the list of disruptionProbes; see probe.Probe.
	ProbesAnnotation = annotationPrefix + "probes"
	// TopologyAnnotation has patience and soak (durations such as 15m), unlabelled (TakeTurn, Exempt or Block), and unsettled
	// (true or false); see topology.Options.
	TopologyAnnotation = annotationPrefix + "topology"
	// RollAnnotation is where a roll stands, as a topology.Roll in JSON. The guard writes it.
	RollAnnotation = annotationPrefix + "roll"
)

// known are the annotations.
var known = []string{DisruptionAnnotation, MostSpecificAnnotation, ProbesAnnotation, TopologyAnnotation, RollAnnotation}

// unknown returns the annotations that only look like ours, sorted.
func unknown(annotations map[string]string) (names []string) {
	for name := range annotations {
		if strings.HasPrefix(name, annotationPrefix) && !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// readDisruption reads DisruptionAnnotation. What is written there and nobody would heed is an error.
func readDisruption(text string) (spec budget.Spec, err error) {
	document, err := toJSON(text)
	if err != nil {
		return spec, err
	}
	if err := json.Unmarshal(document, &spec); err != nil {
		return spec, err
	}
	if after := spec.ConsolidateAfter; after != "" && after != "Never" {
		return spec, fmt.Errorf("consolidateAfter: Karpenter waits for %.100q: write it under spec.disruption of the NodePool",
			after)
	}
	return spec, jsonobject.Fields(document, func(name string, _ json.RawMessage) error {
		if name == "disruptionProbes" {
			return fmt.Errorf("disruptionProbes are not asked from there: write the list as the annotation %s", ProbesAnnotation)
		}
		return nil
	})
}

// readProbes reads ProbesAnnotation. Probes that are broken stay in their places, and block.
func readProbes(text string) ([]probe.Probe, error) {
	document, err := toJSON(text)
	if err != nil {
		return nil, err
	}
	return probe.Parse(document)
}

// readMostSpecific reads MostSpecificAnnotation.
func readMostSpecific(text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, fmt.Errorf("%.100q is neither: write true or false", text)
	}
	return strconv.ParseBool(text)
}

// readTopology reads TopologyAnnotation.
func readTopology(text string) (o topology.Options, err error) {
	document, err := toJSON(text)
	if err != nil {
		return o, err
	}
	err = jsonobject.Fields(document, func(name string, value json.RawMessage) error {
		switch name {
		case "patience":
			return readDuration(name, value, &o.Patience)
		case "soak":
			return readDuration(name, value, &o.Soak)
		case "unlabelled":
			return readUnlabelled(name, value, &o.Unlabelled)
		case "unsettled":
			return jsonobject.Set(name, value, &o.Unsettled, "true or false")
		}
		return jsonobject.Unknown(name, "patience", "soak", "unlabelled", "unsettled")
	})
	if errors.Is(err, jsonobject.ErrNone) {
		err = fmt.Errorf("%.100q is no object: write one such as {patience: 15m}", text)
	}
	if err != nil {
		return topology.Options{}, err
	}
	return o, nil
}

// readDuration reads the value of a field.
func readDuration(name string, value json.RawMessage, to *time.Duration) error {
	const example = "a duration such as 15m"
	var text *string
	if err := jsonobject.Set(name, value, &text, example); err != nil || text == nil {
		return err
	}
	d, err := time.ParseDuration(*text)
	if err != nil || d <= 0 {
		return fmt.Errorf("field %q: %.100q is not what belongs there: write %s", name, *text, example)
	}
	*to = d
	return nil
}

// readUnlabelled reads the value of a field.
func readUnlabelled(name string, value json.RawMessage, to *topology.Unlabelled) error {
	const example = "TakeTurn, Exempt or Block"
	var text *string
	if err := jsonobject.Set(name, value, &text, example); err != nil || text == nil {
		return err
	}
	switch *text {
	case "TakeTurn":
		*to = topology.TakeTurn
	case "Exempt":
		*to = topology.Exempt
	case "Block":
		*to = topology.Block
	default:
		return fmt.Errorf("field %q: %.100q is not what belongs there: write %s", name, *text, example)
	}
	return nil
}

// strictly decodes an object in YAML or JSON that has no other fields than to has.
func strictly(text string, to any) error {
	document, err := toJSON(text)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(document))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// toJSON returns what a text in YAML or JSON says. One that says nothing is an error: something was meant.
func toJSON(text string) ([]byte, error) {
	document, err := yaml.YAMLToJSONStrict([]byte(text))
	switch {
	case err != nil && strings.Contains(text, "\t"):
		return nil, fmt.Errorf("%.100q is neither YAML nor JSON: %s: write spaces instead of tabs", text, onOneLine(err))
	case err != nil:
		return nil, fmt.Errorf("%.100q is neither YAML nor JSON: %s: write one object or list, with each key once",
			text, onOneLine(err))
	case string(document) == "null":
		return nil, fmt.Errorf("%.100q says nothing: leave the annotation out", text)
	case !isOneDocument(text):
		return nil, fmt.Errorf("%.100q is more than one document, of which only the first would count: write one", text)
	}
	return document, nil
}

// onOneLine returns an error of the decoder, which may be several lines.
func onOneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// isOneDocument reports whether nothing comes after the first document of a text in YAML.
func isOneDocument(text string) bool {
	documents := goyaml.NewDecoder(strings.NewReader(text))
	var document goyaml.Node
	return documents.Decode(&document) == nil && documents.Decode(&document) == io.EOF
}
