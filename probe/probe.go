package probe

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Mode says how the answers of a probe are read. The zero Mode is StatusMode.
type Mode string

// The modes are options 1, 2 and 3 of the RFC.
const (
	StatusMode  Mode = "status"  // 200 to 202 let nodes go, whatever the body
	BodyMode    Mode = "body"    // and the body denies reasons
	ClusterMode Mode = "cluster" // and the body denies reasons to pools
)

// A Probe is an entry of disruptionProbes: a GET whose answers let the nodes of a pool, or of a cluster, be disrupted.
// Fields are named as in a Kubernetes readiness probe (HTTPGetAction); a zero one has its default.
type Probe struct {
	Name        string   `json:"name,omitempty"` // for messages; by default its address
	Mode        Mode     `json:"mode,omitempty"`
	Scheme      string   `json:"scheme,omitempty"` // http, the default, or https, in any case
	Host        string   `json:"host,omitempty"`   // a name or an IP address; there is no default, since there is no pod
	Port        int      `json:"port,omitempty"`   // 1 to 65535; there is no default
	Path        string   `json:"path,omitempty"`   // with its query, if any; by default /
	HTTPHeaders []Header `json:"httpHeaders,omitempty"`

	TimeoutSeconds int `json:"timeoutSeconds,omitempty"` // within which the whole answer must be there; by default 1
	PeriodSeconds  int `json:"periodSeconds,omitempty"`  // how often to ask; by default 10

	// SuccessThreshold is how many good answers in a row it takes until nodes may go, after bad ones or none; and how many
	// without a denial until that is lifted. By default 1.
	SuccessThreshold int `json:"successThreshold,omitempty"`
	// FailureThreshold is how many bad answers in a row it takes until nothing may go. By default 1 (the RFC: any other
	// response blocks; that of a readiness probe is 3). A denial acts at once, whatever it is.
	FailureThreshold int `json:"failureThreshold,omitempty"`
	// MaxAgeSeconds is for how long an answer counts. By default two periods and a timeout, so that a single answer may be
	// lost.
	MaxAgeSeconds int `json:"maxAgeSeconds,omitempty"`

	// Broken says what is wrong with the entry that the probe was read from. Such a probe lets nothing go.
	Broken string `json:"-"`
}

// A Header is one line of a request's header. Of several with the same name, all are sent.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// WithDefaults returns the probe with all defaults filled in.
func (p Probe) WithDefaults() Probe {
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

// String returns the name, or the address: "http://myclusterhealth.svc.local:8080/healthz". A query is left out, since it
// may hold a secret; so may what is no address.
func (p Probe) String() string {
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
	u.RawQuery = ""
	return u.String()
}

// Key is the same for two probes that are equal, once defaults are filled in: for who keeps observations by probe. (String
// leaves things out. Key must not be shown: it has the values of headers.)
func (p Probe) Key() string { return fmt.Sprintf("%#v", p.WithDefaults()) }

// URL returns what to GET.
func (p Probe) URL() *url.URL {
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
func (p Probe) Timeout() time.Duration { return seconds(p.WithDefaults().TimeoutSeconds) }

// Period is PeriodSeconds, or its default.
func (p Probe) Period() time.Duration { return seconds(p.WithDefaults().PeriodSeconds) }

// MaxAge is MaxAgeSeconds, or its default.
func (p Probe) MaxAge() time.Duration { return seconds(p.WithDefaults().MaxAgeSeconds) }

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
