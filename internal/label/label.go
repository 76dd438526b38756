// Package label validates the names and values of Kubernetes labels.
package label

import (
	"regexp"
	"strings"
)

var (
	namePattern   = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	prefixPattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// IsKey reports whether a key is valid: a name, or a domain and a name such as topology.kubernetes.io/zone.
func IsKey(key string) bool {
	prefix, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		return namePattern.MatchString(key)
	}
	return len(prefix) <= 253 && prefixPattern.MatchString(prefix) && namePattern.MatchString(name)
}

// IsValue reports whether a value is valid.
func IsValue(value string) bool { return value == "" || namePattern.MatchString(value) }
