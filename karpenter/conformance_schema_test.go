package karpenter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	clocktesting "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
	"sigs.k8s.io/karpenter/pkg/apis"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/karpenter"
)

// An apiServer does with a NodePool what the API server does with the schema that Karpenter ships.
type apiServer struct {
	schema    *structuralschema.Structural
	validator validation.SchemaValidator
	rules     *cel.Validator
	patterns  map[string]*regexp.Regexp // of the fields of a budget
}

var theAPIServer = sync.OnceValue(func() apiServer {
	var schema apiextensions.JSONSchemaProps
	shipped := apis.CRDs[0].Spec.Versions[0].Schema.OpenAPIV3Schema
	succeed(apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(shipped, &schema, nil))
	s := apiServer{schema: must(structuralschema.NewStructural(&schema)), patterns: map[string]*regexp.Regexp{}}
	succeed(defaulting.PruneDefaults(s.schema))
	s.validator, _, _ = validation.NewSchemaValidator(&schema)
	s.rules = cel.NewValidator(s.schema, true, celconfig.PerCallLimit)
	for name, field := range s.schema.Properties["spec"].Properties["disruption"].Properties["budgets"].Items.Properties {
		if field.ValueValidation != nil && field.ValueValidation.Pattern != "" {
			s.patterns[name] = regexp.MustCompile(field.ValueValidation.Pattern)
		}
	}
	return s
})

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func succeed(err error) {
	if err != nil {
		panic(err)
	}
}

// admit returns the spec.disruption that is stored, or why it is not.
func (s apiServer) admit(disruption []byte) (stored []byte, err error) {
	object, err := s.admitPool(fmt.Appendf(nil, `{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"}, "spec": {
		"template": {"spec": {
			"nodeClassRef": {"group": "example.com", "kind": "NodeClass", "name": "default"}, "requirements": []
		}}, "disruption": %s}}`, disruption))
	if err != nil {
		return nil, err
	}
	return json.Marshal(object["spec"].(map[string]any)["disruption"])
}

// admitPool returns the NodePool that is stored, or why it is not.
func (s apiServer) admitPool(text []byte) (object map[string]any, err error) {
	if err := utiljson.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	defaulting.Default(object, s.schema)
	pruning.Prune(object, s.schema, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.schema)
	errs := validation.ValidateCustomResource(nil, object, s.validator)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.schema, object)...)
	if len(errs) == 0 { // as the API server: the rules expect the types that the schema demands
		errs, _ = s.rules.Validate(context.Background(), nil, s.schema, object, nil, celconfig.RuntimeCELCostBudget)
	}
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	return object, nil
}

// compiled is what disruptkit makes of a spec.disruption.
func compiled(disruption []byte) (set budget.Set, err error) {
	var spec budget.Spec
	if err := json.Unmarshal(disruption, &spec); err != nil {
		return set, err
	}
	return spec.Compile()
}

// takes makes a row of a spec.disruption: whether the API server accepts it, and what disruptkit does.
func takes(disruption string, d difference) difference {
	d.Rule = ruleSchema
	d.Karpenter = func() string {
		stored, err := theAPIServer().admit([]byte(disruption))
		switch {
		case err != nil:
			return "rejected"
		case json.Unmarshal(stored, &v1.Disruption{}) != nil:
			return "accepted, and cannot be read"
		}
		return "accepted"
	}
	d.Disruptkit = func() string {
		if _, err := compiled([]byte(disruption)); err != nil {
			return "reported"
		}
		return "accepted"
	}
	return d
}

// keeps makes a row of a spec.disruption: which budgets the API server stores, and which disruptkit knows.
func keeps(disruption string, d difference) difference {
	d.Rule = ruleSchema
	d.Karpenter = func() string {
		var stored map[string]json.RawMessage
		succeed(json.Unmarshal(must(theAPIServer().admit([]byte(disruption))), &stored))
		return string(stored["budgets"])
	}
	d.Disruptkit = func() string {
		return string(must(json.Marshal(must(compiled([]byte(disruption))).Budgets())))
	}
	return d
}

// unstored makes a row of a spec.disruption that no API server has completed: how many of ten nodes may be disrupted.
func unstored(disruption string, d difference) difference {
	var theirs v1.Disruption
	succeed(json.Unmarshal([]byte(disruption), &theirs))
	d.Rule, d.Karpenter = ruleSchema, question{budgets: theirs.Budgets}.karpenter
	d.Disruptkit = func() string {
		at, reason := question{}.asked()
		set, _ := compiled([]byte(disruption))
		allowance, _ := budget.AllowedByReason(set, at, tenNodes, candidate.Reason(reason))
		return countText(allowance.Nodes)
	}
	return d
}

// absent leaves a field out.
type absent struct{}

func put(object map[string]any, name string, value any) {
	if _, is := value.(absent); !is {
		object[name] = value
	}
}

// disruptionObject generates objects for spec.disruption, as somebody may write them.
func disruptionObject(sound bool) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		odd := func(field string) bool { return !sound && onceIn(t, 8, "odd "+field) }
		if odd("object") {
			return pick[any](t, "object", nil, map[string]any{}, "x")
		}
		object := map[string]any{}
		put(object, "consolidateAfter", pick[any](t, "after", absent{}, nil, "0s", "30s", "1h30m", "Never"))
		put(object, "consolidationPolicy", pick[any](t, "policy", absent{}, nil,
			"WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"))
		budgets := rapid.SliceOfN(budgetObject(sound), 0, pick(t, "most", 2, 2, 2, 4)).Draw(t, "budgets")
		put(object, "budgets", pick[any](t, "list", absent{}, nil, budgets, budgets, budgets, budgets, budgets, budgets))
		if odd("after") {
			delete(object, "consolidateAfter")
			put(object, "consolidateAfter", pick[any](t, "odd after",
				"", "1.5h", "100ms", "0", "-5s", "never", "1d", "9999999h", 30))
		}
		if odd("policy") {
			object["consolidationPolicy"] = pick[any](t, "odd policy", "WhenUnderutilized", "", "whenEmpty", true)
		}
		if odd("budgets") {
			fifty := slices.Repeat([]any{map[string]any{"nodes": "1"}}, pick(t, "many", 50, 50, 51))
			object["budgets"] = pick[any](t, "odd budgets", map[string]any{}, "x", fifty, []any{nil},
				[]any{"10%"}, []any{[]any{}})
		}
		if odd("field") {
			name := pick(t, "odd field", "budget", "Budgets", "expireAfter", "disruptionProbes", "drift", "defaults")
			object[name] = map[string]any{}
		}
		return object
	})
}

func budgetObject(sound bool) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		odd := func(field string) bool { return !sound && onceIn(t, 5, "odd "+field) }
		if odd("object") {
			return pick[any](t, "object", nil, 5)
		}
		object := map[string]any{}
		right := soundNodes()
		put(object, "nodes", pick[any](t, "nodes", absent{}, nil, right.Draw(t, "count"), right.Draw(t, "share")))
		reasons := rapid.SliceOfNDistinct(rapid.SampledFrom(karpenterReasons), 1, 4, rapid.ID).Draw(t, "reasons")
		put(object, "reasons", pick[any](t, "list", absent{}, absent{}, nil, reasons, reasons))
		if rapid.Bool().Draw(t, "scheduled") {
			object["schedule"], object["duration"] = soundCron().Draw(t, "schedule"), durationText().Draw(t, "duration")
		}
		if odd("nodes") {
			object["nodes"] = pick[any](t, "odd nodes", oddNodes().Draw(t, "text"), oddNodes().Draw(t, "text"),
				5, 0, -1, 5.5, 1<<31, true, []any{})
		}
		if odd("reasons") {
			object["reasons"] = pick[any](t, "odd reasons",
				oddReasons(reasons).Draw(t, "list"), oddReasons(nil).Draw(t, "list"), []any{"Expired"},
				[]any{"Drifted/AMIDrift"}, "Drifted", []any{nil}, []any{1})
		}
		if odd("schedule") {
			text := oddSchedule()
			put(object, "schedule", pick[any](t, "odd schedule", text.Draw(t, "text"), text.Draw(t, "text"), 5, nil))
		}
		if odd("duration") {
			put(object, "duration", pick[any](t, "odd duration", nil, "",
				"0m", "0h0m", "0s", "30s", "1m30s", "1d", "9999999h", "2562048h", "-1h", " 8h", "1h30",
				"1.5h", "1m1h", "8h\n", 8, true))
		}
		if odd("field") {
			name := pick(t, "odd field", "node", "Nodes", "timeZone", "outside", "topologyKey", "method")
			object[name] = pick[any](t, "value", "Europe/Berlin", "Drift", true, nil)
		}
		return object
	})
}

func durationText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.Map(rapid.IntRange(1, 200), func(n int) string { return fmt.Sprintf("%dh", n) }),
		rapid.Map(rapid.IntRange(1, 9999), func(n int) string { return fmt.Sprintf("%dm", n) }),
		rapid.Map(rapid.IntRange(1, 99), func(n int) string { return fmt.Sprintf("%dh%dm", n, n) }),
		rapid.SampledFrom([]string{"8h0m0s", "8h0s", "5m0s", "0h1m", "08h", "0h90m0s", "2562047h"}),
	)
}

// A verdict is where the API server and disruptkit differ on an object, by the rows of the table.
type verdict struct {
	stricter []string // disruptkit reports what the API server takes
	laxer    []string // disruptkit takes what the API server rejects
	dropped  bool     // there are fields that the API server drops, and disruptkit knows
}

func (v *verdict) rows() []string {
	rows := slices.Concat(v.stricter, v.laxer)
	if v.dropped {
		rows = append(rows, "a field that karpenter.sh/v1 does not have")
	}
	return rows
}

func (v *verdict) isStricter(is bool, row string) {
	if is {
		v.stricter = append(v.stricter, row)
	}
}

func (v *verdict) isLaxer(is bool, row string) {
	if is {
		v.laxer = append(v.laxer, row)
	}
}

// fields counts the fields of an object that the API server drops.
func (v *verdict) fields(object map[string]any, wellKnown, ours string) {
	for name := range object {
		switch {
		case slices.Contains(strings.Fields(wellKnown), name):
		case slices.Contains(strings.Fields(ours), name):
			v.dropped = true
		default:
			v.isStricter(true, "a field that does not exist")
		}
	}
}

var consolidateAfterPattern = regexp.MustCompile(`^(([0-9]+(s|m|h))+|Never)$`)

// judge looks for the differences in an object.
func judge(disruption any) (v verdict) {
	object, is := disruption.(map[string]any)
	if !is {
		return v
	}
	v.fields(object, "consolidateAfter consolidationPolicy budgets expireAfter disruptionProbes", "defaults drift")
	if text, is := object["consolidateAfter"].(string); is {
		d, err := time.ParseDuration(text)
		known := consolidateAfterPattern.MatchString(text)
		v.isLaxer(err == nil && d >= 0 && !known, "a consolidateAfter in other units")
		v.isStricter(err != nil && known && text != "Never", "a duration longer than 292 years")
	}
	v.isLaxer(object["consolidationPolicy"] == "WhenUnderutilized", "the consolidationPolicy of karpenter.sh/v1beta1")
	list, _ := object["budgets"].([]any)
	for _, item := range list {
		if b, is := item.(map[string]any); is {
			v.judgeBudget(b)
		}
	}
	return v
}

func (v *verdict) judgeBudget(b map[string]any) {
	v.fields(b, "nodes reasons schedule duration", "timeZone outside topologyKey method")
	number, isNumber := b["nodes"].(int64)
	v.isLaxer(isNumber && 0 <= number && number <= math.MaxInt32, "a count of nodes that is a number")
	text, _ := b["nodes"].(string)
	r := reading{}
	if theAPIServer().patterns["nodes"].MatchString(text) {
		r.readNodes(v1.Budget{Nodes: text}, tenNodes)
		_, err := (&v1.Budget{Nodes: text}).GetAllowedDisruptions(clocktesting.NewFakeClock(time.Time{}), tenNodes)
		v.isStricter(r.broken || err != nil, "a count of more than 32 bits")
	}
	v.judgeReasons(b["reasons"])
	v.judgeSchedule(b["schedule"])
	if text, is := b["duration"].(string); is && theAPIServer().patterns["duration"].MatchString(text) {
		d, err := time.ParseDuration(text)
		v.isStricter(err != nil, "a duration longer than 292 years")
		v.isStricter(err == nil && d == 0, "a duration of no time at all")
	}
}

func (v *verdict) judgeReasons(list any) {
	reasons, _ := list.([]any)
	for _, item := range reasons {
		reason, _ := item.(string)
		word, isWord := words[v1.DisruptionReason(reason)]
		_, isChild := children[v1.DisruptionReason(reason)]
		v.isLaxer(isChild || word == "Expired", "a reason that Karpenter asks no budget about")
		v.isLaxer(isWord && word != "Expired", "a reason of the RFCs in a NodePool")
	}
}

func (v *verdict) judgeSchedule(value any) {
	text, is := value.(string)
	if !is {
		return
	}
	accepted := theAPIServer().patterns["schedule"].MatchString(text)
	_, err := cron.ParseStandard("TZ=UTC " + text)
	if err != nil {
		v.isStricter(accepted, "a schedule that the schema takes and that does not parse")
		return
	}
	r := reading{}
	r.readSchedule(v1.Budget{Schedule: &text, Duration: hours(1)}, time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	for _, row := range r.rows {
		v.isStricter(accepted && r.broken, row)
	}
	if !accepted && !r.broken && theAPIServer().patterns["schedule"].MatchString(strings.Join(strings.Fields(text), " ")) {
		v.isLaxer(true, "white space that only the schema minds")
	}
}

func TestBudgetsAreTakenAsTheAPIServerTakesThem(t *testing.T) {
	quiet(t)
	seen := met{}
	var accepted, rejected int
	rounds(t, 60, func(t *rapid.T) {
		raw := must(json.Marshal(disruptionObject(rapid.Bool().Draw(t, "sound")).Draw(t, "disruption")))
		v := judge(must(decoded(raw)))
		seen.count(v.rows())
		stored, rejection := theAPIServer().admit(raw)
		set, report := compiled(raw)
		switch {
		case len(v.stricter) > 0 && report == nil:
			t.Fatalf("disruptkit takes %s, and should not: %q", raw, v.stricter)
		case len(v.laxer) > 0 && rejection == nil:
			t.Fatalf("the API server takes %s, and should not: %q", raw, v.laxer)
		case rejection == nil && report != nil && len(v.stricter) == 0 && !v.dropped:
			t.Fatalf("the API server takes %s, disruptkit reports: %v", raw, report)
		case rejection != nil && report == nil && len(v.laxer) == 0:
			t.Fatalf("disruptkit takes %s, the API server does not: %v", raw, rejection)
		}
		if rejection != nil {
			rejected++
			return
		}
		accepted++
		if v := judge(must(decoded(stored))); v.dropped || slices.Contains(v.stricter, "a field that does not exist") {
			t.Fatalf("the API server keeps fields that it does not know: %s", stored)
		}
		if report == nil && !v.dropped {
			sameBudgets(t, set, raw, stored)
			seen.count(pastTheAPIServer(t, raw, set))
		}
	})
	t.Logf("the API server took %d objects and rejected %d", accepted, rejected)
	if min(accepted, rejected) < 5 && !testing.Short() {
		t.Errorf("the API server took %d objects and rejected %d", accepted, rejected)
	}
	seen.wantAll(t, ruleSchema)
}

func decoded(text []byte) (value any, err error) {
	err = utiljson.Unmarshal(text, &value)
	return value, err
}

// sameBudgets fails unless disruptkit makes of an object as it was written what Karpenter makes of it as it is stored.
func sameBudgets(t *rapid.T, set budget.Set, raw, stored []byte) {
	var theirs v1.Disruption
	succeed(json.Unmarshal(stored, &theirs))
	var ours []v1.Budget
	for _, b := range set.Budgets() {
		ours = append(ours, must(karpenter.FromBudget(b)))
	}
	emptied := slices.Clone(theirs.Budgets)
	for i := range emptied {
		emptied[i].Reasons = append([]v1.DisruptionReason(nil), emptied[i].Reasons...) // an empty list is a difference
	}
	if diff := cmp.Diff(emptied, append([]v1.Budget{}, ours...)); diff != "" {
		t.Fatalf("%s: %s", raw, diff)
	}
	at := moment(theirs.Budgets).Draw(t, "now")
	nodes := rapid.IntRange(0, 300).Draw(t, "nodes")
	var readings []reading
	for _, b := range theirs.Budgets {
		readings = append(readings, read(b, at, nodes))
	}
	for _, reason := range karpenterReasons {
		want, _, rows := expected(readings, reason)
		got, err := budget.AllowedByReason(set, at, nodes, candidate.Reason(reason))
		says := poolOf(theirs.Budgets).MustGetAllowedDisruptions(clocktesting.NewFakeClock(at), nodes, reason)
		if got.Nodes != want || err != nil || len(rows) == 0 && min(want, math.MaxInt32) != says {
			t.Fatalf("%s: %d (%v), want %d, Karpenter: %d", raw, got.Nodes, err, want, says)
		}
	}
}

// pastTheAPIServer returns the differences of an object that no API server has completed.
func pastTheAPIServer(t *rapid.T, raw []byte, set budget.Set) (rows []string) {
	var theirs struct{ Budgets []v1.Budget } // consolidateAfter alone does not take null, which the API server replaces
	succeed(json.Unmarshal(raw, &theirs))
	at, reason := question{}.asked()
	_, err := poolOf(theirs.Budgets).GetAllowedDisruptionsByReason(clocktesting.NewFakeClock(at), tenNodes, reason)
	numberless := slices.ContainsFunc(theirs.Budgets, func(b v1.Budget) bool { return b.Nodes == "" && b.Schedule == nil })
	switch {
	case theirs.Budgets == nil:
		rows = append(rows, "no list of budgets, past the API server")
	case numberless:
		rows = append(rows, "no number of nodes, past the API server")
	}
	if numberless && err == nil {
		t.Fatalf("%s: Karpenter knows the default of nodes now", raw)
	}
	got, _ := budget.AllowedByReason(set, at, tenNodes, candidate.Reason(reason))
	if theirs.Budgets == nil && got.Nodes != 1 {
		t.Fatalf("%s: %d, want 10 %% of 10 nodes", raw, got.Nodes)
	}
	return rows
}

func TestBudgetsThatKarpenterCanSayAreAccepted(t *testing.T) {
	said := 0
	rounds(t, 20, func(t *rapid.T) {
		b := testkit.Arbitrary(generate.Budget).Draw(t, "budget")
		if rapid.Bool().Draw(t, "in UTC") {
			b.TimeZone, b.Outside = "", false
		}
		if rapid.Bool().Draw(t, "in no time of its own") {
			b.From, b.To, b.Calendar, b.Per = "", "", "", ""
		}
		if rapid.Bool().Draw(t, "for all") {
			b.Reasons = nil
		}
		from, err := karpenter.FromBudget(b)
		foreign := slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool {
			return !slices.Contains(karpenterReasons, v1.DisruptionReason(r))
		})
		own := b.From != "" || b.To != "" || b.Calendar != "" || b.Per != ""
		if can := b.TimeZone == "" && !b.Outside && !own && !foreign; can != (err == nil) {
			t.Fatalf("%v: %v", b, err)
		}
		if err != nil {
			return
		}
		said++
		atOnce := v1.MustParseNillableDuration("0s")
		list := must(json.Marshal(v1.Disruption{ConsolidateAfter: atOnce, Budgets: []v1.Budget{from}}))
		stored, err := theAPIServer().admit(list)
		if err != nil {
			t.Fatal(err)
		}
		set := must(budget.Compile([]budget.Budget{b}))
		sameBudgets(t, set, list, stored)
	})
	if said < 5 && !testing.Short() {
		t.Errorf("Karpenter could say only %d", said)
	}
}

func TestSchemaOfBudgetsHasTheFieldsThatAreCompared(t *testing.T) {
	disruption := theAPIServer().schema.Properties["spec"].Properties["disruption"]
	for where, fields := range map[string]struct {
		got  map[string]structuralschema.Structural
		want string
	}{
		"spec.disruption":           {disruption.Properties, "budgets consolidateAfter consolidationPolicy"},
		"spec.disruption.budgets[]": {disruption.Properties["budgets"].Items.Properties, "duration nodes reasons schedule"},
	} {
		if got := strings.Join(slices.Sorted(maps.Keys(fields.got)), " "); got != fields.want {
			t.Errorf("%s has %s, and used to have %s", where, got, fields.want)
		}
	}
}
