package engine

import "github.com/disruptkit/disruptkit/cmd/annotation"

// Detect returns the engine that runs a NodePool, as its annotations say, and which of them does: the steward's, or the
// memory that the guard writes. Without these it is stock Karpenter, and why is "".
func Detect(annotations map[string]string) (e Engine, why string) {
	if annotations[annotation.Steward] == "true" {
		return Steward, annotation.Steward
	}
	if annotations[annotation.Memory] != "" {
		return Guard, annotation.Memory
	}
	return Karpenter, ""
}
