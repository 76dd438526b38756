package httpget

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/disruptkit/disruptkit/internal/display"
)

// Messages about probes end up in logs and events. The query of a probe and the values of its headers may be secret,
// and an endpoint may repeat them: an error page often shows the address of the request.

// A quotation is an error that quotes an answer.
type quotation struct {
	says   string // with %s for the quotation
	quoted string
}

func (q quotation) Error() string { return fmt.Sprintf(q.says, q.quoted) }

// mayHoldSecrets reports whether a request has anything that may be secret.
func mayHoldSecrets(p Spec) bool {
	return strings.Contains(p.Path, "?") || len(p.HTTPHeaders) > 0
}

// told returns what is wrong with an answer. It does not quote the answer if the request may hold secrets. Removing
// them would not be reliable: they may be cut, escaped or decoded.
func told(p Spec, err error) string {
	var q quotation
	if errors.As(err, &q) && mayHoldSecrets(p) {
		q.quoted = "…"
		err = fmt.Errorf("%w (the answer is not quoted: it may repeat the query or the headers of the probe)", q)
	}
	return oneLine(unaddressed(err).Error())
}

// unaddressed returns an error of http.Client without the address.
func unaddressed(err error) error {
	var asked *url.Error
	if errors.As(err, &asked) {
		return asked.Err
	}
	return err
}

// oneLine returns a text on one line, shortened, and with escapes for what cannot be seen.
func oneLine(text string) string {
	line := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	return fmt.Sprintf("%.300s", display.Visible(strings.Join(strings.Fields(line), " ")))
}

// redacted returns the text of another package's error, which may quote anything. It removes the query of the probe,
// the values of its headers, and parts of them. It does so before it shortens the text, since it would not find half a
// secret.
func redacted(p Spec, err error) string {
	text := unaddressed(err).Error()
	var secrets []string
	add := func(secret string) {
		if len(secret) > 3 { // shorter texts occur in ordinary words
			quoted := strconv.Quote(secret)
			secrets = append(secrets, secret, quoted[1:len(quoted)-1])
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
	return oneLine(text)
}
