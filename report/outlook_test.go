package report_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/report"
)

func TestAnOutlookIsShownAsFarAsItIsKnown(t *testing.T) {
	at := func(h int) time.Time { return time.Unix(0, 0).Add(time.Duration(h) * time.Hour) }
	first := report.Outlook{Pool: "p", Early: at(8), Middle: at(10), Late: at(20)}.After(report.Outlook{})
	for _, c := range []struct {
		name        string
		outlook     report.Outlook
		eta, behind []string
	}{
		{"the first plan is as planned", first, []string{"p 0.1 28800", "p 0.5 36000", "p 0.9 72000"}, []string{"p 0"}},
		{"a later one may be behind", report.Outlook{Pool: "p", Early: at(11), Middle: at(12), Late: at(12)}.After(first),
			[]string{"p 0.1 39600", "p 0.5 43200", "p 0.9 43200"}, []string{"p 7200"}},
		{"or ahead", report.Outlook{Pool: "p", Early: at(9), Middle: at(9), Late: at(9)}.After(first),
			[]string{"p 0.1 32400", "p 0.5 32400", "p 0.9 32400"}, []string{"p -3600"}},
		{"a tenth that never ends is absent", report.Outlook{Pool: "p", Early: at(8), Middle: at(10)}.After(first),
			[]string{"p 0.1 28800", "p 0.5 36000"}, []string{"p 0"}},
		{"a roll that does not end has no time, and is behind by none", report.Outlook{Pool: "p"}.After(first), nil, nil},
		{"what was planned outlives a time in which it had no end",
			report.Outlook{Pool: "p", Early: at(11), Middle: at(11), Late: at(11)}.After(report.Outlook{Pool: "p"}.After(first)),
			[]string{"p 0.1 39600", "p 0.5 39600", "p 0.9 39600"}, []string{"p 3600"}},
		{"a roll that has had no end at first is measured from when it has one",
			report.Outlook{Pool: "p", Early: at(11), Middle: at(11), Late: at(11)}.After(report.Outlook{Pool: "p"}),
			[]string{"p 0.1 39600", "p 0.5 39600", "p 0.9 39600"}, []string{"p 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := report.Report{}.With(c.outlook)
			wantLines(t, "eta", sampleLines(r, report.MetricETA), c.eta...)
			wantLines(t, "behind", sampleLines(r, report.MetricBehindPlan), c.behind...)
		})
	}
}
