package input

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
)

func TestManyWarningsThatSayTheSameTakeOneLine(t *testing.T) {
	of := func(objects ...string) (ws []candidate.Warning) {
		for _, o := range objects {
			ws = append(ws, candidate.Warning{Code: "c", Object: o, Field: "f", Value: "v", Message: "wrong"})
		}
		return ws
	}
	with := func(change func(*candidate.Warning)) candidate.Warning {
		w := of("Pod/x/e")[0]
		change(&w)
		return w
	}
	four := of("Pod/x/a", "Pod/x/b", "Pod/y/c", "Pod/y/d")
	for _, test := range []struct {
		rule     string
		warnings []candidate.Warning
		want     []string
	}{
		{"none", nil, nil},
		{"three are three lines", four[:3], []string{"Pod/x/a: f: wrong", "Pod/x/b: f: wrong", "Pod/y/c: f: wrong"}},
		{"four are one", four, []string{"Pod/x/a and 3 more: f: wrong"}},
		{"other kinds are separate", append(of("Node/a"), four...), []string{"Node/a: f: wrong", "Pod/x/a and 3 more: f: wrong"}},
		{"other fields are", append(four, with(func(w *candidate.Warning) { w.Field = "g" })), []string{"Pod/x/a and 3 more: f: wrong", "Pod/x/e: g: wrong"}},
		{"other values are", append(four, with(func(w *candidate.Warning) { w.Value = "w" })), []string{"Pod/x/a and 3 more: f: wrong", "Pod/x/e: f: wrong"}},
		{"other messages are", append(four, with(func(w *candidate.Warning) { w.Message = "odd" })), []string{"Pod/x/a and 3 more: f: wrong", "Pod/x/e: f: odd"}},
		{"what has no name is separate", of("document 1", "document 2", "document 3", "document 4"), []string{
			"document 1: f: wrong", "document 2: f: wrong", "document 3: f: wrong", "document 4: f: wrong",
		}},
	} {
		if diff := cmp.Diff(test.want, lines(test.warnings)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.rule, diff)
		}
	}
}
