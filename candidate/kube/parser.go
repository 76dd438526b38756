package kube

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Parser reads the annotations and labels of pods, and parses each distinct set of them once. The zero Parser is
// ready for use. It is not safe for concurrent use. Its cache has at most 64 MiB, whatever the annotations; when it is
// full, it is cleared. What it has returned stays valid.
type Parser struct {
	// Dialect is how to read annotations. With dialect.Karpenter, only do-not-disrupt counts, and a Warning
	// (CodeNoEffect) names the others. Set it before the first use.
	Dialect dialect.Dialect

	seen   map[string]parsed // by the text of all relevant annotations
	labels map[string]labels // by the text of a namespace and all labels
	size   int               // of both, in bytes, estimated high
	most   int               // of size; 0: mostSeen
	keys   []string          // scratch
	text   []byte            // scratch
}

// labels are what pods of a namespace share.
type labels struct {
	namespace string
	labels    map[string]string
}

type parsed struct {
	terms    candidate.Terms
	warnings []candidate.Warning // without the pod
}

const (
	mostSeen    = 64 << 20 // bytes
	mostOfOne   = 8 << 20  // larger entries are not cached; Kubernetes allows 256 KiB of annotations
	mostScratch = 1 << 20

	sizeOfSeen     = 512 // of a nearly empty entry
	sizeOfWarning  = 160 // without its message
	sizeOfSchedule = 512 // without its expression
	sizeOfLabel    = 128 // without its text
	mostSchedules  = 50  // of a text; further ones are ignored
)

// Terms returns the requests of a pod's annotations, and a Warning for each invalid one, ready to be published as an
// event. An invalid schedule is ignored ("treated as always disruptable"), an invalid duration counts as 1h, and a
// do-not-disrupt that is neither "true" nor a positive duration is ignored. In each case Terms.Invalid is set. (Pod
// disruption schedule RFC, "Error Handling"; Karpenter: IsDoNotDisruptActive.)
func (p *Parser) Terms(
	namespace, pod string, annotations map[string]string,
) (candidate.Terms, []candidate.Warning) {
	for key := range annotations {
		if key == DoNotDisruptAnnotation || strings.HasPrefix(key, scheduleAnnotations) {
			p.keys = append(p.keys, key)
		}
	}
	if len(p.keys) == 0 {
		return candidate.Terms{}, nil
	}
	p.quoteAll(annotations)
	known, ok := p.seen[string(p.text)]
	if !ok {
		text := string(p.text)
		if p.Dialect != dialect.Karpenter {
			known = parse(p.keys, quoted(text))
		} else {
			known = parseKarpenter(p.keys, quoted(text))
		}
		if p.makeRoom(sizeOf(text, known)) {
			p.seen[text] = known
		}
	}
	p.forget()
	warnings := slices.Clone(known.warnings)
	if namespace != "" {
		pod = namespace + "/" + pod
	}
	for i := range warnings {
		warnings[i].Object = "Pod/" + pod
	}
	return known.terms, warnings
}

// Share makes a pod share its namespace and labels with earlier pods that have the same. This saves memory, and
// decisions are faster. Do not modify the shared labels. Share takes longer than it saves in one decision, so use it
// for pods that you keep from one decision to the next.
func (p *Parser) Share(pod *candidate.Pod) {
	if len(pod.Labels) == 0 {
		pod.Labels = nil
		return
	}
	for key := range pod.Labels {
		p.keys = append(p.keys, key)
	}
	p.quote(pod.Namespace)
	start := len(p.text)
	p.quoteAll(pod.Labels)
	known, ok := p.labels[string(p.text)]
	if !ok {
		text := string(p.text)
		known = labels{text[start-len(pod.Namespace) : start], quoted(text[start:])}
		if p.makeRoom(sizeOfSeen + sizeOfLabel*len(pod.Labels) + len(text)) {
			p.labels[text] = known
		}
	}
	p.forget()
	pod.Namespace, pod.Labels = known.namespace, known.labels
}

// quoteAll sorts the keys, and adds them and their values to the text.
func (p *Parser) quoteAll(values map[string]string) {
	slices.Sort(p.keys)
	for _, key := range p.keys {
		p.quote(key)
		p.quote(values[key])
	}
}

// quote adds a part to the text, so that different lists of parts have different texts.
func (p *Parser) quote(part string) {
	p.text = append(strconv.AppendInt(p.text, int64(len(part)), 10), ':')
	p.text = append(p.text, part...)
}

// quoted returns the keys and values in a text. They share its memory, and keep nothing else alive.
func quoted(text string) map[string]string {
	values := map[string]string{}
	part := func() (part string) {
		length, rest, _ := strings.Cut(text, ":")
		n, _ := strconv.Atoi(length)
		part, text = rest[:n], rest[n:]
		return part
	}
	for text != "" {
		key := part()
		values[key] = part()
	}
	return values
}

// forget clears the scratch, so that no strings are kept alive.
func (p *Parser) forget() {
	clear(p.keys)
	p.keys, p.text = p.keys[:0], p.text[:0]
	if cap(p.text) > mostScratch {
		p.keys, p.text = nil, nil
	}
}

// makeRoom adds a size to the cache's, and clears the cache if it is full. It reports false if the size is too large.
func (p *Parser) makeRoom(size int) bool {
	if size > mostOfOne {
		return false
	}
	if p.size += size; p.seen == nil || p.size > cmp.Or(p.most, mostSeen) {
		p.seen, p.labels, p.size = map[string]parsed{}, map[string]labels{}, size
	}
	return true
}

// sizeOf returns the size of a cache entry in bytes, estimated high.
func sizeOf(text string, known parsed) int {
	size := sizeOfSeen + 2*len(text) // twice, since expressions are copied
	for _, w := range known.warnings {
		size += sizeOfWarning + len(w.Message)
	}
	if known.terms.Window != (schedule.Window{}) {
		schedules := min(2*mostSchedules, 2+strings.Count(text, ";"))
		size += schedules * sizeOfSchedule
	}
	return size
}
