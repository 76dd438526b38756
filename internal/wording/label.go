package wording

import (
	"regexp"
	"strings"
)

var (
	labelName   = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	labelPrefix = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// IsLabelKey reports whether the key of a label is valid: a name, or a domain and a name such as
// topology.kubernetes.io/zone.
func IsLabelKey(key string) bool {
	prefix, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		return labelName.MatchString(key)
	}
	return len(prefix) <= 253 && labelPrefix.MatchString(prefix) && labelName.MatchString(name)
}

// IsLabelValue reports whether the value of a label is valid.
func IsLabelValue(value string) bool { return value == "" || labelName.MatchString(value) }
