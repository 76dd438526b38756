package httpget_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/probe/httpget"
)

// noon is when the tests ask. No test compares it with the clock.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// probeFor returns a probe of a server, with a timeout that no test reaches.
func probeFor(t testing.TB, address string) httpget.Spec {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	return httpget.Spec{Scheme: u.Scheme, Host: u.Hostname(), Port: port, Path: u.RequestURI(), TimeoutSeconds: 60}
}

// serve starts a server of net/http, which logs nothing.
func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// serveTLS starts one with a certificate.
func serveTLS(t testing.TB, config *tls.Config, h http.HandlerFunc) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = config
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// A connection is what a server of a test's own talks over.
type connection struct {
	net.Conn
	ended chan struct{} // when the test is over
}

// secured returns the connection as it is used, which for https is by TLS.
func (c connection) secured(scheme string, config *tls.Config) connection {
	if scheme == "https" {
		c.Conn = tls.Server(c.Conn, config)
	}
	return c
}

// hang does nothing until the test is over.
func (c connection) hang() { <-c.ended }

// request reads a request, and returns it unchanged.
func (c connection) request() string {
	var text strings.Builder
	http.ReadRequest(bufio.NewReader(io.TeeReader(c, &text)))
	return text.String()
}

// say reports whether somebody may hear it.
func (c connection) say(text string) bool {
	_, err := io.WriteString(c, text)
	return err == nil
}

// trickle sends a text again and again, slowly.
func (c connection) trickle(text string) {
	for c.say(text) {
		select {
		case <-c.ended:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// reset closes a connection without a word.
func (c connection) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	c.Close()
}

// serveRaw starts a server that does with each connection what a test wants, and closes it then. It returns its address.
func serveRaw(t testing.TB, scheme string, do func(connection)) string {
	listener := listen(t)
	ended := make(chan struct{})
	var running sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
			running.Go(func() {
				defer conn.Close()
				do(connection{conn, ended})
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		close(ended)
		mu.Lock()
		for _, conn := range conns {
			conn.Close()
		}
		mu.Unlock()
		running.Wait()
	})
	return scheme + "://" + listener.Addr().String()
}

func listen(t testing.TB) net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener
}

// serveDNS starts a DNS server that answers each query with its own bytes, changed by a function; nil: not at all. It returns
// how to dial it.
func serveDNS(t testing.TB, answer func(query []byte) []byte) func(context.Context, string, string) (net.Conn, error) {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			query := make([]byte, 1500)
			n, from, err := server.ReadFrom(query)
			if err != nil {
				return
			}
			if answer != nil {
				server.WriteTo(answer(query[:n]), from)
			}
		}
	})
	t.Cleanup(func() {
		server.Close()
		running.Wait()
	})
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}
}

// loopbackFor answers every query for an address of IPv4 with 127.0.0.1, and others with nothing.
func loopbackFor(query []byte) []byte {
	end := 12 + bytes.IndexByte(query[12:], 0) + 5 // of the question: a name, a type and a class
	answer := append([]byte{}, query[:end]...)
	copy(answer[2:12], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0})
	if query[end-3] != 1 {
		return answer
	}
	answer[7] = 1
	return append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1)
}

// An authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) authority {
	a := authority{key: newKey(t)}
	a.cert = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-365 * 24 * time.Hour), NotAfter: time.Now().Add(365 * 24 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	a.cert = a.sign(t, a.cert, a.key)
	return a
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a authority) sign(t testing.TB, cert *x509.Certificate, key *ecdsa.PrivateKey) *x509.Certificate {
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// pool returns the roots to trust.
func (a authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// certificate returns the configuration of a server on loopback, with its certificate changed.
func (a authority) certificate(t testing.TB, change func(*x509.Certificate)) *tls.Config {
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "health"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if change != nil {
		change(cert)
	}
	key := newKey(t)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{a.sign(t, cert, key).Raw}, PrivateKey: key}}}
}
