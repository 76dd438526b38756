package httpget

import (
	"context"
	"crypto/x509"
	"net/http"
	"sync"
	"time"
)

// A Client performs GETs, each on its own connection, as the kubelet does for its probes. The zero Client is ready for
// use. A Client is safe for concurrent use, even for thousands of GETs at once. It must not be copied after the first
// GET.
type Client struct {
	// Roots are the certificate authorities to trust; nil means those of the system. It must not be changed after the
	// first GET.
	Roots *x509.CertPool

	once      sync.Once
	transport *http.Transport
	dialDNS   dialFunc // for tests
}

const maxHeader = 64 << 10 // bytes

// Get performs one GET of a probe, and returns the answer, with At set to now. If the probe is invalid, Get sends
// nothing and returns an error.
//
// An incomplete answer counts as no answer: Err is set, Status and Body are not. Status may be anything from 100 to
// 999, except 100, 102 and 103, which only precede an answer. In StatusMode, or if the Status blocks, Get drops the
// body, however long it is. Otherwise a body longer than 64 KiB is an error. So is a body without a length that ends
// only when the connection closes, since it might be cut short.
//
// Get sends all HTTPHeaders. A Host header sets the host of the request, as in a Kubernetes probe; Get still connects
// to the probe's Host, and the certificate must be for that. The default User-Agent is "disruptkit". Go's own resolver
// looks up names.
//
// If ctx is cancelled, Err wraps context.Canceled. If the deadline of ctx passes, or the probe times out, Err wraps
// context.DeadlineExceeded; ctx.Err tells the two apart. An answer that ctx ended says nothing about the probe, and
// need not be passed to [Observe].
func (c *Client) Get(ctx context.Context, p Spec, now time.Time) Response {
	if err := p.Validate(); err != nil {
		return Response{At: now, Err: broken(err)}
	}
	q := newQuestion(ctx, p)
	defer q.end()
	r, err := q.ask(c.open())
	if err != nil {
		r = Response{Err: q.failure(err)}
	}
	r.At = now
	return r
}

func (c *Client) open() *http.Transport {
	c.once.Do(func() {
		d := newDialer(c)
		c.transport = &http.Transport{ // no Proxy; HTTP/1.1 only, since it has its own dialer
			DialContext:            d.dial,
			DialTLSContext:         d.dialTLS,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeader,
			// On a connection that is kept open, a server may send data before the next request. net/http would log
			// it, with whatever it repeats of the last request, or take it for the next answer.
			DisableKeepAlives: true,
		}
	})
	return c.transport
}
