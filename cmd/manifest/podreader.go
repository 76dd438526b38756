package manifest

import (
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A podReader reads Pods, which are nearly all of a cluster, in one pass into the fields that are needed. Whatever is not as
// usual, it reads as a [value], which reports the fault.
type podReader struct {
	options jsonv2.Options
	pod     kubePod // that is read
	object  *object // likewise
	depth   int     // of its place in the input
}

func newPodReader() *podReader {
	r := &podReader{}
	r.options = jsonv2.WithUnmarshalers(jsonv2.JoinUnmarshalers(
		expect[string](r, '"'), jsonv2.UnmarshalFromFunc(r.texts),
		scalar(r, func(raw string) (time.Time, error) { return time.Parse(`"`+time.RFC3339+`"`, raw) }, value.time),
		scalar(r, func(raw string) (int64, error) { return strconv.ParseInt(raw, 10, 64) }, value.integer),
		expect[podMetadata](r, '{'), expect[podSpec](r, '{'), expect[podStatus](r, '{'),
		expect[[]owner](r, '['), expect[[]toleration](r, '['), expect[[]podCondition](r, '['),
		expect[owner](r, '{'), expect[toleration](r, '{'), expect[podCondition](r, '{'),
		jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, _ *unneeded) error { return skip(d) }),
	))
	return r
}

// read reads the next value, a Pod. Its fields last until the next one is read.
func (r *podReader) read(d *jsontext.Decoder, where string) (*object, *kubePod, error) {
	o := &object{origin: origin{"v1", "Pod"}, where: where}
	r.pod, r.object, r.depth = kubePod{}, o, d.StackDepth()
	if err := jsonv2.UnmarshalDecode(d, &r.pod, r.options); err != nil {
		return nil, nil, err
	}
	o.identify(r.pod.Metadata.Namespace, r.pod.Metadata.Name, value{o, "metadata.name", nil})
	return o, &r.pod, nil
}

// expect reads a type as usual, if its JSON is of a kind.
func expect[T any](r *podReader, kind jsontext.Kind) *jsonv2.Unmarshalers {
	return jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, _ *T) error {
		if d.PeekKind() == kind {
			return jsonv2.SkipFunc
		}
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		switch v := r.value(d, raw); kind {
		case '"':
			v.text()
		case '[':
			v.each()
		case '{':
			v.fields()
		}
		return nil
	})
}

// scalar reads what can be parsed at once, or else as a value.
func scalar[T any](r *podReader, parse func(string) (T, error), read func(value) T) *jsonv2.Unmarshalers {
	return jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, to *T) error {
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		if *to, err = parse(string(raw)); err != nil {
			*to = read(r.value(d, raw))
		}
		return nil
	})
}

// texts reads a map of strings, as [value.texts] does.
func (r *podReader) texts(d *jsontext.Decoder, to *map[string]string) error {
	if d.PeekKind() != '{' {
		raw, err := d.ReadValue()
		if err == nil {
			r.value(d, raw).fields()
		}
		return err
	}
	_, _ = d.ReadToken()
	*to = map[string]string{}
	for name := range fieldsOf(d) {
		if d.PeekKind() == '"' {
			token, err := d.ReadToken()
			if err != nil {
				return err
			}
			(*to)[name] = token.String()
			continue
		}
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		entry := r.value(d, raw)
		if of, found := strings.CutSuffix(entry.path, "."+name); found {
			entry.path = of + "[" + name + "]"
		}
		if entry.text(); entry.absent() {
			(*to)[name] = ""
		}
	}
	_, err := d.ReadToken()
	return err
}

// value returns the value that was read last.
func (r *podReader) value(d *jsontext.Decoder, raw jsontext.Value) value {
	path, depth := "", 0
	for token := range d.StackPointer().Tokens() {
		if depth++; depth <= r.depth {
			continue
		}
		if _, err := strconv.Atoi(token); err == nil {
			path += "[" + token + "]"
		} else {
			path += "." + token
		}
	}
	return value{r.object, strings.TrimPrefix(path, "."), decodeObject(raw)}
}
