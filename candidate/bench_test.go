package candidate_test

import (
	"testing"

	"github.com/disruptkit/disruptkit/candidate"
)

// A pod without annotations that matter, with ones that were seen before, and with new ones.
func BenchmarkParser(b *testing.B) {
	plain := map[string]string{"prometheus.io/scrape": "true", "kubectl.kubernetes.io/restartedAt": "2026-11-20T10:30:00Z"}
	annotated := map[string]string{
		"prometheus.io/scrape":                         "true",
		candidate.DisruptionScheduleAnnotation:         "0 2 * * 6",
		candidate.DisruptionScheduleDurationAnnotation: "4h",
	}
	read := func(b *testing.B, annotations map[string]string, parser func() *candidate.Parser) {
		b.ReportAllocs()
		for b.Loop() {
			parser().Terms("shop", "web-0", annotations)
		}
	}
	var p candidate.Parser
	b.Run("plain", func(b *testing.B) { read(b, plain, func() *candidate.Parser { return &p }) })
	b.Run("seen", func(b *testing.B) { read(b, annotated, func() *candidate.Parser { return &p }) })
	b.Run("new", func(b *testing.B) { read(b, annotated, func() *candidate.Parser { return &candidate.Parser{} }) })
}
