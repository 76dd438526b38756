package wording

import (
	"strings"
	"testing"
)

func TestKeysAndValuesOfLabels(t *testing.T) {
	long, dns := strings.Repeat("a", 63), strings.Repeat("a.", 126)+"a"
	for _, key := range []string{"app", "a", "App_1.x-y", long, "example.com/app", dns + "/" + long, "a/A"} {
		if !IsLabelKey(key) {
			t.Errorf("the key %q is refused", key)
		}
	}
	for _, key := range []string{"", "/", "/app", "app/", "a/b/c", "-a", "a-", "é", "a b", long + "a", "A/app", ".a/app", "a./app", dns + ".a/app", "a\n"} {
		if IsLabelKey(key) {
			t.Errorf("the key %q is taken", key)
		}
	}
	for value, want := range map[string]bool{"": true, "web": true, long: true, long + "a": false, "a/b": false, "-": false, "a\n": false, "ünder": false} {
		if IsLabelValue(value) != want {
			t.Errorf("the value %q: %t", value, !want)
		}
	}
}
