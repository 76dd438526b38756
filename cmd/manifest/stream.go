package manifest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A stream reads JSON documents. Each may be a large list, whose items are read one by one: the output of kubectl for a large cluster is
// hundreds of megabytes.
type stream struct {
	*jsontext.Decoder
	to   visitor
	from *bufio.Reader // of the Decoder
}

// read visits every object of all documents, and returns the number of documents.
func (s stream) read() (count int, err error) {
	for {
		var raw jsontext.Value
		switch s.PeekKind() {
		case '{':
			count++
			err = s.object(fmt.Sprintf("document %d", count))
		case 0:
			if _, err = s.ReadToken(); errors.Is(err, io.EOF) {
				return count, nil
			}
		default:
			if raw, err = s.ReadValue(); err == nil {
				doc := document{json: bytes.Clone(raw)}
				count, err = doc.visit(count, s.to)
			}
		}
		if err != nil {
			return count, s.broken(err)
		}
	}
}

// object reads an object: the items of a list one by one, anything else as a whole.
func (s stream) object(where string) error {
	if _, err := s.ReadToken(); err != nil {
		return err
	}
	rest := []byte("{") // all but the items of a list
	var pending []func(origin)
	listed := false
	for s.PeekKind() != '}' {
		name, err := s.ReadToken()
		if err != nil {
			return err
		}
		field := name.String()
		if field == "items" && s.PeekKind() == '[' && !listed {
			if l, hasKind, isList := asList(append(rest, '}'), where); isList || !hasKind {
				listed = true
				if pending, err = s.items(l, hasKind); err != nil {
					return err
				}
				continue
			}
		}
		value, err := s.ReadValue()
		if err != nil {
			return err
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		quoted, _ := json.Marshal(field)
		rest = append(append(append(rest, quoted...), ':'), value...)
	}
	if _, err := s.ReadToken(); err != nil {
		return err
	}
	rest = append(rest, '}')
	if !listed {
		visit(rest, where, 0, origin{}, s.to)
		return nil
	}
	l, _, isList := asList(rest, where)
	if !isList {
		return fmt.Errorf("%s has items, but its kind is not a list: write kind: List", where)
	}
	l.items = json.RawMessage("[]") // they are visited
	s.to.addList(l)
	for _, visit := range pending {
		visit(l.of)
	}
	return nil
}

// items visits the items of a list. It returns as pending the visits of those without a kind while the list's own kind is
// not known yet.
func (s stream) items(l list, hasKind bool) (pending []func(origin), err error) {
	if _, err := s.ReadToken(); err != nil {
		return nil, err
	}
	for i := 0; s.PeekKind() != ']'; i++ {
		where := itemOf(l.where, i)
		if isPod(bytes.TrimLeft(s.UnreadBuffer(), ", \t\r\n")) { // nearly all are: read at once, if the buffer shows that
			if err := s.to.readPod(s.Decoder, where); err != nil {
				return nil, err
			}
			continue
		}
		item, err := s.ReadValue()
		if err != nil {
			return nil, err
		}
		if !hasKind && item.Kind() == '{' && !saysKind(item) {
			kept := json.RawMessage(bytes.Clone(item))
			pending = append(pending, func(from origin) { visit(kept, where, 0, from, s.to) })
			continue
		}
		visit(json.RawMessage(item), where, 0, l.of, s.to)
	}
	_, err = s.ReadToken()
	return pending, err
}

// saysKind reports whether an object has a kind.
func saysKind(item []byte) bool {
	d := decoderOf(item)
	_, _ = d.ReadToken()
	for name := range fieldsOf(d) {
		if name == "kind" {
			return true
		}
		if skip(d) != nil {
			break
		}
	}
	return false
}

// broken describes an error of the decoder.
func (s stream) broken(err error) error {
	var syntax *jsontext.SyntacticError
	next, _ := s.from.Peek(mostStart)
	switch rest := bytes.TrimLeft(slices.Concat(s.UnreadBuffer(), next), " ,\t\r\n"); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errCutOff
	case errors.As(err, &syntax) && byKubectl.Match(rest):
		return saidByKubectl(fmt.Sprintf("the text near byte %d", syntax.ByteOffset+1), byKubectl.Find(rest))
	case errors.As(err, &syntax):
		return fmt.Errorf("not valid JSON near byte %d: %w", syntax.ByteOffset+1, syntax.Err)
	}
	return err
}

// ReadAll reads objects once, as several policies do; see [Policy.Read].
func ReadAll(in io.Reader, policies ...Policy) ([]*Cluster, error) {
	r := newReader(policies...)
	count, err := readInto(r, in)
	if err == nil {
		err = r.cut.err()
	}
	switch {
	case err != nil:
		return nil, err
	case count == 0:
		return nil, ErrEmpty
	case len(r.handedIn) > 0 || policies[0].Whole:
	case len(r.unknown) > 0:
		return nil, fmt.Errorf("the input has nothing that decisions depend on: %s", strings.TrimPrefix(r.unknownKinds(), skipped))
	case len(r.faults) > 0:
		return nil, fmt.Errorf("the input has no Kubernetes object: %w", r.faults[0])
	default:
		return nil, errors.New("the input is an empty List, which kubectl also prints where it may list nothing: did it fail?")
	}
	var clusters []*Cluster
	for _, p := range policies {
		clusters = append(clusters, r.cluster(p))
	}
	return clusters, nil
}

// readInto visits every object of an input. It streams JSON, and reads YAML whole.
func readInto(to visitor, in io.Reader) (count int, err error) {
	from := bufio.NewReaderSize(in, 1<<20)
	if head, _ := from.Peek(mostStart); isJSON(head) {
		return stream{jsontext.NewDecoder(from, lenient...), to, from}.read()
	}
	return readWhole(from, to)
}

// readWhole reads an input into memory, and visits every object.
func readWhole(in io.Reader, to visitor) (count int, err error) {
	text, err := readSource(in)
	if err != nil {
		return 0, err
	}
	for doc, broken := range documents(text) {
		if broken != nil {
			return 0, broken.error
		}
		if count, err = doc.visit(count, to); err != nil {
			return 0, err
		}
	}
	return count, nil
}
