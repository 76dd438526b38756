package httpget

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"unicode"

	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// Validate returns all faults of a probe, joined. Each says what to write instead.
func (p Spec) Validate() error {
	if p.Broken != "" {
		return errors.New(p.Broken)
	}
	errs := []error{p.checkName(), p.checkMode(), p.checkScheme(), p.checkHost(), p.checkPort(), p.checkPath()}
	once := map[string]bool{}
	for i, h := range p.HTTPHeaders {
		err := h.check()
		if name := strings.ToLower(h.Name); name == "host" || name == "user-agent" {
			if once[name] {
				err = fmt.Errorf("a request has one %s, and this is another: delete it", h.Name)
			}
			once[name] = true
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("httpHeaders[%d]: %w", i, err))
		}
	}
	for _, field := range []struct {
		name        string
		value, most int
	}{
		{"timeoutSeconds", p.TimeoutSeconds, mostSeconds},
		{"periodSeconds", p.PeriodSeconds, mostSeconds},
		{"successThreshold", p.SuccessThreshold, mostAnswers},
		{"failureThreshold", p.FailureThreshold, mostAnswers},
		{"maxAgeSeconds", p.MaxAgeSeconds, 3 * mostSeconds},
	} {
		if field.value < 0 || field.value > field.most {
			errs = append(errs, fmt.Errorf("%s: %d is out of range: write 1 to %d, or leave it out for its default",
				field.name, field.value, field.most))
		}
	}
	if full := p.WithDefaults(); full.MaxAgeSeconds <= full.PeriodSeconds && p.MaxAgeSeconds > 0 {
		errs = append(errs, fmt.Errorf("maxAgeSeconds: %d is no more than the %d of periodSeconds, "+
			"and each answer would be too old before the next: write more, such as %d",
			p.MaxAgeSeconds, full.PeriodSeconds, 3*full.PeriodSeconds))
	}
	return errors.Join(errs...)
}

const (
	mostSeconds = 24 * 60 * 60 // a probe that runs less than once a day is not a signal
	mostAnswers = 1_000_000
)

func (p Spec) checkName() error {
	if strings.ContainsFunc(p.Name, unicode.IsControl) {
		return fmt.Errorf("name: %.100q has control characters: write it on one line", p.Name)
	}
	return nil
}

func (p Spec) checkMode() error {
	switch p.Mode {
	case "", StatusMode, BodyMode, ClusterMode:
		return nil
	}
	return fmt.Errorf("mode: %.100q is unknown: write %s, %s or %s",
		display.PublicAddress(string(p.Mode)), StatusMode, BodyMode, ClusterMode)
}

func (p Spec) checkScheme() error {
	switch p.WithDefaults().Scheme {
	case "http", "https":
		return nil
	}
	return fmt.Errorf("scheme: %.100q is unknown: write http or https", display.PublicAddress(p.Scheme))
}

func (p Spec) checkHost() error {
	host := p.WithDefaults().Host
	const alone = `write a name or an address alone, such as "health.monitoring.svc" or "10.0.0.7"`
	addr, err := netip.ParseAddr(host)
	switch {
	case err == nil && strings.HasPrefix(addr.Zone(), "25"):
		return fmt.Errorf("host: %.100q escapes its zone as a URL does: write fe80::1%%eth0", p.Host)
	case err == nil && !strings.ContainsFunc(addr.Zone(), notInHost) && (addr.Is6() || host == p.Host):
		return nil
	case host == "":
		return errors.New("host: it is missing, and there is no pod to take an address from: " + alone)
	case strings.Contains(host, "://"):
		return fmt.Errorf("host: %.100q is a URL: %s, and scheme, port and path as separate fields",
			display.PublicAddress(p.Host), alone)
	case strings.ContainsAny(host, ":"):
		return fmt.Errorf("host: %.100q is not an IPv6 address: %s, and the port as a separate field",
			display.PublicAddress(p.Host), alone)
	case len(host) > 253 || strings.ContainsFunc(host, notInHost) || strings.Contains("."+host, "..") || host != p.Host:
		return fmt.Errorf("host: %.100q is not a host: %s", display.PublicAddress(p.Host), alone)
	}
	return nil
}

func notInHost(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-._", r)
}

func (p Spec) checkPort() error {
	switch {
	case p.Port == 0:
		return errors.New("port: it is missing: write a number from 1 to 65535, such as 8080")
	case p.Port < 0 || p.Port > 65535:
		return fmt.Errorf("port: %d is not a port: write a number from 1 to 65535, such as 8080", p.Port)
	}
	return nil
}

func (p Spec) checkPath() error {
	path := p.WithDefaults().Path
	shown := display.PublicAddress(path)
	switch _, err := url.ParseRequestURI(path); {
	case path[0] != '/' && strings.Contains(shown, "://"):
		return fmt.Errorf("path: %.100q is a URL: write the path alone, such as /healthz, and scheme, "+
			"host and port as separate fields", shown)
	case path[0] != '/':
		return fmt.Errorf("path: %.100q does not begin with /: write one such as /healthz", shown)
	case strings.Contains(path, "#"):
		return fmt.Errorf("path: %.100q has a fragment, which no server sees: write %%23 for #, or leave it out", shown)
	case err != nil || !isQuery(path) || strings.ContainsRune(path, ' '):
		return fmt.Errorf("path: %.100q is not a path, or its query is not valid: "+
			"write one such as /healthz?pool=gpu, with spaces as %%20", shown)
	}
	return nil
}

// isQuery reports whether the query of a path can be sent as it is.
func isQuery(path string) bool {
	_, query, _ := strings.Cut(path, "?")
	_, err := url.QueryUnescape(query)
	return err == nil && !strings.ContainsFunc(query, func(r rune) bool { return r < '!' || r > '~' })
}

// check follows RFC 9110: a name is a token, a value has no control characters.
func (h Header) check() error {
	switch strings.ToLower(h.Name) {
	case "content-length", "transfer-encoding", "trailer":
		return fmt.Errorf("%s describes a body, and a GET has none: delete it", h.Name)
	}
	switch {
	case strings.EqualFold(h.Name, "Host") && strings.ContainsFunc(h.Value, func(r rune) bool {
		return notInHost(r) && !strings.ContainsRune("[]:", r)
	}):
		// unquoted: it may be secret
		return errors.New("the value of Host is not a host: write one such as health.example.com, or with a port")
	case h.Name == "" || strings.ContainsFunc(h.Name, notInToken):
		return fmt.Errorf("%.100q is not just the name of a header: write one such as X-Pool, and its value separately",
			wording.PublicName(h.Name))
	case strings.ContainsFunc(h.Value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		// unquoted: it may be secret
		return fmt.Errorf("the value of %s has control characters: write it on one line", h.Name)
	}
	return nil
}

// notInToken reports whether a rune is not allowed in a token.
func notInToken(r rune) bool {
	return r >= 0x7f || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}
