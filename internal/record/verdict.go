package record

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

// A verdict is a probe.Verdict.
type verdict struct {
	Probe   string         `json:"probe"`
	Allowed bool           `json:"allowed"`
	Code    candidate.Code `json:"code,omitzero"`
	Cause   string         `json:"cause,omitzero"`
	Denied  []denial       `json:"denied,omitzero"`
	From    time.Time      `json:"from,omitzero"`
	StaleAt time.Time      `json:"staleAt,omitzero"`
}

func newVerdict(v probe.Verdict) verdict {
	return verdict{v.Probe, v.Allowed, v.Code, v.Cause, each(v.Denied, newDenial), v.From.UTC(), v.StaleAt.UTC()}
}

func (j verdict) verdict() probe.Verdict {
	return probe.Verdict{
		Probe: j.Probe, Allowed: j.Allowed, Code: j.Code, Cause: j.Cause, Denied: each(j.Denied, denial.denial),
		From: j.From, StaleAt: j.StaleAt,
	}
}

// A denial is a probe.Denial.
type denial struct {
	Reason candidate.Reason     `json:"reason,omitzero"`
	Pools  []probe.PoolSelector `json:"pools,omitzero"`
	Cause  string               `json:"cause,omitzero"`
	Until  time.Time            `json:"until,omitzero"`
	Absent int                  `json:"absent,omitzero"`
}

func newDenial(d probe.Denial) denial {
	return denial{d.Reason, d.Pools, d.Cause, d.Until.UTC(), d.Absent}
}

func (j denial) denial() probe.Denial { return probe.Denial(j) }

// A pause is a probe.Pause.
type pause struct {
	Pools   []probe.PoolSelector `json:"pools,omitzero"`
	Reasons []candidate.Reason   `json:"reasons,omitzero"`
	Key     string               `json:"topologyKey,omitzero"`
	Domains []string             `json:"domains,omitzero"`
	Inbound bool                 `json:"inbound,omitzero"`
	From    time.Time            `json:"from,omitzero"`
	Until   time.Time            `json:"until,omitzero"`
	By      string               `json:"by,omitzero"`
	Why     string               `json:"why,omitzero"`
}

func newPause(p probe.Pause) pause {
	p.From, p.Until = p.From.UTC(), p.Until.UTC()
	return pause(p)
}

func (j pause) pause() probe.Pause { return probe.Pause(j) }
