package story_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// A scenarioProbe is a probe, what its endpoint answers, and what the autoscaler has observed of it.
type scenarioProbe struct {
	httpget.Spec
	pool   string            // whose it is; "" is the whole cluster
	answer *httpget.Response // nil: none yet, and nobody asks
	next   time.Time         // when to ask
	idle   bool              // nobody asks
	ahead  time.Duration     // of the clock of whoever asks
	seen   probe.Observation
}

// setProbe defines a probe of a pool, or says what is the matter with one.
func (s *scenario) setProbe(argument string) (string, error) {
	head, entry, _ := strings.Cut(strings.TrimSpace(argument), "\n")
	name, what, _ := strings.Cut(head, " ")
	if entry != "" && !strings.HasPrefix(what, "answers ") {
		pool, _ := strings.CutPrefix(what, "of ")
		if pool = cmp.Or(pool, s.pool.Name); !slices.Contains(s.poolNames(), pool) {
			return "", fmt.Errorf("there is no pool %q", pool)
		}
		return s.addProbe(pool, name, entry)
	}
	i := slices.IndexFunc(s.probes, func(p *scenarioProbe) bool { return p.Name == name })
	if i < 0 {
		return "", fmt.Errorf("there is no probe %q: write probe %[1]s, and its entry of disruptionProbes on the next line, as JSON", name)
	}
	s.probes[i].askBefore(s.now)
	return "", s.probes[i].happens(what, entry, s.now)
}

// happens changes what the endpoint answers from now on, or who asks it.
func (p *scenarioProbe) happens(what, body string, now time.Time) error {
	verb, rest, _ := strings.Cut(what, " ")
	why, silent := strings.CutPrefix(what, "does not answer: ")
	by, ahead := strings.CutPrefix(what, "is asked by a clock ahead by ")
	switch {
	case verb == "answers":
		return p.answers(strings.TrimSpace(rest+"\n"+body), now)
	case silent:
		return p.set(httpget.Response{Err: errors.New(why)}, now)
	case what == "is not asked":
		p.idle = true
		return nil
	case what == "is asked again":
		p.idle, p.ahead, p.next = false, 0, now
		return nil
	case ahead:
		d, err := time.ParseDuration(by)
		p.idle, p.ahead, p.next = false, d, now
		return err
	}
	return fmt.Errorf("%q of probe %s is not understood: write answers 200, does not answer: timeout, is not asked, "+
		"is asked again or is asked by a clock ahead by 5m", what, p.Name)
}

// setClusterProbe defines a probe of the whole cluster.
func (s *scenario) setClusterProbe(argument string) (string, error) {
	name, entry, _ := strings.Cut(strings.TrimSpace(argument), "\n")
	return s.addProbe(wholeCluster, name, entry)
}

// wholeCluster stands where the name of a pool would.
const wholeCluster = ""

// addProbe reads an entry of disruptionProbes, and describes what is wrong with it. One of the same name is replaced.
func (s *scenario) addProbe(pool, name, entry string) (string, error) {
	var p httpget.Spec
	err := readEntry(entry, &p)
	if name == "" || strings.Contains(name, " ") || !json.Valid([]byte(entry)) {
		return "", fmt.Errorf("%q is not a probe: write its name, and its entry of disruptionProbes on the next line, as JSON", name)
	}
	if err == nil {
		err = p.Validate()
	}
	told := ""
	if err != nil {
		p.Broken = wording.Sentence(err)
		told = scenarioWrapped("! disruptionProbes[0]: " + p.Broken)
	}
	p.Name = name
	s.probes = slices.DeleteFunc(s.probes, func(p *scenarioProbe) bool { return p.Name == name })
	s.probes = append(s.probes, &scenarioProbe{Spec: p, pool: pool})
	return told, nil
}

// readEntry reads an entry of disruptionProbes: each field at most once, and none but those of a probe.
func readEntry(entry string, p *httpget.Spec) error {
	known := []string{"name", "mode", "scheme", "host", "port", "path", "httpHeaders", "timeoutSeconds", "periodSeconds",
		"successThreshold", "failureThreshold", "maxAgeSeconds"}
	err := jsonobject.Fields([]byte(entry), func(name string, _ json.RawMessage) error {
		if !slices.Contains(known, name) {
			return jsonobject.Unknown(name, known...)
		}
		return nil
	})
	return cmp.Or(err, json.Unmarshal([]byte(entry), p))
}

// answers sets what the endpoint answers from now on: a status, and perhaps a body.
func (p *scenarioProbe) answers(text string, now time.Time) error {
	status, body := text, ""
	if i := strings.IndexAny(text, " \n"); i >= 0 {
		status, body = text[:i], strings.TrimSpace(text[i:])
	}
	code, err := strconv.Atoi(status)
	if err != nil {
		return fmt.Errorf("%q is no status: write answers 200, and then the body, if there is one", status)
	}
	return p.set(httpget.Response{Status: code, Body: []byte(body)}, now)
}

// set begins to ask, if this is the first answer.
func (p *scenarioProbe) set(r httpget.Response, now time.Time) error {
	switch {
	case p.answer == nil:
		p.next = now
	case p.seen.At.Equal(now):
		return fmt.Errorf("probe %s has already been asked now: advance the clock", p.Name)
	}
	p.answer = &r
	return nil
}

// askBefore asks once for each period that has begun before a time, as an autoscaler does in the background.
func (p *scenarioProbe) askBefore(t time.Time) {
	for ; p.asked() && p.next.Before(t); p.next = p.next.Add(p.Period()) {
		r := *p.answer
		r.At = p.next.Add(p.ahead)
		p.seen = httpget.Observe(p.Spec, p.seen, r)
	}
}

// asked reports whether anybody asks. What is broken cannot be asked.
func (p *scenarioProbe) asked() bool { return p.answer != nil && !p.idle && p.Broken == "" }

// verdicts returns what probes and breakers say now, of the whole cluster or of a pool.
func (s *scenario) verdicts(pool string) []probe.Verdict {
	var verdicts []probe.Verdict
	for _, p := range s.probes {
		if p.pool != pool {
			continue
		}
		p.askBefore(s.now.Add(1)) // now as well
		verdicts = append(verdicts, probe.ProbeVerdict(p.Probe(), p.seen, s.now))
	}
	return append(append(verdicts, s.breakers.verdicts(pool, s.now)...), s.repairVerdicts(pool)...)
}
