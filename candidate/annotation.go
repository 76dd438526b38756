package candidate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The annotations with which a pod says when it may be disrupted.
const (
	// DoNotDisruptAnnotation is "true" where the pod is never to be disrupted, or for how long after its start it is not. It
	// wins over every schedule.
	DoNotDisruptAnnotation = "karpenter.sh/do-not-disrupt"

	// DisruptionScheduleAnnotation is when the pod may be disrupted: a cron expression, or up to 50 with semicolons between
	// them. Further ones do not count.
	DisruptionScheduleAnnotation = "karpenter.sh/disruption-schedule"
	// DisruptionScheduleDurationAnnotation is for how long after each hit of the schedule: from 1m to 168h, one for all
	// expressions or one for each; 1h if it is absent.
	DisruptionScheduleDurationAnnotation = "karpenter.sh/disruption-schedule-duration"
	// DisruptionBlockScheduleAnnotation is when the pod may not be disrupted.
	DisruptionBlockScheduleAnnotation = "karpenter.sh/disruption-block-schedule"
	// DisruptionBlockDurationAnnotation is for how long after each hit of the block schedule.
	DisruptionBlockDurationAnnotation = "karpenter.sh/disruption-block-duration"
	// DisruptionScheduleTimeZoneAnnotation is the time zone of both, by its name in the tz database; UTC if it is absent.
	DisruptionScheduleTimeZoneAnnotation = "karpenter.sh/disruption-schedule-timezone"

	scheduleAnnotations = "karpenter.sh/disruption-"
)

// A Parser reads the annotations of pods, each distinct set of them once. The zero Parser is ready. It is not for
// concurrent use. What it remembers is of some 64 MiB at the most: then it begins anew.
type Parser struct {
	seen map[string]parsed // by all that they say
	size int               // of seen, in bytes, about
	keys []string          // scratch
	text []byte            // scratch
}

const (
	largestSeen = 64 << 20
	sizeOfTerms = 8 << 10 // more than of most
)

type parsed struct {
	terms    Terms
	warnings []Warning // without the pod
}

// Terms returns what a pod's annotations ask for, and a Warning for each that is not valid, ready to be published as an
// event. A schedule that is not valid is left out ("treated as always disruptable"), a duration of one is 1h, and a
// do-not-disrupt that is neither "true" nor a positive duration is ignored; Terms.Invalid is then set. (Pod disruption
// schedule RFC, "Error Handling"; Karpenter: IsDoNotDisruptActive.)
func (p *Parser) Terms(namespace, pod string, annotations map[string]string) (Terms, []Warning) {
	p.keys = p.keys[:0]
	for key := range annotations {
		if key == DoNotDisruptAnnotation || strings.HasPrefix(key, scheduleAnnotations) {
			p.keys = append(p.keys, key)
		}
	}
	if len(p.keys) == 0 {
		return Terms{}, nil
	}
	slices.Sort(p.keys)
	p.text = p.text[:0]
	for _, key := range p.keys {
		p.write(key)
		p.write(annotations[key])
	}
	known, ok := p.seen[string(p.text)]
	if !ok {
		known = parse(p.keys, annotations)
		if p.size += sizeOfTerms + 2*len(p.text); p.seen == nil || p.size > largestSeen {
			p.seen, p.size = map[string]parsed{}, 0
		}
		p.seen[string(p.text)] = known
	}
	warnings := slices.Clone(known.warnings)
	for i := range warnings {
		warnings[i].Object = "Pod/" + path(namespace, pod)
	}
	return known.terms, warnings
}

// write adds to the text, so that no two lists of parts have the same.
func (p *Parser) write(part string) {
	p.text = append(strconv.AppendInt(p.text, int64(len(part)), 10), ':')
	p.text = append(p.text, part...)
}

// parse reads annotations, of which those with the given keys say when a pod may be disrupted.
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
			p.terms.Invalid = value != "false" // which is no protection, as it says
		}
	}
	window, faults := disruptionSchedule{
		at(DisruptionScheduleAnnotation), at(DisruptionScheduleDurationAnnotation),
		at(DisruptionBlockScheduleAnnotation), at(DisruptionBlockDurationAnnotation),
		at(DisruptionScheduleTimeZoneAnnotation),
	}.compile()
	for _, key := range keys { // one that is known is the nearest to itself
		if known := nearestAnnotation(key); known != key && key != DoNotDisruptAnnotation {
			faults = append(faults, at(key).fault(annotations[key], "%.100q is not known: write %s", key, known))
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
		return 0, `protects nothing: write "true", or for how long after its start the pod is not to be disrupted, such as 4h or 30m`
	case d <= 0:
		return 0, `protects nothing: write a positive duration such as 4h, or "true"`
	}
	return min(d, Forever-1), "" // only "true" is for good
}

// nearestAnnotation returns the annotation for schedules that a key is, or was meant to be.
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

// NodeDoNotDisrupt reads the value of a node's karpenter.sh/do-not-disrupt annotation. Unlike on a pod, where a duration
// counts, too, only "true" blocks on a node. An absent annotation ("") and "false" are no fault; anything else is
// warned of.
func NodeDoNotDisrupt(node, value string) (doNotDisrupt bool, warnings []Warning) {
	switch value {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	}
	return false, []Warning{{
		Code:   CodeInvalidAnnotation,
		Object: "Node/" + node,
		Field:  DoNotDisruptAnnotation,
		Value:  value,
		Message: fmt.Sprintf(`%.100q blocks nothing on a node: write "true", or annotate its pods, where durations are understood`,
			value),
	}}
}
