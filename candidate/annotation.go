package candidate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// The annotations with which a pod says when it may be disrupted.
const (
	// DoNotDisruptAnnotation is "true" on a pod that must never be disrupted, or a duration after the pod's start
	// during which it must not be. It overrides every schedule.
	DoNotDisruptAnnotation = "karpenter.sh/do-not-disrupt"

	// DisruptionScheduleAnnotation is when the pod may be disrupted: up to 50 cron expressions, separated by
	// semicolons. Further ones are ignored.
	DisruptionScheduleAnnotation = "karpenter.sh/disruption-schedule"
	// DisruptionScheduleDurationAnnotation is how long the window stays open after each hit of the schedule: from 1m to
	// 168h, one for all expressions or one for each. If absent, it is 1h.
	DisruptionScheduleDurationAnnotation = "karpenter.sh/disruption-schedule-duration"
	// DisruptionBlockScheduleAnnotation is when the pod may not be disrupted.
	DisruptionBlockScheduleAnnotation = "karpenter.sh/disruption-block-schedule"
	// DisruptionBlockDurationAnnotation is how long the pod stays blocked after each hit of the block schedule.
	DisruptionBlockDurationAnnotation = "karpenter.sh/disruption-block-duration"
	// DisruptionScheduleTimeZoneAnnotation is the tz database name of the time zone of both schedules. If absent, it is
	// UTC. Without a schedule it is invalid, and so is a duration.
	DisruptionScheduleTimeZoneAnnotation = "karpenter.sh/disruption-schedule-timezone"

	scheduleAnnotations = "karpenter.sh/disruption-"
)

// A Parser reads the annotations and labels of pods, and parses each distinct set of them once. The zero Parser is
// ready for use. It is not safe for concurrent use. Its cache takes at most 64 MiB, whatever the pods say; when it is
// full, it is cleared. Terms and LabelSets that it has returned stay valid.
type Parser struct {
	// Dialect says how to read annotations. With dialect.Karpenter, only do-not-disrupt counts, and a Warning
	// (CodeNoEffect) names the others. Set it before the first use.
	Dialect dialect.Dialect

	seen map[string]parsed    // by the text of all relevant annotations
	sets map[string]*labelSet // by the text of all labels
	size int                  // of both, in bytes, estimated high
	keys []string             // scratch
	text []byte               // scratch
}

type parsed struct {
	terms    Terms
	warnings []Warning // without the pod
}

const (
	mostSeen    = 64 << 20 // bytes
	mostOfOne   = 8 << 20  // larger entries are not cached; Kubernetes allows 256 KiB of annotations
	mostScratch = 1 << 20

	sizeOfSeen     = 512 // of a nearly empty entry
	sizeOfWarning  = 160 // without its message
	sizeOfSchedule = 512 // without its expression
)

// Terms returns the requests of a pod's annotations, and a Warning for each invalid one, ready to be published as an
// event. An invalid schedule is ignored ("treated as always disruptable"), an invalid duration counts as 1h, and a
// do-not-disrupt that is neither "true" nor a positive duration is ignored. In each case Terms.Invalid is set. (Pod
// disruption schedule RFC, "Error Handling"; Karpenter: IsDoNotDisruptActive.)
func (p *Parser) Terms(namespace, pod string, annotations map[string]string) (Terms, []Warning) {
	p.note(annotations)
	if len(p.keys) == 0 {
		return Terms{}, nil
	}
	known, ok := p.seen[string(p.text)]
	if !ok {
		text := string(p.text)
		known = p.parse(p.keys, quoted(text))
		p.remember(text, known)
	}
	p.forget()
	warnings := slices.Clone(known.warnings)
	for i := range warnings {
		warnings[i].Object = "Pod/" + path(namespace, pod)
	}
	return known.terms, warnings
}

// note collects the annotations that say when a pod may be disrupted: their sorted keys, and a text that identifies
// keys and values.
func (p *Parser) note(annotations map[string]string) {
	for key := range annotations {
		if key == DoNotDisruptAnnotation || strings.HasPrefix(key, scheduleAnnotations) {
			p.keys = append(p.keys, key)
		}
	}
	p.quoteAll(annotations)
}

// quoteAll sorts the keys, and adds them and their values to the text.
func (p *Parser) quoteAll(values map[string]string) {
	slices.Sort(p.keys)
	for _, key := range p.keys {
		p.quote(key)
		p.quote(values[key])
	}
}

// forget clears what note collected, so that no strings are kept alive.
func (p *Parser) forget() {
	clear(p.keys)
	p.keys, p.text = p.keys[:0], p.text[:0]
	if cap(p.text) > mostScratch {
		p.keys, p.text = nil, nil
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

// remember caches the meaning of annotations, unless they are too long.
func (p *Parser) remember(text string, known parsed) {
	if p.makeRoom(sizeOf(text, known)) {
		p.seen[text] = known
	}
}

// makeRoom makes room in the cache, clearing it if necessary. It reports false if the size is too large.
func (p *Parser) makeRoom(size int) bool {
	if size > mostOfOne {
		return false
	}
	if p.size += size; p.seen == nil || p.size > mostSeen {
		p.seen, p.sets, p.size = map[string]parsed{}, map[string]*labelSet{}, size
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

// parse reads annotations in the Parser's dialect.
func (p *Parser) parse(keys []string, annotations map[string]string) parsed {
	if !dialect.PodSchedules.In(p.Dialect) {
		return parseKarpenter(keys, annotations)
	}
	return parse(keys, annotations)
}

// parse reads annotations. Those with the given keys say when a pod may be disrupted.
func parse(keys []string, annotations map[string]string) parsed {
	var p parsed
	warn := func(w Warning) {
		w.Code = CodeInvalidAnnotation
		p.warnings = append(p.warnings, w)
	}
	at := func(key string) field { return field{key, annotations[key]} }
	if value, ok := annotations[DoNotDisruptAnnotation]; ok {
		protect, wrong := parseDoNotDisrupt(value)
		p.terms.Protect = protect
		if wrong != "" {
			warn(at(DoNotDisruptAnnotation).fault(value, "%.100q %s", value, wrong))
			p.terms.Invalid = value != "false" // "false" rightly means no protection
		}
	}
	window, faults := disruptionSchedule{
		at(DisruptionScheduleAnnotation), at(DisruptionScheduleDurationAnnotation),
		at(DisruptionBlockScheduleAnnotation), at(DisruptionBlockDurationAnnotation),
		at(DisruptionScheduleTimeZoneAnnotation),
	}.compile()
	for _, key := range keys { // a known key is nearest to itself
		if known := nearestAnnotation(key); known != key && key != DoNotDisruptAnnotation {
			faults = append(faults, at(key).fault(annotations[key], "%.100q is unknown: write %s", key, known))
		}
	}
	p.terms.Window = window
	p.terms.Invalid = p.terms.Invalid || len(faults) > 0
	for _, f := range faults {
		warn(f)
	}
	return p
}

// parseDoNotDisrupt reads the annotation of a pod.
func parseDoNotDisrupt(value string) (protect time.Duration, wrong string) {
	if value == "true" {
		return Forever, ""
	}
	d, err := time.ParseDuration(value)
	switch {
	case value == "false":
		return 0, "protects nothing: leave the annotation out"
	case err != nil:
		return 0, `protects nothing: write "true", or how long after its start the pod must not be disrupted, ` +
			`such as 4h or 30m`
	case d <= 0:
		return 0, `protects nothing: write a positive duration such as 4h, or "true"`
	}
	return min(d, Forever-1), "" // only "true" means for ever
}

// nearestAnnotation returns the schedule annotation that a key is or probably means.
func nearestAnnotation(key string) string {
	says := func(part string) bool { return strings.Contains(strings.ToLower(key), part) }
	switch {
	case says("zone"):
		return DisruptionScheduleTimeZoneAnnotation
	case says("block") && says("duration"):
		return DisruptionBlockDurationAnnotation
	case says("block"):
		return DisruptionBlockScheduleAnnotation
	case says("duration"):
		return DisruptionScheduleDurationAnnotation
	}
	return DisruptionScheduleAnnotation
}

// NodeDoNotDisrupt reads the value of a node's karpenter.sh/do-not-disrupt annotation. Only "true" blocks; unlike on a
// pod, durations have no effect on a node. It returns a warning for any other value except "false" and "" (absent).
func NodeDoNotDisrupt(node, value string) (doNotDisrupt bool, warnings []Warning) {
	return onNode(node, DoNotDisruptAnnotation, value, `write "true", or annotate its pods, which may have durations`)
}

// DoNotRepairAnnotation is "true" on a node that must not be repaired.
const DoNotRepairAnnotation = "karpenter.sh/do-not-repair"

// NodeDoNotRepair reads the value of a node's karpenter.sh/do-not-repair annotation. Only "true" vetoes repair. It
// returns a warning for any other value, durations included, except "false" and "" (absent). (Karpenter:
// Repair.ShouldDisrupt.)
func NodeDoNotRepair(node, value string) (doNotRepair bool, warnings []Warning) {
	return onNode(node, DoNotRepairAnnotation, value,
		`write "true", and remove the annotation when the node may be repaired`)
}

// onNode reads an annotation of a node. Only the value "true" has an effect.
func onNode(node, annotation, value, advice string) (blocks bool, warnings []Warning) {
	switch value {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	}
	return false, []Warning{{
		Code: CodeInvalidAnnotation, Object: "Node/" + node, Field: annotation, Value: value,
		Message: fmt.Sprintf("%.100q blocks nothing on a node: %s", value, advice),
	}}
}
