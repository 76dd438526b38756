package probe

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// What is told of probes ends up in logs and events. The query of a probe and the values of its headers may be secret, and an
// endpoint may repeat them: an error page has the address that was asked for.

// A quotation is an error that quotes an answer.
type quotation struct {
	says   string // with %s for what is quoted
	quoted string
}

func (q quotation) Error() string { return fmt.Sprintf(q.says, q.quoted) }

// asksInSecret reports whether a request has anything that may be secret.
func (p Probe) asksInSecret() bool { return strings.Contains(p.Path, "?") || len(p.HTTPHeaders) > 0 }

// told returns what is wrong with an answer. The answer is not quoted where it may repeat a secret: cut off, escaped or decoded,
// that would not be found in it.
func (p Probe) told(err error) string {
	if q, ok := errors.AsType[quotation](err); ok && p.asksInSecret() {
		q.quoted = "…"
		err = fmt.Errorf("%w (the answer is not quoted: it may repeat the query or the headers of the probe)", q)
	}
	return told(err)
}

// told returns an error on one line, not too long, and without the query of an address, which may be secret.
func told(err error) string {
	if asked, ok := errors.AsType[*url.Error](err); ok {
		err = asked.Err
	}
	line := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, err.Error())
	return fmt.Sprintf("%.300s", strings.Join(strings.Fields(line), " "))
}

// redact returns the text of an error of somebody else, who may quote anything, without the query of the probe and the values of
// its headers, nor parts of these.
func (p Probe) redact(text string) string {
	var secrets []string
	add := func(secret string) {
		if len(secret) > 3 { // what is shorter is in every other word
			secrets = append(secrets, secret)
		}
	}
	_, query, _ := strings.Cut(p.Path, "?")
	add(query)
	for part := range strings.SplitSeq(query, "&") {
		_, value, _ := strings.Cut(part, "=")
		add(value)
		if plain, err := url.QueryUnescape(value); err == nil {
			add(plain)
		}
	}
	for _, h := range p.HTTPHeaders {
		add(h.Value)
		for word := range strings.FieldsSeq(h.Value) {
			add(word)
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "…")
	}
	return text
}
