package kube_test

import (
	"slices"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/dialect"
)

func TestAnnotationsInKarpentersDialect(t *testing.T) {
	tests := []struct {
		name        string
		annotations map[string]string
		protect     time.Duration
		codes       []candidate.Code // of warnings
	}{
		{"nothing is nothing", nil, 0, nil},
		{"do-not-disrupt is for good", map[string]string{kube.DoNotDisruptAnnotation: "true"}, candidate.Forever, nil},
		{"or for a while", map[string]string{kube.DoNotDisruptAnnotation: "4h"}, 4 * time.Hour, nil},
		{"what is not valid is ignored", map[string]string{kube.DoNotDisruptAnnotation: "yes"}, 0, []candidate.Code{candidate.CodeInvalidAnnotation}},
		{"a disruption schedule has no effect", map[string]string{
			kube.DisruptionScheduleAnnotation: "0 3 * * *", kube.DoNotDisruptAnnotation: "1h",
		}, time.Hour, []candidate.Code{candidate.CodeNoEffect}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			parser := kube.Parser{Dialect: dialect.Karpenter}
			terms, warnings := parser.Terms("blue", "p", test.annotations)
			var codes []candidate.Code
			for _, w := range warnings {
				codes = append(codes, w.Code)
			}
			if terms != (candidate.Terms{Protect: test.protect}) || !slices.Equal(codes, test.codes) {
				t.Errorf("%+v %v, want %v %v", terms, warnings, test.protect, test.codes)
			}
		})
	}
}
