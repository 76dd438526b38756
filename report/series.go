package report

import (
	"cmp"
	"slices"
)

// A series holds a number for each combination of at most three labels' values.
type series struct {
	labels []string
	values map[[3]string]float64
}

func newSeries(labels ...string) series { return series{labels, map[[3]string]float64{}} }

// add adds to a number, which is 0 at first.
func (s series) add(n float64, values ...string) { s.values[key(values)] += n }

// set sets a number.
func (s series) set(n float64, values ...string) { s.values[key(values)] = n }

func key(values []string) (k [3]string) {
	copy(k[:], values)
	return k
}

// samples returns the numbers by the values of their labels.
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
