package metrics

import (
	"fmt"
	"io"
	"os"

	"github.com/prometheus/common/expfmt"

	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/report"
)

// show prints what is known of a cluster, and writes the page.
func (o options) show(stdout, stderr io.Writer, p picture) error {
	if err := o.print(o, stdout, stderr, p); err != nil || o.page == "" {
		return err
	}
	text, err := page(p, o.Policy.As, o.Zone, false)
	if err != nil {
		return err
	}
	return os.WriteFile(o.page, text, 0o666)
}

// printText prints the metrics as they are at the end, in the format of Prometheus and nothing else, and before that the events on
// standard error.
func (o options) printText(stdout, stderr io.Writer, p picture) error {
	if _, err := fmt.Fprintln(stderr, o.Policy.As.Title()); err != nil {
		return err
	}
	for _, e := range p.events {
		line := fmt.Sprintf("%s  %-24s  %-5s  %s", e.At.In(o.Zone).Format("Mon 15:04"), e.Name, wording.Quote(e.Pool), e.Message)
		if _, err := fmt.Fprintln(stderr, tell.Wrap(line, "           ")); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(stderr, "The metrics at %s are on standard output.\n", p.report.At.In(o.Zone).Format("Mon 2006-01-02 15:04 MST")); err != nil {
		return err
	}
	return printMetrics(stdout, p.report)
}

// printMetrics prints the metrics of a report as a scrape shows them.
func printMetrics(w io.Writer, r report.Report) error {
	families, err := newRegistry(func() (report.Report, error) { return r, nil }).Gather()
	if err != nil {
		return err
	}
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(w, family); err != nil {
			return err
		}
	}
	return nil
}
