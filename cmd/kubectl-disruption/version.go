package main

import (
	"fmt"
	"runtime/debug"
)

// version returns "kubectl disruption v0.1.0, go1.26.8". What was built in a work tree has no version but that of its commit.
func version(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return "kubectl disruption, built without module information"
	}
	text := "kubectl disruption " + info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			text += fmt.Sprintf(" (commit %.12s)", s.Value)
		}
	}
	return text + ", " + info.GoVersion
}
