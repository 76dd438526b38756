package observability

import (
	"os"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// expositions are what the programs print. Tests beside the programs write these files, and fail if they are old.
var expositions = []string{"testdata/metrics.txt", "testdata/guard.txt", "testdata/steward.txt"}

// exposed returns the labels of each metric that the programs print.
func exposed(t *testing.T) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	for _, path := range expositions {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(f)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for name, family := range families {
			labels := all[name]
			if labels == nil {
				labels = map[string]bool{}
			}
			for _, m := range family.Metric {
				for _, l := range m.Label {
					labels[l.GetName()] = true
				}
			}
			all[name] = labels
			if family.GetType() == dto.MetricType_HISTOGRAM {
				all[name+"_count"], all[name+"_sum"] = labels, labels
			}
		}
	}
	return all
}
