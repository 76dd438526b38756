// Package annotation reads the annotations of a NodePool about disruption, for the guard and for programs that answer
// for the guard. Annotations express what spec.disruption cannot express yet.
package annotation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	goyaml "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// Annotations of a NodePool. Their values are YAML or JSON. An invalid or unknown annotation blocks all nodes of
// the pool, since somebody may have meant it as a limit.
const (
	prefix = "disruptkit.dev/"

	// Disruption is spec.disruption with the fields of the RFCs: budgets (with topologyKey, sequential, timeZone, outside,
	// child reasons) in addition to those of the NodePool, and the controls defaults, consolidation, drift, expiration and
	// emptiness. See [budget.Spec].
	Disruption = prefix + "disruption"
	// MostSpecific "true" lets only the most specific active budgets decide; with controls this is always so. Karpenter's
	// result for its own budgets remains an upper limit.
	MostSpecific = prefix + "most-specific"
	// Probes is the list of disruptionProbes, or the object disruptionReadiness; see [ParseProbes].
	Probes = prefix + "probes"
	// Topology has patience (a duration such as 15m, or Never for no limit), soak (a duration), unlabelled (TakeTurn,
	// Exempt or Block), and labelOptional and unsettled (true or false); see [topology.Options].
	Topology = prefix + "topology"
	// Expire has after and deadline, both ages such as 720h: from the first on a node has the reason Expired, and from the second on it is
	// overdue. See [Expiration]. It asks budgets, unlike expireAfter.
	Expire = prefix + "expire"
	// Repair has backOff: with true, repair waits as well, while the pool's replacements fail; see disruptkit.Pool.RepairBacksOff.
	Repair = prefix + "repair"
	// Pause blocks all nodes of the pool, as a probe.Pause: the time when the pause ends, "true" until the
	// annotation is removed, or an object with any of until, from, by, why, reasons, and zones (or key and domains).
	Pause = prefix + "pause"
	// Memory is the memory of the pool between decisions, a disruptkit.Memory in JSON. Whoever decides writes it, such as the
	// guard; people should not change it. If it is invalid, it blocks nothing.
	Memory = prefix + "memory"
	// Steward "true" lets the steward of package karpenter/steward hold and release the nodes of the pool. It limits nothing by itself.
	Steward = prefix + "steward"
	// StewardEnforced "true" makes admission deny the disruption of nodes that the steward has not released. The steward writes it
	// once all nodes are held, and takes it away before anything else when the pool is opted in no more.
	StewardEnforced = prefix + "steward-enforced"
	// Releases are the nodes that the steward has released, each with the end of its release, in JSON. It writes them before it
	// releases, so that whoever leads next counts them. DisruptionPolicies have those of all their pools.
	Releases = prefix + "releases"
	// Policies are the DisruptionPolicies that the pool is under, each with its UID, in JSON. The steward writes them before it releases
	// anything under these policies. They limit nothing by themselves.
	Policies = prefix + "policies"
	// Status describes how the roll of the pool stands, in JSON, for pipelines and people: see package standing. Whoever decides writes it, such as
	// the guard or the steward. It limits nothing.
	Status = prefix + "status"
	// PausedBudgets is what kubectl disruption pause puts in the place of a pause that stock Karpenter does not have: the budgets
	// that the NodePool had, in JSON, with the one that was added. It limits nothing by itself.
	PausedBudgets = prefix + "paused-budgets"
	// LintIgnore has codes of findings, with commas between them, that lint leaves out for the NodePool. It limits
	// nothing.
	LintIgnore = prefix + "lint-ignore"
)

// Replace asks for the replacement of a node: it is on the Node, or on its NodeClaim. Any value but false asks. The value is why, for people, and may
// begin with the time at which somebody asked: "2026-11-23T09:00:00Z INC-1234". See [Request].
const Replace = prefix + "replace"

// Annotations of nodes, which the steward and its admission policies write.
const (
	// Held reports that the do-not-disrupt of a node is the steward's own. Its value is for people: why the node is held, and when that ends.
	// Without it, do-not-disrupt is somebody else's, and is never touched.
	Held = prefix + "held"
	// RepairHeld says the same of do-not-repair.
	RepairHeld = prefix + "repair-held"
	// ReleasedUntil is the time up to which Karpenter may disrupt a node, in RFC 3339. The admission policies compare it with the clock of the
	// API server.
	ReleasedUntil = prefix + "released-until"
	// ReleasedFor reports for people for which reasons a node was released, and since when: "Drifted since 2026-11-20T12:00:00Z".
	ReleasedFor = prefix + "released-for"
	// SoonTaint is no annotation, but the key of the taint PreferNoSchedule of nodes that may be disrupted soon: new Pods prefer other nodes, so
	// that fewer of them move twice.
	SoonTaint = prefix + "disrupted-soon"
	// DisruptedTaint is the key of the taint NoSchedule that Karpenter gives nodes in flight.
	DisruptedTaint = "karpenter.sh/disrupted"
)

// OfNodes are the annotations of ours that engines read or write on Nodes and NodeClaims.
var OfNodes = []string{Replace, Held, RepairHeld, ReleasedUntil, ReleasedFor}

// known are the valid annotations of NodePools.
var known = []string{Disruption, MostSpecific, Probes, Topology, Expire, Repair, Pause, PausedBudgets, Memory, LintIgnore, Steward, StewardEnforced, Releases, Policies, Status, UnitLabel}

// unknown returns the unknown annotations under our prefix, sorted.
func unknown(annotations map[string]string) []string {
	return slices.DeleteFunc(Names(annotations), func(name string) bool { return slices.Contains(known, name) })
}

// Bearer returns the kind of objects on which people write an annotation: NodePool or Node; "": it is unknown.
func Bearer(name string) (kind string) {
	switch {
	case slices.Contains(known, name):
		return "NodePool"
	case slices.Contains(OfNodes, name):
		return "Node"
	}
	return ""
}

// readDisruption reads Disruption. Fields that would have no effect are an error.
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
	if field := ProbesOf(document); field != "" {
		return spec, fmt.Errorf("%s are not asked from there: write them as the annotation %s", field, Probes)
	}
	return spec, nil
}

// readProbes reads Probes. Invalid probes keep their place, and block.
func readProbes(text string) ([]httpget.Spec, error) {
	document, err := toJSON(text)
	if err != nil {
		return nil, err
	}
	return ParseProbes(document)
}

// readRepair reads Repair.
func readRepair(text string) (backsOff bool, err error) {
	err = readObject(text, "{backOff: true}", func(document []byte) error {
		return jsonobject.Decode(document, []jsonobject.Field{{Name: "backOff", Target: &backsOff, Example: "true or false"}})
	})
	return backsOff, err
}

// readObject parses an object in YAML or JSON.
func readObject(text, example string, parse func(document []byte) error) error {
	document, err := toJSON(text)
	if err != nil {
		return err
	}
	if err = parse(document); errors.Is(err, jsonobject.ErrNone) {
		return fmt.Errorf("%.100q is not an object: write one such as %s", text, example)
	}
	return err
}

// readMostSpecific reads MostSpecific.
func readMostSpecific(text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, fmt.Errorf("%.100q is neither: write true or false", text)
	}
	return text == "true", nil
}

// toJSON converts a text in YAML or JSON to JSON. An empty text is an error, since its author meant something.
func toJSON(text string) ([]byte, error) {
	document, err := yaml.YAMLToJSONStrict([]byte(text))
	switch {
	case err != nil && strings.Contains(text, "\t"):
		return nil, fmt.Errorf("%.100q is neither YAML nor JSON: %s: write spaces instead of tabs", text, onOneLine(err))
	case err != nil:
		return nil, fmt.Errorf("%.100q is neither YAML nor JSON: %s: write one object or list, with each key once",
			text, onOneLine(err))
	case string(document) == "null":
		return nil, fmt.Errorf("%.100q is empty: leave the annotation out", text)
	case !IsOneDocument(text):
		return nil, fmt.Errorf("%.100q is more than one document, and only the first would count: write one", text)
	}
	return document, nil
}

// onOneLine returns an error of the decoder on one line.
func onOneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// IsOneDocument reports whether nothing comes after the first document of a text in YAML. Decoders ignore what does.
func IsOneDocument(text string) bool {
	documents := goyaml.NewDecoder(strings.NewReader(text))
	var document goyaml.Node
	return documents.Decode(&document) == nil && documents.Decode(&document) == io.EOF
}
