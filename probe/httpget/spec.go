package httpget

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe"
)

// A Mode is how to read the answers of a probe. The zero Mode is StatusMode.
type Mode string

// The modes are options 1, 2 and 3 of the RFC.
const (
	StatusMode  Mode = "status"  // a status of 200 to 202 allows nodes, whatever the body
	BodyMode    Mode = "body"    // the same, and the body denies reasons
	ClusterMode Mode = "cluster" // the same, and the body denies reasons to some or all pools
)

// A Spec is an entry of disruptionProbes, as people write it: a GET request whose answers decide whether the nodes of a
// pool or a cluster may be disrupted. Fields have the names of a Kubernetes readiness probe (HTTPGetAction). A zero
// field has its default. To read what people have written, with every fault, use annotation.ParseProbes of the module
// cmd.
type Spec struct {
	Name        string   `json:"name,omitempty"` // for messages; by default its address
	Mode        Mode     `json:"mode,omitempty"`
	Scheme      string   `json:"scheme,omitempty"` // http (the default) or https, in any case
	Host        string   `json:"host,omitempty"`   // a name or an IP address; required: there is no pod to default to
	Port        int      `json:"port,omitempty"`   // 1 to 65535; required
	Path        string   `json:"path,omitempty"`   // including the query, if any; by default /
	HTTPHeaders []Header `json:"httpHeaders,omitempty"`

	TimeoutSeconds int `json:"timeoutSeconds,omitempty"` // until the whole answer must have arrived; by default 1
	PeriodSeconds  int `json:"periodSeconds,omitempty"`  // how often to ask; by default 10

	// SuccessThreshold is the number of good answers in a row after which nodes are allowed, if the answers before were
	// bad or missing. It is also the number of good answers without a denial that lift the denial. By default 1.
	SuccessThreshold int `json:"successThreshold,omitempty"`
	// FailureThreshold is the number of bad answers in a row after which every node is blocked. By default 1 (RFC: any
	// other response blocks; a readiness probe has 3). A denial takes effect at once, whatever the threshold.
	FailureThreshold int `json:"failureThreshold,omitempty"`
	// MaxAgeSeconds is how long an answer counts. By default two periods and a timeout, so that a single answer may be
	// lost.
	MaxAgeSeconds int `json:"maxAgeSeconds,omitempty"`

	// Broken is the fault of the entry that the probe was read from, if any. Such a probe is invalid, and blocks every
	// node that it covers.
	Broken string `json:"-"`
}

// A Header is one header line of a request. If several have the same name, all are sent.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// WithDefaults returns the probe with all defaults filled in.
func (p Spec) WithDefaults() Spec {
	p.Mode = cmp.Or(p.Mode, StatusMode)
	p.Scheme = strings.ToLower(cmp.Or(p.Scheme, "http"))
	if inside, bracketed := strings.CutPrefix(p.Host, "["); bracketed && strings.HasSuffix(inside, "]") {
		p.Host = strings.TrimSuffix(inside, "]") // an IPv6 address, as in a URL
	}
	p.Path = cmp.Or(p.Path, "/")
	p.TimeoutSeconds = cmp.Or(p.TimeoutSeconds, 1)
	p.PeriodSeconds = cmp.Or(p.PeriodSeconds, 10)
	p.SuccessThreshold = cmp.Or(p.SuccessThreshold, 1)
	p.FailureThreshold = cmp.Or(p.FailureThreshold, 1)
	p.MaxAgeSeconds = cmp.Or(p.MaxAgeSeconds, 2*p.PeriodSeconds+p.TimeoutSeconds)
	return p
}

// String returns the name, or else the address: "http://myclusterhealth.svc.local:8080/healthz". It leaves out the
// query and anything that is not a valid address, since these may be secret.
func (p Spec) String() string {
	if p.Name != "" {
		return p.Name
	}
	if p.checkHost() != nil {
		return "a probe without a host"
	}
	if p.checkPath() != nil {
		p.Path = ""
	}
	u := p.URL()
	if p.checkScheme() != nil {
		u.Scheme = ""
	}
	u.RawQuery = ""
	return u.String()
}

// Probe returns what a verdict needs to know of the probe, with what is wrong with it, if anything.
func (p Spec) Probe() probe.Probe {
	of := probe.Probe{Name: p.String(), MaxAge: p.MaxAge(), Needed: p.WithDefaults().SuccessThreshold}
	if err := p.Validate(); err != nil {
		of.Fault = wording.Sentence(err)
	}
	return of
}

// Key identifies a probe: two probes have the same key if they are equal once defaults are filled in. Use it to keep
// observations by probe. Do not print it: unlike String, it contains header values.
func (p Spec) Key() string { return fmt.Sprintf("%#v", p.WithDefaults()) }

// URL returns the URL to GET.
func (p Spec) URL() *url.URL {
	p = p.WithDefaults()
	u, err := url.ParseRequestURI(p.Path)
	if err != nil {
		u = &url.URL{Path: p.Path}
	}
	if strings.Contains(p.Host, ":") { // an IPv6 address
		p.Host = "[" + p.Host + "]"
	}
	u.Scheme, u.Host = p.Scheme, p.Host+":"+strconv.Itoa(p.Port)
	return u
}

// Timeout is TimeoutSeconds, or its default.
func (p Spec) Timeout() time.Duration { return seconds(p.WithDefaults().TimeoutSeconds) }

// Period is PeriodSeconds, or its default.
func (p Spec) Period() time.Duration { return seconds(p.WithDefaults().PeriodSeconds) }

// MaxAge is MaxAgeSeconds, or its default.
func (p Spec) MaxAge() time.Duration { return seconds(p.WithDefaults().MaxAgeSeconds) }

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
