package manifest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
)

// An object is an object of the Kubernetes API, or something that claims to be one.
type object struct {
	origin
	namespace, name string
	where           string // its place in the input
	start           int    // where its text begins in that of its document
	root            value
	raw             json.RawMessage // of objects that are or may be NodePools, and of DisruptionPolicies
	faults          []candidate.Warning
}

// String returns kind/name or kind/namespace/name, or the place of an object without a name.
func (o *object) String() string {
	switch {
	case o.kind == "":
		return o.where
	case o.name == "":
		return o.kind + " at " + o.where
	case o.namespace != "":
		return o.kind + "/" + o.namespace + "/" + o.name
	}
	return o.kind + "/" + o.name
}

// isList reports whether the object is a list whose items could not be read.
func (o *object) isList() bool {
	return strings.HasSuffix(o.kind, "List") && !o.root.field("items").absent()
}

// isBare reports whether the object has no kind, and is read for its spec.disruption alone.
func (o *object) isBare() bool { return o.kind == "" }

// disruption returns spec.disruption of a NodePool.
func (o *object) disruption() value { return o.root.field("spec").field("disruption") }

// groupOf returns the API group: karpenter.sh for karpenter.sh/v1, and "" for v1, the core group.
func groupOf(apiVersion string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return group
}

// space returns the namespace of a namespaced object. Like the API server, it assumes "default" if none is written.
func (o *object) space() string { return cmp.Or(o.namespace, "default") }

// isFaulty reports whether a field could not be read.
func (o *object) isFaulty(path string) bool {
	return slices.ContainsFunc(o.faults, func(w candidate.Warning) bool { return w.Field == path })
}

// A list is a list of objects: of one kind, such as a NodeList, or of any kinds, a List.
type list struct {
	of    origin
	where string // its place in the input
	items json.RawMessage
	rest  string // the field of its metadata that says that the API server has cut it off; "": it is complete
}

// An origin is the version and the kind of objects. A list says it for its items, which need not repeat it; a List says nothing.
type origin struct{ apiVersion, kind string }

// A visitor visits the objects of a document.
type visitor interface {
	add(*object)
	readPod(d *jsontext.Decoder, where string) error // most objects are: who needs none decodes none
	addList(list)
}

// visit visits every object of a part of a document that starts there: of a List, of a list of one kind, of a JSON array, and of any nesting of
// these.
func visit(doc json.RawMessage, where string, start int, from origin, v visitor) {
	switch doc[0] {
	case '[':
		visitAll(doc, where, start, from, v)
		return
	case '{':
		if !bytes.Contains(doc, []byte("List")) { // like most objects
			break
		}
		if l, _, isList := asList(doc, where); isList && (bytes.HasPrefix(l.items, []byte("[")) || isNull(l.items)) {
			v.addList(l)
			at := jsonOffset(doc, []step{{itemsField, -1}})
			visitAll(l.items, where, start+at+max(0, bytes.IndexByte(doc[at:], '[')), l.of, v)
			return
		}
	}
	if isPod(doc) {
		_ = v.readPod(decoderOf(doc), where) // it was valid before
		return
	}
	o := newObject(decodeObject(doc), doc, where, from)
	if o.start = start; o.kind == "Pod" && o.isKnown() {
		_ = v.readPod(decoderOf(doc), where) // it was valid before
	} else {
		v.add(o)
	}
}

// isPod reports whether an object is a Pod as kubectl prints it: apiVersion first, then kind.
func isPod(doc []byte) bool {
	rest, found := bytes.CutPrefix(doc, []byte("{"))
	for _, token := range []string{`"apiVersion"`, ":", `"v1"`, ",", `"kind"`, ":", `"Pod"`} {
		if !found {
			return false
		}
		rest, found = bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(token))
	}
	return found
}

// asList returns an object as a list without decoding its items, and whether it has a kind, and is a list by that.
func asList(doc json.RawMessage, where string) (l list, hasKind, isList bool) {
	fields := partsOf(doc)
	var meta listMeta
	_ = json.Unmarshal(fields["metadata"], &meta) // it was valid before
	l = list{where: where, items: fields["items"], rest: meta.rest()}
	kind, isList := strings.CutSuffix(textOf(fields["kind"]), "List")
	if isList && kind != "" {
		l.of = origin{textOf(fields["apiversion"]), kind}
	}
	return l, fields["kind"] != nil, isList
}

// partsOf returns the values of the fields of a valid object, by their names in lower case, as encoding/json compares
// them. They are parts of the text: lists may be large.
func partsOf(doc json.RawMessage) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	d := decoderOf(doc)
	if start, _ := d.ReadToken(); start.Kind() != '{' {
		return fields
	}
	for name := range fieldsOf(d) {
		value, err := d.ReadValue()
		if err != nil {
			break
		}
		fields[strings.ToLower(name)] = json.RawMessage(value)
	}
	return fields
}

// A listMeta is what the metadata of a list says about the rest of it. An API server that cuts a list off always says
// continue, and remainingItemCount where it knows it. What was made of a list may have dropped either.
type listMeta struct {
	Continue           json.RawMessage `json:"continue"`
	RemainingItemCount json.RawMessage `json:"remainingItemCount"`
}

// rest returns the name of the field that says that there is more.
func (m listMeta) rest() string {
	for _, f := range []struct {
		name  string
		value json.RawMessage
	}{{"continue", m.Continue}, {"remainingItemCount", m.RemainingItemCount}} {
		switch string(f.value) {
		case "", "null", `""`, "0":
		default:
			return f.name
		}
	}
	return ""
}

func visitAll(array json.RawMessage, where string, start int, from origin, v visitor) {
	d := decoderOf(array)
	if start, _ := d.ReadToken(); start.Kind() != '[' {
		return
	}
	for i := 0; d.PeekKind() != ']'; i++ {
		item, err := d.ReadValue()
		if err != nil {
			return // it was valid before
		}
		visit(json.RawMessage(item), itemOf(where, i), start+int(d.InputOffset())-len(item), from, v)
	}
}

// itemOf returns the place of an item of a list.
func itemOf(list string, i int) string { return list + ", items[" + strconv.Itoa(i) + "]" }

// isKnown reports whether objects have a kind and group that are read. The group may be missing.
func (o origin) isKnown() bool {
	group, known := groups[o.kind]
	return known && (o.apiVersion == "" || groupOf(o.apiVersion) == group)
}

// textOf returns a JSON text, or "".
func textOf(raw json.RawMessage) (text string) {
	_ = json.Unmarshal(raw, &text)
	return text
}

// newObject reads what all objects have. Its list provides what an object does not say about itself.
func newObject(root any, doc json.RawMessage, where string, from origin) *object {
	o := &object{where: where}
	o.root.of, o.root.json = o, root
	if _, ok := o.root.json.(map[string]any); !ok {
		o.root.wrong("an object, with kind and metadata")
		return o
	}
	o.apiVersion = cmp.Or(o.root.field("apiVersion").text(), from.apiVersion)
	o.kind = cmp.Or(o.root.field("kind").text(), from.kind)
	if o.kind == "NodePool" || o.kind == disruptionpolicy.Kind || o.kind == "" {
		o.raw = bytes.Clone(doc) // the stream reuses doc
	}
	meta := o.root.field("metadata")
	name := meta.field("name")
	o.identify(meta.field("namespace").text(), name.text(), name)
	switch {
	case o.kind == "":
		o.root.field("kind").fault("the object has no kind: write a kind such as Node")
	case o.isList():
		o.root.field("items").wrong("a list")
	}
	return o
}

// again returns the object for one more reading, whose faults are its own.
func (o *object) again() *object {
	again := *o
	again.faults, again.root.of = slices.Clone(o.faults), &again
	return &again
}

// identify sets the name, which earlier faults did not know, and reports that there is none as a fault of a value.
func (o *object) identify(namespace, name string, v value) {
	o.namespace, o.name = namespace, name
	for i := range o.faults {
		o.faults[i].Object = o.String()
	}
	if name == "" && o.kind != "" && !o.isList() && !o.isFaulty("metadata") && !o.isFaulty("metadata.name") {
		v.fault("the object has no name: write its name in the cluster")
	}
}

// metadata is the metadata that objects of all kinds have.
type metadata struct {
	labels, annotations map[string]string
	deleting            bool // it has a deletion timestamp
	deleted             time.Time
}

// created returns when the object was created.
func (o *object) created() time.Time {
	return o.root.field("metadata").field("creationTimestamp").time()
}

func (o *object) metadata() metadata {
	meta := o.root.field("metadata")
	deleted := meta.field("deletionTimestamp")
	return metadata{
		labels:      meta.field("labels").texts(),
		annotations: meta.field("annotations").texts(),
		deleting:    !deleted.absent(),
		deleted:     deleted.time(),
	}
}
