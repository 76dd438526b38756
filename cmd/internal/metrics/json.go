package metrics

import (
	"io"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/report"
)

// The types below are the JSON that -o json prints, as schema/metrics.json describes it. It is stable: fields are only added. Lists are
// never null; times are RFC 3339 in UTC.
type (
	jsonReport struct {
		Version string        `json:"version"`
		As      string        `json:"as"`
		Now     *time.Time    `json:"now"`
		Missing []jsonMissing `json:"missing"`
		Metrics []jsonMetric  `json:"metrics"`
		Pools   []jsonPool    `json:"pools"`
		Nodes   []jsonNode    `json:"nodes"`
		Events  []jsonEvent   `json:"events"`
	}
	jsonMissing struct {
		Kind      string `json:"kind"`
		Message   string `json:"message"`
		Suspected bool   `json:"suspected"`
	}
	jsonMetric struct {
		Name    string       `json:"name"`
		Help    string       `json:"help"`
		Type    string       `json:"type"` // gauge or counter
		Samples []jsonSample `json:"samples"`
	}
	jsonSample struct {
		Labels map[string]string `json:"labels"`
		Value  float64           `json:"value"`
	}
	jsonPool struct {
		Name   string            `json:"name"`
		Status report.PoolStatus `json:"status"` // as the status of the NodePool would have it
	}
	jsonNode struct {
		Name       string             `json:"name"`
		Pool       string             `json:"pool"`
		InFlight   bool               `json:"inFlight"`
		Details    string             `json:"disruptionDetails"` // method:reason of one in flight
		Conditions []report.Condition `json:"conditions"`        // as the status of the NodeClaim would have them
	}
	jsonEvent struct {
		At      *time.Time       `json:"at"`
		Name    string           `json:"name"`
		Pool    string           `json:"pool"`
		Reason  candidate.Reason `json:"reason"` // "": of a budget, which the message names
		Message string           `json:"message"`
	}
)

func (o options) printJSON(w, _ io.Writer, p picture) error {
	return wire.Print(w, jsonReport{
		Version: "1", As: o.Policy.As.String(), Now: wire.Time(p.report.At),
		Missing: wire.Each(p.missing, func(m manifest.Missing) jsonMissing { return jsonMissing{m.Kind, m.Message, m.Suspected} }),
		Metrics: wire.Each(p.report.Metrics, newJSONMetric),
		Pools:   wire.Each(p.report.Pools, func(s report.PoolStatus) jsonPool { return jsonPool{s.Pool, s} }),
		Nodes: wire.Each(p.report.Nodes, func(n report.NodeStatus) jsonNode {
			return jsonNode{n.Node, n.Pool, n.InFlight, n.Details, append([]report.Condition{}, n.Conditions...)}
		}),
		Events: wire.Each(p.events, func(e event) jsonEvent { return jsonEvent{wire.Time(e.At), e.Name, e.Pool, e.Reason, e.Message} }),
	})
}

func newJSONMetric(m report.Metric) jsonMetric {
	j := jsonMetric{m.Name, m.Help, "gauge", wire.Each(m.Samples, func(s report.Sample) jsonSample {
		labels := map[string]string{}
		for _, l := range s.Labels {
			labels[l.Name] = valid(l.Value)
		}
		return jsonSample{labels, s.Value}
	})}
	if m.Counter {
		j.Type = "counter"
	}
	return j
}
