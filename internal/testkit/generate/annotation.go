package generate

import (
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit/candidate/kube"
)

// Annotations generates annotations of pods. Values are valid, invalid, or any text.
func Annotations(s Source) map[string]string {
	all := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if s.Bool() {
			all[key] = annotations[key](s)
		}
	}
	return all
}

var annotations = map[string]func(Source) string{
	kube.DoNotDisruptAnnotation: func(s Source) string {
		return oneOf(s, known("true", "false", "True", "4h", "0s", ""), Text)
	},
	kube.DisruptionScheduleAnnotation:         crons,
	kube.DisruptionScheduleDurationAnnotation: durations,
	kube.DisruptionBlockScheduleAnnotation:    crons,
	kube.DisruptionBlockDurationAnnotation:    durations,
	kube.DisruptionScheduleTimeZoneAnnotation: zones,
	"karpenter.sh/disruption-duration":        durations,
	"example.com/owner":                       Text,
}

func crons(s Source) string {
	listed := known("", ";", "0 2 * * 6;0 14 * * 0", "0 0 * * sat-sun", "@every 1h", "TZ=UTC @daily")
	return oneOf(s, Cron, Cron, listed, Text)
}

func durations(s Source) string {
	return oneOf(s, known("", "1m", "4h", "1h;2h", "168h", "169h", "59s", "-5m", "1d", ";"), Text)
}

func zones(s Source) string { return oneOf(s, Zone, Zone, known("Mars", "Local"), Text) }

// known returns a generator that picks one of some texts.
func known(texts ...string) func(Source) string {
	return func(s Source) string { return pick(s, texts...) }
}

// odd has characters that parsers stumble over.
var odd = []rune("\x00\t\n\v\r\x1b\x7f \"'`\\%;,éß世\u202e\u00a0\ufeff\ufffdȺ\U0010ffff")

// Text generates any text: mostly letters and punctuation, and a few characters from all over Unicode.
func Text(s Source) string {
	return string(several(s, 0, 12, func(s Source) rune {
		switch s(4) {
		case 2:
			return pick(s, odd...)
		case 3:
			return rune(s(0x110000))
		}
		return ' ' + rune(s('~'-' '+1))
	}))
}
