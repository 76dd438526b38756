package karpenter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/budget"
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

// readDisruption reads DisruptionAnnotation.
func readDisruption(text string) (spec budget.Spec, err error) {
	document, err := toJSON(text)
	if err == nil {
		err = json.Unmarshal(document, &spec)
	}
	return spec, err
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
		return false, fmt.Errorf("%q is neither: write true or false", text)
	}
	return strconv.ParseBool(text)
}

// readTopology reads TopologyAnnotation.
func readTopology(text string) (topology.Options, error) {
	var written struct {
		Patience, Soak, Unlabelled string
		Unsettled                  bool
	}
	if err := strictly(text, &written); err != nil {
		return topology.Options{}, err
	}
	o := topology.Options{Unsettled: written.Unsettled}
	for _, field := range []struct {
		name, text string
		to         *time.Duration
	}{{"patience", written.Patience, &o.Patience}, {"soak", written.Soak, &o.Soak}} {
		if field.text == "" {
			continue
		}
		d, err := time.ParseDuration(field.text)
		if err != nil || d <= 0 {
			return topology.Options{}, fmt.Errorf("%s: %q is no duration: write one such as 15m", field.name, field.text)
		}
		*field.to = d
	}
	switch written.Unlabelled {
	case "", "TakeTurn":
	case "Exempt":
		o.Unlabelled = topology.Exempt
	case "Block":
		o.Unlabelled = topology.Block
	default:
		return topology.Options{}, fmt.Errorf("unlabelled: %q is not known: write TakeTurn, Exempt or Block", written.Unlabelled)
	}
	return o, nil
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

// separator is a line that begins another YAML document, of which the decoder would say nothing.
var separator = regexp.MustCompile(`(?m)^(---|\.\.\.)(\s|$)`)

// toJSON returns what a text in YAML or JSON says. One that says nothing is an error: something was meant.
func toJSON(text string) ([]byte, error) {
	if separator.MatchString(text) {
		return nil, errors.New("it is to be one YAML document: leave out --- and ...")
	}
	document, err := yaml.YAMLToJSONStrict([]byte(text))
	if err == nil && string(document) == "null" {
		err = fmt.Errorf("%q says nothing: leave the annotation out", text)
	}
	return document, err
}
