package kube_test

import (
	"testing"

	"github.com/disruptkit/disruptkit/candidate/kube"
)

// A pod without annotations that matter, with ones that were seen before, and with new ones.
func BenchmarkParser(b *testing.B) {
	plain := map[string]string{"prometheus.io/scrape": "true", "kubectl.kubernetes.io/restartedAt": "2026-11-20T10:30:00Z"}
	annotated := map[string]string{
		"prometheus.io/scrape":                    "true",
		kube.DisruptionScheduleAnnotation:         "0 2 * * 6",
		kube.DisruptionScheduleDurationAnnotation: "4h",
	}
	read := func(b *testing.B, annotations map[string]string, parser func() *kube.Parser) {
		b.ReportAllocs()
		for b.Loop() {
			parser().Terms("shop", "web-0", annotations)
		}
	}
	var p kube.Parser
	b.Run("plain", func(b *testing.B) { read(b, plain, func() *kube.Parser { return &p }) })
	b.Run("seen", func(b *testing.B) { read(b, annotated, func() *kube.Parser { return &p }) })
	b.Run("new", func(b *testing.B) { read(b, annotated, func() *kube.Parser { return &kube.Parser{} }) })
}
