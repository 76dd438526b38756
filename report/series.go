package report

import (
	"cmp"
	"slices"
)

// A series has a number for each combination of at most three label values.
type series struct {
	labels []string
	values map[[3]string]float64
}

func newSeries(labels ...string) series { return series{labels, map[[3]string]float64{}} }

// add adds n to a number, which starts at 0.
func (s series) add(n float64, values ...string) { s.values[key(values)] += n }

// set sets a number to n.
func (s series) set(n float64, values ...string) { s.values[key(values)] = n }

// most sets a number to n unless it is more.
func (s series) most(n float64, values ...string) {
	if last, known := s.values[key(values)]; !known || n > last {
		s.values[key(values)] = n
	}
}

func key(values []string) (k [3]string) {
	copy(k[:], values)
	return k
}

// samples returns the numbers as samples, sorted by label values.
func (s series) samples() []Sample {
	all := make([]Sample, 0, len(s.values))
	for key, value := range s.values {
		sample := Sample{Value: value}
		for i, name := range s.labels {
			sample.Labels = append(sample.Labels, Label{name, key[i]})
		}
		all = append(all, sample)
	}
	slices.SortFunc(all, func(a, b Sample) int {
		return slices.CompareFunc(a.Labels, b.Labels, func(a, b Label) int { return cmp.Compare(a.Value, b.Value) })
	})
	return all
}
