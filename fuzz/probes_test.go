package fuzz_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

var asked = time.Unix(1_795_176_000, 0)

// FuzzStatusAndBody takes any status and text for the answer of a probe in BodyMode. Nodes are disrupted for a reason only where a naive
// reading finds an answer that is right in every respect, and that the reason is not denied.
func FuzzStatusAndBody(f *testing.F) {
	for _, body := range []string{
		`{"deniedActions": []}`, `{"deniedActions": ["drift"]}`, `{"deniedActions": ["consolidation", "Drifted/AMIDrift"]}`, `{"deniedActions": null}`, `{}`,
		`{"deniedActions": ["drift"], "deniedActions": []}`, `{"DeniedActions": []}`, `{"deniedActions": [5, null, {}, "x"]}`, `[]`, `null`, ``, "\xff",
		`{"deniedActions": []} {}`, `{"deniedActions": ["drift:drift", "drift:", ":", "/"]}`, `<html>`, "deniedActions:\n- drift\n",
	} {
		f.Add(200, body, false)
	}
	f.Add(204, `{"deniedActions": []}`, false)
	f.Add(202, `{"deniedActions": []}`, true)
	f.Fuzz(func(t *testing.T, status int, body string, cutOff bool) {
		if tooDeep(body) {
			return
		}
		r := httpget.Response{At: asked, Status: status, Body: []byte(body)}
		if cutOff {
			r.Err = errors.New("cut off")
		}
		good := !cutOff && (status == 200 || status == 201 || status == 202)
		actions, understood := judgedNaively(t, httpget.BodyMode, r, good).([]any)
		compareDenials(t, httpget.BodyMode, r, "gpu", nil, func(reason candidate.Reason) bool {
			if !good || !understood {
				return true
			}
			return slices.ContainsFunc(actions, func(a any) bool {
				name, isText := a.(string)
				return !isText || denies(name, reason)
			})
		})

		if o := httpget.Observe(httpget.Spec{Host: "h", Port: 1}, probe.Observation{}, r); o.Healthy != good || o.Denied != nil {
			t.Errorf("in StatusMode the body counts: %+v", o)
		}
	})
}

// FuzzClusterBody takes any text for the body of an answer in ClusterMode, and any pool. A reason is denied to the pool exactly
// where a naive reading finds that some entry denies it, or is not understood.
func FuzzClusterBody(f *testing.F) {
	for _, body := range []string{
		`{"deniedActions": []}`, `{"deniedActions": [{"name": "drift", "clusterWide": false, "nodePools": {"labels": ["a-specific-az", "my-gpu-nodes", "my-specific-nodepool"]}}]}`,
		`{"deniedActions": [{"name": "consolidation", "clusterWide": true, "nodePools": 5}]}`, `{"deniedActions": [{"name": "drift"}]}`,
		`{"deniedActions": [{"name": "drift", "nodePools": {"labels": []}}]}`, `{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["team=search"]}}]}`,
		`{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["x"], "labels": []}}]}`, `{"deniedActions": ["drift"]}`,
		`{"deniedActions": [{"name": "", "clusterWide": true}]}`, `{"deniedActions": [{"name": "drift", "nodePools": {"labels": [""]}}]}`, `{"deniedActions": [null]}`,
	} {
		f.Add(body, "my-gpu-nodes", "team", "search")
	}
	f.Fuzz(func(t *testing.T, body, pool, key, value string) {
		if strings.Contains(key, "=") || tooDeep(body) {
			return // in Kubernetes no key of a label has a =
		}
		labels := map[string]string{key: value}
		r := httpget.Response{At: asked, Status: 200, Body: []byte(body)}
		entries, understood := judgedNaively(t, httpget.ClusterMode, r, true).([]any)
		compareDenials(t, httpget.ClusterMode, r, pool, labels, func(reason candidate.Reason) bool {
			return !understood || slices.ContainsFunc(entries, func(e any) bool { return entryDenies(e, reason, pool, key, value) })
		})
	})
}

// tooDeep reports whether a body may be nested about as deep as encoding/json goes: exactly how deep that is does not matter.
func tooDeep(body string) bool { return strings.Count(body, "[")+strings.Count(body, "{") > 9000 }

// judgedNaively observes an answer twice, checks what it says without reading it, and returns what its deniedActions are for a
// naive reader: a list, if they are understood.
func judgedNaively(t *testing.T, mode httpget.Mode, r httpget.Response, good bool) any {
	t.Helper()
	p := httpget.Spec{Mode: mode, Host: "h", Port: 1, SuccessThreshold: 2}
	before := bytes.Clone(r.Body)
	once := httpget.Observe(p, probe.Observation{}, r)
	twice := httpget.Observe(p, once, r)
	if !bytes.Equal(r.Body, before) {
		t.Fatal("the body is changed")
	}
	if diff := cmp.Diff(once.Denied, twice.Denied); diff != "" || once.Healthy {
		t.Fatalf("healthy %t, and denied otherwise the second time: %s", once.Healthy, diff)
	}
	if twice.Healthy != (twice.Code == "") || (twice.Code == "") != (twice.Cause == "") || len(twice.Cause) > 1000 || !utf8.ValidString(twice.Cause) {
		t.Fatalf("%+v", twice)
	}
	denied := naively(r.Body)
	if _, understood := denied.([]any); twice.Healthy != (good && understood) {
		t.Fatalf("healthy: %t (%s), and a naive reader finds %v", twice.Healthy, twice.Cause, denied)
	}
	return denied
}

// compareDenials compares what a verdict says to a pool, for all kinds of reasons, with what a naive reader says.
func compareDenials(t *testing.T, mode httpget.Mode, r httpget.Response, pool string, labels map[string]string, denied func(candidate.Reason) bool) {
	t.Helper()
	p := httpget.Spec{Name: "health", Mode: mode, Host: "h", Port: 1}
	v := probe.ProbeVerdict(p.Probe(), httpget.Observe(p, probe.Observation{}, r), asked)
	for _, reason := range []candidate.Reason{"Drifted", "Drifted/AMIDrift", "Empty", "Underutilized", "Expired", "Expired/Old", "somebody's own"} {
		b, blocked := v.Blocker(reason, pool, labels, asked)
		if want := denied(reason); blocked != want {
			t.Fatalf("%q of pool %q with %q: blocked %t, want %t; %s", reason, pool, labels, blocked, want, v)
		}
		if blocked && (b.Gate != candidate.GateProbe || b.Code == "" || !strings.HasPrefix(b.Message, "health: ")) {
			t.Fatalf("blocked by %+v", b)
		}
	}
}

// object is a JSON object whose keys are there once each.
type object map[string]any

// naively returns the deniedActions of a body, or nothing.
func naively(body []byte) any {
	if len(body) > 64<<10 || !utf8.Valid(body) || !json.Valid(body) {
		return nil
	}
	whole, _ := tree(json.NewDecoder(bytes.NewReader(body))).(object)
	if len(whole) != 1 {
		return nil
	}
	return whole["deniedActions"]
}

// tree reads one value of valid JSON. An object in which a key appears twice is nothing.
func tree(d *json.Decoder) any {
	token, _ := d.Token()
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			list = append(list, tree(d))
		}
		_, _ = d.Token()
		return list
	case json.Delim('{'):
		fields, twice := object{}, false
		for d.More() {
			key, _ := d.Token()
			_, there := fields[fmt.Sprint(key)]
			twice = twice || there
			fields[fmt.Sprint(key)] = tree(d)
		}
		_, _ = d.Token()
		if twice {
			return nil
		}
		return fields
	}
	return token
}

// entryDenies reads an entry of ClusterMode.
func entryDenies(entry any, reason candidate.Reason, pool, key, value string) bool {
	fields, _ := entry.(object)
	name, named := fields["name"].(string)
	wide, isBool := fields["clusterWide"].(bool)
	if fields["clusterWide"] != nil && !isBool || !named {
		return true
	}
	for field := range fields {
		if field != "name" && field != "clusterWide" && field != "nodePools" {
			return true
		}
	}
	if wide {
		return denies(name, reason)
	}
	pools, _ := fields["nodePools"].(object)
	labels, _ := pools["labels"].([]any)
	if len(pools) != 1 || len(labels) == 0 {
		return true
	}
	meant := false
	for _, label := range labels {
		text, _ := label.(string)
		if text == "" || len(text) > 381 || strings.ContainsFunc(text, unicode.IsControl) { // no label is that
			return true
		}
		meant = meant || text == pool || text == value || text == key+"="+value
	}
	return denies(name, "") || meant && denies(name, reason)
}

// denies reads an action. One that is not understood denies every reason, also "", which stands for none.
func denies(action string, reason candidate.Reason) bool {
	if strings.EqualFold(action, "consolidation") {
		return reason.Method() == "Empty" || reason.Method() == "Underutilized"
	}
	method, child, isChild := action, "", false
	if at := strings.IndexAny(action, "/:"); at >= 0 {
		method, child, isChild = action[:at], action[at+1:], true
	}
	is := spelled(method)
	if isChild && spelled(child) != is {
		is += candidate.Reason("/" + child)
	}
	whole, err := candidate.ParseReason(string(is))
	if err != nil {
		return true
	}
	return strings.EqualFold(string(reason), string(whole)) || whole == whole.Method() && reason.Method() == whole ||
		wording.Misspelt(whole, reason) // one letter from it
}

// spelled returns what method a text is, in any case; "" is none.
func spelled(text string) candidate.Reason {
	for spelling, method := range map[string]candidate.Reason{"drift": "Drifted", "drifted": "Drifted", "empty": "Empty", "emptiness": "Empty",
		"underutilized": "Underutilized", "expired": "Expired", "expiration": "Expired"} {
		if strings.EqualFold(text, spelling) {
			return method
		}
	}
	return ""
}
