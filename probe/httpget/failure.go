package httpget

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// A failure is the reason why there is no answer. Its text has no secrets. The errors that it wraps may quote some, for
// example if a server repeats the header of the request.
type failure struct {
	text  string
	cause []error
}

func (f *failure) Error() string   { return f.text }
func (f *failure) Unwrap() []error { return f.cause }

// A fault is what is wrong with an answer, for people.
type fault string

func (f fault) Error() string { return string(f) }

// broken is the failure of an invalid probe.
func broken(err error) error {
	return &failure{"the probe is invalid: " + wording.Sentence(err), []error{err}}
}

// failure returns the failure of a question for an error.
func (q *question) failure(err error) error {
	when := phase(q.phase.Load())
	if timedOut, ok := asType[net.Error](err); ok && timedOut.Timeout() && q.late() {
		<-q.ctx.Done() // a socket has its own timer for the deadline, which may fire first
	}
	if q.ctx.Err() != nil {
		return &failure{q.interruption(when), []error{q.ctx.Err(), context.Cause(q.ctx), err}}
	}
	return &failure{q.name(err, when), []error{err}}
}

// interruption describes why a question was cancelled.
func (q *question) interruption(when phase) string {
	came := "nothing"
	if when >= inHeader {
		came = "not all"
	}
	switch {
	case context.Cause(q.ctx) == errTimeout:
		return fmt.Sprintf("timeout: %s came within %s, %v", came, wording.Duration(q.probe.Timeout()), when)
	case q.ctx.Err() == context.DeadlineExceeded:
		return fmt.Sprintf("timeout: %s came before the caller's deadline, %v", came, when)
	}
	return fmt.Sprintf("cancelled: the caller gave up, %v", when)
}

// name describes what failed.
func (q *question) name(err error, when phase) string {
	if f, ok := asType[fault](err); ok {
		return string(f)
	}
	if dns, ok := asType[*net.DNSError](err); ok {
		return nameDNS(dns, q.probe.Host)
	}
	if text := nameTLS(err, q.probe.Host); text != "" {
		return "TLS: " + text
	}
	if errno, ok := asType[syscall.Errno](err); ok {
		return nameErrno(errno, net.JoinHostPort(q.probe.Host, strconv.Itoa(q.probe.Port)), when)
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		strings.Contains(err.Error(), "server closed idle connection"):
		return fmt.Sprintf("closed early: the server hung up, %v", when)
	case when == handshaking:
		return "TLS: " + said(err)
	case when < handshaking:
		return fmt.Sprintf("failed: %s, %v", said(err), when)
	}
	return nameMalformed(err, when)
}

func nameDNS(err *net.DNSError, host string) string {
	switch {
	case err.IsNotFound:
		return "DNS: no such host: " + host
	case err.IsTimeout:
		return "DNS: no server answers, while looking up " + host
	}
	return fmt.Sprintf("DNS: %s, while looking up %s", printable(err.Err), host)
}

// nameTLS returns "" if TLS is not what failed.
func nameTLS(err error, host string) string {
	if invalid, ok := asType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		if c := invalid.Cert; time.Now().Before(c.NotBefore) {
			return "not yet valid: the certificate is valid from " + c.NotBefore.UTC().Format(time.RFC3339)
		}
		return "expired: the certificate was valid until " + invalid.Cert.NotAfter.UTC().Format(time.RFC3339)
	}
	if _, ok := asType[x509.HostnameError](err); ok {
		return "wrong name: the certificate is not for " + host
	}
	if _, ok := asType[x509.UnknownAuthorityError](err); ok {
		return "unknown authority: no trusted authority signed the certificate"
	}
	if invalid, ok := asType[*tls.CertificateVerificationError](err); ok {
		return "invalid certificate: " + said(invalid.Err)
	}
	if record, ok := asType[tls.RecordHeaderError](err); ok {
		if string(record.RecordHeader[:]) == "HTTP/" {
			return "the server speaks plain HTTP: write scheme http, or the port that speaks https"
		}
		return "the server does not speak TLS"
	}
	if alert, ok := asType[*net.OpError](err); ok && alert.Op == "remote error" {
		return "the server refuses: " + said(alert.Err)
	}
	return ""
}

func nameErrno(errno syscall.Errno, addr string, when phase) string {
	switch errno {
	case syscall.ECONNREFUSED:
		return "refused: nothing listens at " + addr
	case syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.EADDRNOTAVAIL:
		return fmt.Sprintf("unreachable: %v, %v", errno, when)
	case syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE:
		return fmt.Sprintf("closed early: the connection was reset, %v", when)
	}
	return fmt.Sprintf("failed: %v, %v", errno, when)
}

// nameMalformed describes what is wrong with an answer. net/http has that only in the text of an error, which quotes
// the answer.
func nameMalformed(err error, when phase) string {
	switch text := err.Error(); {
	case strings.Contains(text, "response headers exceeded"):
		return fmt.Sprintf("too large: the header is longer than %d bytes", maxHeader)
	case strings.Contains(text, `malformed HTTP response "\x15\x03`): // a TLS alert
		return "malformed answer: the server speaks TLS: write scheme https, or the port that speaks http"
	case strings.Contains(text, "malformed HTTP"), when == waiting: // data before the request is not an answer
		return "malformed answer: it is not HTTP"
	case when == inBody:
		return "malformed answer: its body is not chunked as its header says"
	}
	return "malformed answer: its header is not HTTP"
}

// said returns the text of an error without its package prefix.
func said(err error) string {
	text := err.Error()
	for _, who := range []string{"tls: ", "x509: "} {
		text = strings.TrimPrefix(text, who)
	}
	return printable(text)
}

// printable returns text from elsewhere on one line, shortened.
func printable(text string) string {
	return fmt.Sprintf("%.150s", strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text))
}

// asType is errors.AsType, which Go has from 1.26 on.
func asType[E error](err error) (found E, ok bool) {
	ok = errors.As(err, &found)
	return found, ok
}
