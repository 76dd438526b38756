package planner

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/plan"
)

// A share is a time that something takes, up to a part of all cases.
type share struct {
	upTo  float64 // from 0 to 1
	takes time.Duration
}

// setTakes reads how long something takes: "3m", "1m,3m,20m", or "@file".
func setTakes(name, text string, to *plan.Takes) error {
	var shares []share
	var err error
	if file, ok := strings.CutPrefix(text, "@"); ok {
		shares, err = readShares(file)
	} else {
		shares, err = parseShares(strings.Split(text, ","))
	}
	if err != nil {
		return fmt.Errorf("-%s: %w", name, err)
	}
	if len(shares) == 1 {
		*to = plan.Constant(shares[0].takes)
		return nil
	}
	*to = func(n candidate.Node, _ time.Time) time.Duration { return taken(shares, n.Name, name) }
	return nil
}

// taken returns the time that chance has in store for a node: the same for the same name.
func taken(shares []share, node, what string) time.Duration {
	h := fnv.New64a()
	fmt.Fprint(h, what, " ", node)
	sum := h.Sum64()
	sum ^= sum >> 33 // names that differ in their last letters alone are to be spread, too
	sum *= 0xff51afd7ed558ccd
	sum ^= sum >> 33
	at := float64(sum>>11) / (1 << 53)
	i, _ := slices.BinarySearchFunc(shares, at, func(s share, at float64) int {
		if s.upTo <= at {
			return -1
		}
		return 1
	})
	return shares[min(i, len(shares)-1)].takes
}

// parseShares reads times that all are as frequent.
func parseShares(texts []string) ([]share, error) {
	var all []share
	for i, text := range texts {
		text = strings.TrimSpace(text)
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return nil, fmt.Errorf("%q is not a duration: write one such as 90s or 3m", text)
		}
		all = append(all, share{float64(i+1) / float64(len(texts)), d})
	}
	return all, nil
}

// readShares reads times of a file: a line each, or a histogram.
func readShares(file string) ([]share, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if shares, found, err := histogram(text); found || err == nil && len(shares) > 0 {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return shares, nil
	}
	shares, err := parseShares(slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool {
		line = strings.TrimSpace(line)
		return line == "" || strings.HasPrefix(line, "#")
	}))
	if err != nil {
		return nil, fmt.Errorf("%s has neither a duration on each line nor a histogram: %w", file, err)
	}
	if len(shares) == 0 {
		return nil, fmt.Errorf("%s is empty: write a duration on each line", file)
	}
	return shares, nil
}

// histogram reads the first histogram of seconds of what a Prometheus client prints. A case is taken for the upper end of its bucket; those
// above the last, for twice that.
func histogram(text []byte) (shares []share, found bool, err error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, _ := parser.TextToMetricFamilies(bytes.NewReader(text))
	names := make([]string, 0, len(families))
	for name, f := range families {
		if f.GetType() == dto.MetricType_HISTOGRAM {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, false, nil
	}
	if len(names) > 1 {
		slices.Sort(names)
		return nil, true, fmt.Errorf("there are several histograms, %s: leave in the one that is meant", strings.Join(names, ", "))
	}
	counts, total, last := map[float64]uint64{}, uint64(0), 0.0
	for _, m := range families[names[0]].Metric {
		before := uint64(0)
		for _, b := range m.Histogram.Bucket {
			if n := b.GetCumulativeCount(); n >= before {
				counts[b.GetUpperBound()] += n - before
				before = n
			}
			if !math.IsInf(b.GetUpperBound(), 1) {
				last = max(last, b.GetUpperBound())
			}
		}
		if n := m.Histogram.GetSampleCount(); n > before {
			counts[math.Inf(1)] += n - before
		}
	}
	bounds := make([]float64, 0, len(counts))
	for bound, n := range counts {
		total += n
		if n > 0 {
			bounds = append(bounds, bound)
		}
	}
	if total == 0 {
		return nil, true, fmt.Errorf("the histogram %s has counted nothing", names[0])
	}
	slices.Sort(bounds)
	sum := uint64(0)
	for _, bound := range bounds {
		sum += counts[bound]
		seconds := bound
		if math.IsInf(bound, 1) {
			seconds = 2 * last
		}
		takes := time.Duration(min(max(seconds, 0), 3e8) * float64(time.Second))
		shares = append(shares, share{float64(sum) / float64(total), takes})
	}
	return shares, true, nil
}
