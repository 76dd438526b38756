package observability

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// health runs the health check on an object, in a machine as Argo CD makes it (util/lua/lua.go): with package, base, table and os, and with
// all libraries where useOpenLibs is "true".
func health(t *testing.T, object string, open bool) (status, message string) {
	t.Helper()
	l := lua.NewState(lua.Options{SkipOpenLibs: !open})
	defer l.Close()
	for name, library := range map[string]lua.LGFunction{lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		if err := l.CallByParam(lua.P{Fn: l.NewFunction(library), Protect: true}, lua.LString(name)); err != nil {
			t.Fatal(err)
		}
	}
	var obj any
	if err := json.Unmarshal([]byte(object), &obj); err != nil {
		t.Fatalf("%v: %s", err, object)
	}
	l.SetGlobal("obj", value(l, obj))
	if err := l.DoFile("argocd/health.lua"); err != nil {
		t.Fatal(err)
	}
	answer, is := l.Get(-1).(*lua.LTable)
	if !is {
		t.Fatalf("it returns %s", l.Get(-1).Type())
	}
	return lua.LVAsString(answer.RawGetString("status")), lua.LVAsString(answer.RawGetString("message"))
}

// value turns what JSON has into a value of Lua.
func value(l *lua.LState, v any) lua.LValue {
	switch v := v.(type) {
	case bool:
		return lua.LBool(v)
	case float64:
		return lua.LNumber(v)
	case string:
		return lua.LString(v)
	case []any:
		list := l.NewTable()
		for _, one := range v {
			list.Append(value(l, one))
		}
		return list
	case map[string]any:
		table := l.NewTable()
		for name, one := range v {
			table.RawSetString(name, value(l, one))
		}
		return table
	}
	return lua.LNil
}

// nodePool is one that Karpenter calls ready, or not, with a status or without.
func nodePool(t *testing.T, ready, generation, status string) string {
	t.Helper()
	object := map[string]any{"metadata": map[string]any{"generation": json.Number(generation), "annotations": map[string]string{}}}
	if ready != "" {
		object["status"] = map[string]any{"conditions": []map[string]string{{"type": "NodeClassReady", "status": "True"}, {"type": "Ready", "status": ready, "message": "as Karpenter says"}}}
	}
	if status != "" {
		object["metadata"].(map[string]any)["annotations"] = map[string]string{"disruptkit.dev/status": status}
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestArgoCDSeesHowTheRollStands(t *testing.T) {
	written := func(phase, message string) string {
		said, _ := json.Marshal(message)
		return `{"observedGeneration":3,"by":"guard","at":"2026-11-20T12:00:00Z","phase":"` + phase + `","since":"2026-11-20T12:00:00Z","message":` + string(said) +
			`,"nodes":5,"conditions":[{"type":"Reconciling","status":"True","reason":"X","message":"another"}]}`
	}
	for _, c := range []struct{ name, ready, generation, status, want, message string }{
		{"a roll that is done is healthy", "True", "3", written("Done", "nothing to do: 5 nodes"), "Healthy", "nothing to do: 5 nodes"},
		{"one that goes on is in progress", "True", "3", written("Progressing", "2 of 5 nodes to go"), "Progressing", "2 of 5 nodes to go"},
		{"one that waits for its window is as well", "True", "3", written("Waiting", "until tonight"), "Progressing", "until tonight"},
		{"one that somebody has paused is suspended", "True", "3", written("Paused", "by alice"), "Suspended", "by alice"},
		{"one that is stuck is degraded", "True", "3", written("Stuck", "held by pod/exhausted"), "Degraded", "held by pod/exhausted"},
		{"a message is read as it was said", "True", "3", written("Done", `"phase":"Stuck" \ <&> ok`), "Healthy", `"phase":"Stuck" \ <&> ok`},
		{"one that ends with a backslash as well", "True", "3", written("Done", `a\`), "Healthy", `a\`},
		{"an empty one is none", "True", "3", written("Done", ""), "Healthy", ""},
		{"what is not ready is not healthy, whatever its roll does", "False", "3", written("Done", "x"), "Degraded", "as Karpenter says"},
		{"what is not known to be ready is in progress", "", "3", written("Done", "x"), "Progressing", "Karpenter has not said"},
		{"without a status, Karpenter's word counts", "True", "3", "", "Healthy", "as Karpenter says"},
		{"a status of another generation is old", "True", "4", written("Done", "x"), "Progressing", "has changed since"},
		{"a phase that is not known is not healthy", "True", "3", written("Better", "x"), "Unknown", "cannot be read"},
		{"nor is what nobody can read", "True", "3", "no", "Unknown", "cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, message := health(t, nodePool(t, c.ready, c.generation, c.status), true)
			if status != c.want || !strings.Contains(message, c.message) || c.message == "" && message != "" {
				t.Errorf("%s: %q, want %s: %q", status, message, c.want, c.message)
			}
		})
	}
}

func TestWithoutTheLibrariesArgoCDIsToldWhatIsMissing(t *testing.T) {
	status, message := health(t, nodePool(t, "True", "3", `{"phase":"Done"}`), false)
	if status != "Unknown" || !strings.Contains(message, "useOpenLibs") {
		t.Errorf("%s: %s", status, message)
	}
	if status, _ := health(t, nodePool(t, "True", "3", ""), false); status != "Healthy" {
		t.Errorf("a NodePool without a status: %s", status)
	}
}

// The file is what a test of package standing keeps: the annotation as the guard writes it.
func TestArgoCDReadsWhatIsWritten(t *testing.T) {
	text, err := os.ReadFile("testdata/status.json")
	if err != nil {
		t.Fatal(err)
	}
	status, message := health(t, nodePool(t, "True", "3", strings.TrimSpace(string(text))), true)
	if status != "Progressing" || !strings.HasPrefix(message, "3 of 5 nodes to go, 0 in flight; expected by ") {
		t.Errorf("%s: %s", status, message)
	}
}
