package httpget

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
)

// A dialer connects for questions. Unlike an http.Transport, which may go on connecting for ever, it stops with its
// question.
type dialer struct {
	dns dialFunc
	tls *tls.Config
}

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

func newDialer(c *Client) *dialer {
	d := &dialer{
		dns: c.dialDNS,
		tls: &tls.Config{RootCAs: c.Roots, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}},
	}
	if d.dns == nil {
		d.dns = new(net.Dialer).DialContext
	}
	return d
}

// dial connects for http.
func (d *dialer) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return writeFirst(d.connect(ctx, network, addr))
}

// dialTLS connects for https.
func (d *dialer) dialTLS(ctx context.Context, network, addr string) (net.Conn, error) {
	return writeFirst(d.secure(ctx, network, addr))
}

func (d *dialer) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	// C's resolver cannot be cancelled, and a shared one does not cancel lookups that others share.
	to := net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: giveUp(d.dns)}}
	return to.DialContext(questionOf(ctx).ctx, network, addr)
}

// giveUp closes a connection to a DNS server when its context is cancelled; the resolver itself does not.
func giveUp(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, server string) (net.Conn, error) {
		conn, err := dial(ctx, network, server)
		if err == nil {
			context.AfterFunc(ctx, func() {
				if ctx.Err() == context.Canceled { // on a deadline, the resolver itself tries the next server
					conn.Close()
				}
			})
		}
		return conn, err
	}
}

func (d *dialer) secure(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := d.connect(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	q := questionOf(ctx)
	q.reached(handshaking)
	config := d.tls.Clone()
	config.ServerName = serverName(addr)
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(q.ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secure, nil
}

// serverName returns the name that a certificate must have: the host, without the zone of an IPv6 address, which only
// this machine knows.
func serverName(addr string) string {
	host, _, _ := net.SplitHostPort(addr)
	host, _, _ = strings.Cut(host, "%")
	return host
}
