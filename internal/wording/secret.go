package wording

import "strings"

// PublicAddress returns an address without its query and user information, which may be secret.
func PublicAddress(address string) string {
	address, _, _ = strings.Cut(address, "?")
	if i := strings.LastIndexByte(address, '@'); i >= 0 {
		address = "…" + address[i:]
	}
	return address
}

// PublicName returns the leading part of a name that is valid. The rest may be a value, and secret.
func PublicName(name string) string {
	if end := strings.IndexAny(name, ":= \t\n?@"); end >= 0 {
		return name[:end]
	}
	return name
}
