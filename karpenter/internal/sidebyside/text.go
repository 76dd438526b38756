package sidebyside

import (
	"fmt"
	"strings"
	"time"
)

// Clock returns the minutes and seconds since a story began, such as 12:05.
func Clock(d time.Duration) string {
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// Policy returns the paragraph that shows the annotation of a NodePool which the guard reads.
func Policy(annotation string) string {
	return "The guard reads the annotation disruptkit.dev/disruption of the NodePool:\n\n    " +
		strings.ReplaceAll(strings.TrimSuffix(annotation, "\n"), "\n", "\n    ") + "\n"
}
