package httpget_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/probe/httpget"
)

// TestCertificatesAreVerified has servers whose certificates are good, and ones that are wrong in one way.
func TestCertificatesAreVerified(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	const unknown = "TLS: unknown authority: no trusted authority signed the certificate"
	for _, c := range []struct {
		name   string
		config *tls.Config
		roots  *x509.CertPool
		host   string
		want   string // the beginning of the error
	}{
		{name: "one of an authority that is trusted", config: ours.certificate(t, nil), roots: ours.pool(), host: "127.0.0.1"},
		{name: "one for a name", config: ours.certificate(t, nil), roots: ours.pool(), host: "localhost"},
		{name: "one of an authority that the system does not trust", config: ours.certificate(t, nil), host: "127.0.0.1", want: unknown},
		{name: "one of another authority of the same name", config: theirs.certificate(t, nil), roots: ours.pool(), host: "127.0.0.1", want: unknown},
		{
			name: "one that has expired", roots: ours.pool(), host: "127.0.0.1",
			config: ours.certificate(t, func(c *x509.Certificate) { c.NotBefore, c.NotAfter = time.Unix(1e9, 0), time.Unix(1.5e9, 0) }),
			want:   "TLS: expired: the certificate was valid until 2017-07-14T02:40:00Z",
		},
		{
			name: "one that is not yet valid", roots: ours.pool(), host: "127.0.0.1",
			config: ours.certificate(t, func(c *x509.Certificate) { c.NotBefore, c.NotAfter = time.Unix(8e9, 0), time.Unix(9e9, 0) }),
			want:   "TLS: not yet valid: the certificate is valid from 2223-07-06T14:13:20Z",
		},
		{
			name: "one for another name", roots: ours.pool(), host: "localhost",
			config: ours.certificate(t, func(c *x509.Certificate) { c.DNSNames = []string{"example.org"} }),
			want:   "TLS: wrong name: the certificate is not for localhost",
		},
		{
			name: "one for clients", roots: ours.pool(), host: "127.0.0.1",
			config: ours.certificate(t, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }),
			want:   "TLS: invalid certificate: certificate specifies an incompatible key usage",
		},
		{
			name: "a version of TLS that is too old", roots: ours.pool(), host: "127.0.0.1",
			config: with(ours.certificate(t, nil), func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }),
			want:   "TLS: the server refuses: protocol version not supported",
		},
		{
			name: "a server that wants a certificate of the client", roots: ours.pool(), host: "127.0.0.1",
			config: with(ours.certificate(t, nil), func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert }),
			want:   "TLS: the server refuses: certificate required",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			asked, hungUp := false, make(chan struct{})
			address := ""
			if c.want == "" {
				address = serveTLS(t, c.config, func(w http.ResponseWriter, r *http.Request) { asked = true }).URL
			} else {
				address = serveRaw(t, "https", func(conn connection) {
					secure := tls.Server(conn.Conn, c.config)
					if secure.Handshake() == nil { // as seen by the server
						secure.Read(make([]byte, 9999))
						secure.CloseWrite()
					}
					io.Copy(io.Discard, conn)
					close(hungUp)
				})
			}
			p := probeFor(t, address)
			p.Host = c.host
			client := &httpget.Client{Roots: c.roots}
			if c.want == "" {
				if r := client.Get(t.Context(), p, noon); r.Err != nil || r.Status != 200 || !asked {
					t.Errorf("%+v", r)
				}
				return
			}
			err := ask(t, client, p)
			if !strings.HasPrefix(err.Error(), c.want) || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%q, want %q", err, c.want)
			}
			<-hungUp // rather than keep a connection that is of no use
		})
	}
}

func with(c *tls.Config, change func(*tls.Config)) *tls.Config {
	change(c)
	return c
}

// TestTheHostHeaderDoesNotChangeWhatACertificateIsFor since it says what to ask for, not whom.
func TestTheHostHeaderDoesNotChangeWhatACertificateIsFor(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	names := make(chan string, 2)
	config := a.certificate(t, nil)
	config.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		names <- hello.ServerName + " " + strings.Join(hello.SupportedProtos, " ")
		return nil, nil
	}
	server := serveTLS(t, config, func(w http.ResponseWriter, r *http.Request) { names <- r.Host })
	p := probeFor(t, server.URL)
	p.Host = "localhost"
	p.HTTPHeaders = []httpget.Header{{Name: "host", Value: "health.example"}}
	client := &httpget.Client{Roots: a.pool()}
	r := client.Get(t.Context(), p, noon)
	if sni, host := <-names, <-names; r.Err != nil || sni != "localhost http/1.1" || host != "health.example" {
		t.Errorf("%+v: %q was greeted, and %q asked for", r, sni, host)
	}
}
