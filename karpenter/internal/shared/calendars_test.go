package shared

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/disruptkit/disruptkit/cmd/ical"
)

// What cannot be read of calendars is reported where a budget names it, with its file. A calendar that is only unknown is not.
func TestADisruptionPolicyNamesTheFileOfACalendarThatCannotBeRead(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	file := filepath.Join(dir, "holidays.ics")
	if err := os.WriteFile(file, []byte("Christmas"), 0o600); err != nil {
		t.Fatal(err)
	}
	there := ical.NewDirectory(dir, "").At(at)
	for _, c := range []struct {
		rule, calendar string
		calendars      *ical.Calendars
		want           string
	}{
		{"a file that cannot be read", "holidays", there, `calendar "holidays" cannot be read: ` + file},
		{"a calendar that nobody knows", "team", there, ""},
		{"a directory that is not there", "team", ical.NewDirectory(filepath.Join(dir, "nowhere"), "").At(at), `calendar "team" cannot be read: open ` + filepath.Join(dir, "nowhere")},
		{"no directory", "team", (*ical.Directory)(nil).At(at), ""},
	} {
		rule := map[string]any{"nodes": "0", "calendar": c.calendar}
		o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"all": true, "budgets": []any{rule, rule}}}}
		o.SetName("policy")
		var reader Reader
		p := reader.Read([]*unstructured.Unstructured{o}, c.calendars)[0]
		valid := Conditions(p, nil)[0]
		if valid.Status != "False" || strings.Contains(valid.Message, "cannot be read") != (c.want != "") || !strings.Contains(valid.Message, c.want) {
			t.Errorf("%s: the condition is %s: %s, want %q", c.rule, valid.Status, valid.Message, c.want)
		}
	}
}
