package metrics

import (
	"fmt"
	"io"
	"os"

	"github.com/prometheus/common/expfmt"

	"github.com/disruptkit/disruptkit/examples/internal/tell"
	"github.com/disruptkit/disruptkit/internal/quote"
	"github.com/disruptkit/disruptkit/report"
)

// print prints the events, and the metrics as they are at the end, and writes the page.
func (o options) print(stdout io.Writer, p picture) error {
	if _, err := fmt.Fprintln(stdout, o.policy.As.Title()); err != nil {
		return err
	}
	for _, e := range p.events {
		line := fmt.Sprintf("%s  %-24s  %-5s  %s", e.At.In(o.zone).Format("Mon 15:04"), e.Name, quote.Text(e.Pool), e.Message)
		if _, err := fmt.Fprintln(stdout, tell.Wrap(line, "           ")); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(stdout, "\nThe metrics at %s:\n\n", p.report.At.In(o.zone).Format("Mon 2006-01-02 15:04 MST")); err != nil {
		return err
	}
	if err := printMetrics(stdout, p.report); err != nil {
		return err
	}
	if o.page == "" {
		return nil
	}
	text, err := page(p, o.zone, 0)
	if err != nil {
		return err
	}
	return os.WriteFile(o.page, text, 0o666)
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
