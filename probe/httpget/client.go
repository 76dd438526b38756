package httpget

import (
	"context"
	"crypto/x509"
	"net/http"
	"sync"
	"time"

	"github.com/disruptkit/disruptkit/probe"
)

// A Client performs GETs, each on a connection of its own, as the kubelet does for its probes. The zero Client is ready for use.
// It is safe for concurrent use, for thousands of GETs at once, and must not be copied after the first.
type Client struct {
	// Roots are the authorities that certificates have to be signed by; nil: those of the system. It must not be changed after
	// the first GET.
	Roots *x509.CertPool

	once      sync.Once
	transport *http.Transport
	dialDNS   dialFunc // for tests
}

const maxHeader = 64 << 10 // bytes

// Get asks a probe once, and returns the answer as of now. A probe that is broken is not asked; that is an error, too.
//
// An answer that is not complete is none: then Err is set, and Status and Body are not. A Status may be anything from 100 to
// 999 (100, 102 and 103 are not yet the answer). In StatusMode, and with a Status that blocks, there is no Body: what comes is
// dropped, however long it is. Otherwise one longer than probe.MaxBody is an error, and so is one that ends with its
// connection, without a length of its own: nobody could tell whether that is all of it.
//
// All of HTTPHeaders are sent, but for Host, which is the host to ask for, as in a Kubernetes probe: the connection, and the
// certificate, are those of the probe's Host. Where there is no User-Agent, it is "disruptkit". Names are looked up by Go's
// resolver.
//
// Where it is ctx that ends a GET, errors.Is finds context.Canceled in Err, or the caller's own deadline. That says nothing of
// the probe, and need not be observed.
func (c *Client) Get(ctx context.Context, p probe.Probe, now time.Time) probe.Response {
	if err := p.Validate(); err != nil {
		return probe.Response{At: now, Err: broken(err)}
	}
	q := newQuestion(ctx, p)
	defer q.end()
	r, err := q.ask(c.open())
	if err != nil {
		r = probe.Response{Err: q.failure(err)}
	}
	r.At = now
	return r
}

func (c *Client) open() *http.Transport {
	c.once.Do(func() {
		d := newDialer(c)
		c.transport = &http.Transport{ // no Proxy; and HTTP/1.1 alone, since it dials on its own
			DialContext:            d.dial,
			DialTLSContext:         d.dialTLS,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeader,
			// What a server says on a kept connection before it is asked again would be logged, with whatever it repeats of the
			// question before, or be taken for the next answer.
			DisableKeepAlives: true,
		}
	})
	return c.transport
}
