package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A nodePool returns a whole NodePool with budgets, in the lines from 17 on.
func nodePool(budgets string, changes ...string) string {
	text := `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: web
  annotations: {}
spec:
  template:
    spec:
      requirements:
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      expireAfter: Never
  disruption:
    consolidationPolicy: WhenEmptyOrUnderutilized
    consolidateAfter: 1m
    budgets:
    - ` + strings.ReplaceAll(budgets, "\n", "\n    - ") + "\n"
	return strings.NewReplacer(changes...).Replace(text)
}

// What people write, and what has to be said of it: Says and not are parts of it, with |.
func TestWhatIsSaidOfWhatPeopleWrite(t *testing.T) {
	const never, grace = "expireAfter: Never", "expireAfter: Never\n      terminationGracePeriod: 4h"
	expires := func(age string) []string { return []string{never, "expireAfter: " + age} }
	annotated := func(text string) []string { return []string{"annotations: {}", "annotations: {" + text + "}"} }
	for name, c := range map[string]struct {
		text, args, says, not string
	}{
		"a list of 0": {nodePool(`{nodes: "0"}`, expires("24h")...), "",
			"never-disruptable: web: Drifted, Empty and Underutilized are never allowed: budgets[0] is 0|expires-frozen|nodes expire after 24h (expireAfter) although budgets always block", "2027"},
		"a freeze that is longer than a life": {nodePool("{nodes: \"0\", schedule: \"0 0 * * fri\", duration: 72h}\n{nodes: 10%}", expires("24h")...), "",
			"warning expires-frozen|every node expires in the freeze of 72h from Fri 2026-11-27 00:00 UTC to Mon 2026-11-30 00:00 UTC", ""},
		"drift that is named, where nodes expire": {nodePool("{nodes: \"0\", reasons: [Drifted]}\n{nodes: 10%}", expires("720h")...), "",
			"info never-disruptable|after 720h (expireAfter)", "warning"},
		"drift that is named, beside a window for it": {nodePool("{nodes: \"0\", reasons: [Drifted]}\n{nodes: \"5\", reasons: [Drifted], schedule: \"0 0 * * 6\", duration: 8h}\n{nodes: 10%}", expires("720h")...), "",
			"warning never-disruptable", ""},
		"all that is named, where nodes expire in the freeze": {nodePool(`{nodes: "0", reasons: [Drifted, Empty, Underutilized]}`, expires("720h")...), "",
			"info never-disruptable|warning expires-frozen", ""},
		"minutes of each hour, where nodes expire":    {nodePool("{nodes: 10%}\n{nodes: \"0\", schedule: \"10 * * * *\", duration: 50m}", expires("168h")...), "", "info expires-frozen", ""},
		"all but minutes of each hour":                {nodePool("{nodes: 10%}\n{nodes: \"0\", schedule: \"0 * * * *\", duration: 10m}", expires("168h")...), "", "no findings", ""},
		"a half of three nodes at most":               {nodePool(`{nodes: 50%}`, "spec:\n  template:", "spec:\n  limits: {nodes: 3}\n  template:"), "", `50% of 3 nodes (limits.nodes) is 2|if that is too many`, "assumed"},
		"a half of four nodes at most":                {nodePool(`{nodes: 50%}`, "spec:\n  template:", "spec:\n  limits: {nodes: 4}\n  template:"), "", "no findings", ""},
		"more than a half of three":                   {nodePool(`{nodes: 51%}`, "spec:\n  template:", "spec:\n  limits: {nodes: 3}\n  template:"), "", "no findings", ""},
		"repair where Karpenter may not repair":       {nodePool("{nodes: 10%}\n{nodes: \"0\", schedule: \"0 0 18 12 *\", duration: 360h}"), "", "where the feature gate NodeRepair is on, broken nodes are not repaired", ""},
		"repair that a budget is for":                 {nodePool("{nodes: 10%}\n{nodes: \"1\", reasons: [Unhealthy]}\n{nodes: \"0\", schedule: \"0 0 18 12 *\", duration: 360h}"), "", "warning freeze-stops-repair: web: broken nodes", "feature gate"},
		"a budget for Expired":                        {nodePool("{nodes: 10%}\n{nodes: \"0\", reasons: [Expired]}"), "", "write a longer expireAfter, or Never, under spec.template.spec instead of this budget: expiration asks no budget", "write Underutilized"},
		"a zone in front of a schedule":               {nodePool("{nodes: 10%}\n{nodes: \"0\", schedule: \"TZ=Europe/Berlin 0 8 * * *\", duration: 8h}"), "", `write "0 7 * * *", and other hours from Sun 2027-03-28 on, when the clocks of Europe/Berlin change`, ""},
		"a zone in front of one that may have a zone": {nodePool("{nodes: 10%}\n{nodes: \"0\", schedule: \"TZ=Europe/Berlin 0 8 * * *\", duration: 8h}"), "--engine disruptkit", "give the zone on its own", "other hours"},
		"a window under a list of 0": {nodePool("{nodes: \"0\"}\n{nodes: \"1\", schedule: \"0 2 * * 6\", duration: 4h, reasons: [Drifted]}"), "",
			`write "reasons": ["Empty", "Underutilized", "Unhealthy"] in budgets[0] and add {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 6 * * sat", "duration": "164h"}`, ""},
		"fields that Karpenter drops": {nodePool("{nodes: \"0\", schedule: \"0 2 * * tue\", duration: 1h, outside: true}\n{nodes: \"0\", from: 2026-12-23, to: 2027-01-02}\n{nodes: \"1\"}"), "",
			"first fix budgets[0], which has outside|2 errors", "kubectl patch|never-binds|never-disruptable"},
		"a freeze of working hours": {nodePool("{nodes: \"0\", schedule: \"0 6 * * mon-fri\", duration: 14h}\n{nodes: 10%}"), "", "no findings", ""},
		"one at a time":             {nodePool(`{nodes: "1"}`), "", "1 info", "write 2 or more"},
		"no budgets":                {nodePool("", "budgets:\n    - ", "budgets: []"), "", "warning no-budgets", ""},
		"not all reasons":           {nodePool(`{nodes: 10%, reasons: [Drifted, Empty]}`), "", "warning unlimited-span", ""},
		"seconds":                   {nodePool("{nodes: \"0\", schedule: \"0 0 20 11 *\", duration: 1000h}\n{nodes: 10%}"), "--now 2026-11-29T03:45:21Z", "for 1000h|2026-11-29 03:45 UTC", ":21"},
		"a field that the steward reads elsewhere": {nodePool("{nodes: 10%, schedule: \"0 9 * * mon-fri\", duration: 8h, timeZone: Europe/Berlin}\n{nodes: 20%}"), "--engine steward",
			"and the steward reads it|it is not opted in", "where Karpenter runs"},
		"a pool that has opted in":                        {nodePool(`{nodes: 10%}`, annotated(`disruptkit.dev/steward: "true"`)...), "--engine steward", "no findings", ""},
		"drains longer than windows":                      {nodePool("{nodes: \"0\", schedule: \"0 4 * * *\", duration: 22h, reasons: [Drifted]}\n{nodes: 10%}", never, grace), "", "allowed for 2h at a time, but a drain may last 4h", ""},
		"drains shorter than windows":                     {nodePool("{nodes: \"0\", schedule: \"0 6 * * *\", duration: 20h, reasons: [Drifted]}\n{nodes: 10%}", never, grace), "", "no findings", ""},
		"all nodes at once that expire":                   {nodePool(`{nodes: 100%}`, expires("720h")...), "", "info expire-together", ""},
		"all nodes at once that do not":                   {nodePool(`{nodes: 100%}`), "", "limits-nothing", "expire-together"},
		"all nodes beside a count":                        {nodePool("{nodes: 100%}\n{nodes: \"5\"}"), "", "limits-nothing: web: budgets[0] is 100%", ""},
		"a window without nodes":                          {nodePool("{nodes: 20%}\n{schedule: \"0 9 * * *\", duration: 8h}"), "", "info default-nodes: web: budgets[1] has a schedule and no nodes, which means 10%", ""},
		"a zone whose clocks change":                      {nodePool("{nodes: 10%}\n{nodes: \"0\", schedule: \"0 9 * * *\", duration: 8h}"), "--zone Europe/Berlin", "utc-schedule|from Sun 2027-03-28 03:00 CEST on", ""},
		"a zone whose clocks do not":                      {nodePool("{nodes: 10%}\n{nodes: \"0\", schedule: \"0 9 * * *\", duration: 8h}"), "--zone Asia/Tokyo", "no findings", ""},
		"an age that comes after expiry":                  {nodePool(`{nodes: 10%}`, never, "expireAfter: 100h", "annotations: {}", `annotations: {disruptkit.dev/expire: "{after: 200h}"}`), "--engine guard", "no node becomes as old as 200h (after): nodes expire after 100h", ""},
		"a comment that is not read":                      {nodePool("{nodes: 10%} # disruptkit-ignore rounds-up"), "", "warning unknown-ignore|write # disruptkit:ignore", ""},
		"nodes of the status":                             {nodePool(`{nodes: 10%}`) + "status: {nodes: 3}\n", "", "10% of 3 nodes is 1", "assumed"},
		"nodes that nobody knows":                         {nodePool("{nodes: \"5\"}\n{nodes: 20%, schedule: \"0 22 * * *\", duration: 8h}"), "", "of 100 nodes, budgets[0] is 5 is tighter|; 100 nodes assumed (--nodes says how many)", ""},
		"no number of nodes":                              {nodePool(`{nodes: "0"}`), "", "1 warning", "assumed"},
		"a count of a static pool":                        {nodePool(`{nodes: "15"}`, "spec:\n  template:", "spec:\n  replicas: 10\n  template:"), "", "budgets[0] is 15, and limits nothing: all 10 nodes", "assumed"},
		"a freeze that is there already":                  {nodePool("{nodes: \"0\", schedule: \"0 0 23 11 *\", duration: 192h}\n{nodes: 10%}"), "", "not repaired from Mon 2026-11-23 00:00 UTC to Tue 2026-12-01 00:00 UTC, for 192h", ""},
		"two reasons without a limit":                     {nodePool("{nodes: \"0\", reasons: [Drifted], schedule: \"0 9 * * mon-fri\", duration: 8h}\n{nodes: 10%, reasons: [Underutilized]}"), "", "2 warnings", "fix what"},
		"several typos in a budget":                       {"- {nodes: \"0\", reasons: [drifted], schedule: \"0 0 * * sat-sun\", duration: 2d}\n", "--engine disruptkit", `write "reasons": ["Drifted"], "schedule": "0 0 * * sat,sun", "duration": "48h" in budgets[0], which raises`, ""},
		"nodes that the file lists":                       {nodePool(`{nodes: 10%}`) + node("a") + node("b"), "", "10% of 2 nodes is 1", "10% of 100"},
		"a window of nine to five":                        {nodePool("{nodes: 10%}\n{nodes: \"0\", schedule: \"0 9 * * mon-fri\", duration: 8h}\n{nodes: \"1\", reasons: [Unhealthy]}"), "", `write "reasons": ["Drifted", "Empty", "Underutilized"] in budgets[1]|1 warning`, ""},
		"a freeze of months":                              {nodePool("{nodes: \"0\", schedule: \"0 9 * 12 *\", duration: 8h}\n{nodes: \"0\", schedule: \"0 9 1 * *\", duration: 2400h}\n{nodes: 10%}"), "", "budgets[1] is 0 (0 9 1 * * for 2400h, UTC), and always active|→ first fix budgets[1]", "delete"},
		"windows that merge":                              {nodePool("{nodes: \"1\", schedule: \"0 9-17 * * *\", duration: 4h}\n{nodes: 50%}"), "", "for windows of 4h, which raises|for windows of 12h", ""},
		"an annotation that is tighter":                   {nodePool(`{nodes: 20%}`, annotated(`disruptkit.dev/disruption: "{budgets: [{nodes: '1'}]}"`)...), "--engine guard", "never-binds: web: budgets[0] is 20%", ""},
		"the only budget of its own, under an annotation": {nodePool(`{nodes: 20%}`, annotated(`disruptkit.dev/disruption: "{budgets: [{nodes: '1'}, {nodes: 5%}]}"`)...), "--engine guard", "info never-binds: web: budgets[0] is 20%|→ keep it for Karpenter alone", "delete budgets"},
		"two of its own, under an annotation":             {nodePool("{nodes: 20%}\n{nodes: 30%}", annotated(`disruptkit.dev/disruption: "{budgets: [{nodes: '1'}]}"`)...), "--engine guard", "info never-binds: web: budgets[0] is 20%|info never-binds: web: budgets[1] is 30%", "delete"},
		"a reason that only the guard knows":              {nodePool("{nodes: \"0\"}\n{nodes: \"1\", schedule: \"0 2 * * 6\", duration: 4h, reasons: [Drifted]}", annotated(`disruptkit.dev/expire: "{after: 200h}"`)...), "--engine guard", "the tightest budget wins: open a time in the others first: then this one limits nodes", `"Expired"`},
		"expiration that asks no budget":                  {nodePool("{nodes: \"0\"}\n{nodes: \"2\", schedule: \"0 3 * * 0\", duration: 3h, reasons: [Drifted]}"), "--engine guard", `write "reasons": ["Empty", "Underutilized", "Unhealthy"] in budgets[0]`, "raises Expired|and raises"},
		"a window beside a freeze and a limit":            {nodePool("{nodes: \"0\", schedule: \"0 0 * * sat,sun\", duration: 24h}\n{nodes: 10%}\n{nodes: 20%, schedule: \"0 22 * * *\", duration: 8h}"), "", `write "schedule": "0 6 * * *", "duration": "16h" in budgets[1], so that budgets[2] decides`, ""},
		"empty nodes, where a count limits all":           {nodePool("{nodes: \"3\"}\n{nodes: 100%, reasons: [Empty]}"), "", "info limits-nothing: web: budgets[1] is 100% (Empty), and allows no more than without it: budgets[0] is 3", "may be disrupted at once"},
		"half an hour on Monday":                          {nodePool("{nodes: \"0\", schedule: \"0 0 * * sat,sun\", duration: 24h}\n{nodes: \"0\", schedule: \"30 0 * * mon\", duration: 8h}\n{nodes: 10%}"), "", `add {"nodes": "0", "reasons": ["Drifted", "Empty", "Underutilized"], "schedule": "0 0 * * mon", "duration": "30m"}`, ""},
		"a duration without a unit":                       {nodePool("{nodes: \"0\", schedule: \"0 9 * * *\", duration: 8}\n{nodes: 10%}"), "", "1 NodePool, for Karpenter v1.15 (--engine karpenter): 1 error", "without a duration"},
		"a schedule by another name":                      {nodePool("{nodes: \"0\", crontab: \"0 9 * * *\", duration: 8h}\n{nodes: 10%}"), "", "budgets[0].crontab: karpenter.sh/v1 has no field|write schedule|1 error", "2 errors"},
		"a hole on Monday":                                {nodePool("{nodes: \"0\", schedule: \"0 20 * * 1-5\", duration: 12h}\n{nodes: \"0\", schedule: \"0 0 * * 6,0\", duration: 24h}\n{nodes: 10%}"), "", `warning gap|"schedule": "0 0 * * mon", "duration": "8h"`, ""},
		"Saturdays under a 0":                             {nodePool("{nodes: \"0\", reasons: [Drifted]}\n{nodes: \"5\", reasons: [Drifted], schedule: \"0 0 * * sat\", duration: 24h}\n{nodes: 10%}"), "", `never-binds: web: budgets[1]|write "schedule": "0 0 * * sun", "duration": "144h" in budgets[0], so that budgets[1] decides|Drifted is never allowed: budgets[0]`, ""},
		"an hour on Monday":                               {nodePool("{nodes: \"0\", schedule: \"0 0 * * sat,sun\", duration: 24h}\n{nodes: \"0\", schedule: \"0 1 * * mon\", duration: 7h}\n{nodes: 10%}"), "", "info gap|open for only 1h from Mon", ""},
		"a reason that never occurs":                      {nodePool("{nodes: \"0\", reasons: [Underutilized]}\n{nodes: \"5\"}", "WhenEmptyOrUnderutilized", "WhenEmpty"), "--engine guard", "never-occurs", "never-disruptable"},
		"a pause that is over":                            {nodePool(`{nodes: 10%}`, annotated(`disruptkit.dev/pause: "2026-11-20T08:00:00Z"`)...), "--engine guard", "the pause ended at 2026-11-20T08:00:00Z, and no longer applies", ""},
		"a list alone":                                    {"- nodes: \"0\"\n  schedule: \"0 9 * * mon-fri\"\n  duration: 8h\n- nodes: 10%\n", "", "1 NodePool|no findings", ""},
		"a list of JSON":                                  {`[{"nodes":"50%","schedule":"0 0 * * 6","duration":"48h"},{"nodes":"0"}]`, "", "never-binds", ""},
		"a fence":                                         {"```yaml\nbudgets:\n- nodes: \"0\"\n  schedule: \"0 9 * * mon-fri\"\n  duration: 8h\n```\n", "", "standard input:3: warning unlimited-span", ""},
		"a heredoc":                                       {"resource \"kubectl_manifest\" \"x\" {\n  yaml_body = <<-YAML\n    budgets:\n    - nodes: \"0\"\n  YAML\n}\n", "", "standard input:4: warning never-disruptable", ""},
		"Terraform":                                       {"resource \"kubernetes_manifest\" \"x\" {\n  manifest = {\n    budgets = [{ nodes = \"0\" }]\n  }\n}\n", "", "this looks like Terraform: paste its budgets as YAML", ""},
		"values of Helm":                                  {"nodepool:\n  name: default\n  disruption:\n    budgets:\n    - nodes: \"0\"\n", "", "if it has the values of a template, render that, and read the result", "NodePools,"},
		"a HelmRelease":                                   {"apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: pools}\nspec: {values: {budgets: [{nodes: \"0\"}]}}\n", "", "HelmRelease/pools has yet to be rendered: read what helm template prints", ""},
		"an Application":                                  {"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: pools}\n", "", "read what argocd app manifests prints", ""},
		"a Kustomization":                                 {"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: pools}\n", "", "read what kubectl kustomize prints", ""},
		"typographic quotes":                              {"budgets:\n- nodes: “50%”\n", "", `it has typographic quotes: write "50%"`, ""},
		"a number without quotes":                         {"spec:\n  disruption:\n    budgets:\n    - nodes: 0\n", "", `budgets[0].nodes: 0 is rejected: write "0"`, "rejected by"},
		"no NodeClass":                                    {nodePool(`{nodes: 10%}`, "      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}\n", ""), "", "info rejected: web: spec.template.spec.nodeClassRef is absent: unless this is an excerpt", ""},
		"no requirements":                                 {nodePool(`{nodes: 10%}`, "      requirements:\n      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}\n", ""), "", "info rejected: web: spec.template.spec.requirements is absent", ""},
		"a policy alone":                                  {policyOf(`[{nodes: 10%}, {nodes: 20%}]`), "--engine guard", "warning never-binds: DisruptionPolicy/all: budgets[1] is 20%", "no readable"},
		"a policy that limits in windows":                 {policyOf(`[{nodes: 10%, schedule: "0 9 * * *", duration: 8h}]`), "--engine guard", "no findings", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := linted(c.text, append(strings.Fields("--now 2026-11-28T06:00:00Z "+c.args), "-")...)
			said := strings.Join(strings.Fields(got.stderr+" "+got.stdout), " ")
			for part := range strings.SplitSeq(c.says, "|") {
				if !strings.Contains(said, part) {
					t.Errorf("%q is not in: %s", part, said)
				}
			}
			for part := range strings.SplitSeq(c.not, "|") {
				if part != "" && strings.Contains(said, part) {
					t.Errorf("%q is in: %s", part, said)
				}
			}
		})
	}
}

func node(name string) string {
	return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {karpenter.sh/nodepool: web, karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'}}}\n"
}

func policyOf(budgets string) string {
	return "apiVersion: disruptkit.dev/v1alpha1\nkind: DisruptionPolicy\nmetadata: {name: all}\nspec: {all: true, budgets: " + budgets + "}\n"
}

// What the API server rejects outside of spec.disruption.
func TestWhatTheAPIServerRejects(t *testing.T) {
	whole := nodePool(`{nodes: 10%}`)
	for _, c := range []struct{ from, to, says string }{
		{"expireAfter: Never", "expireAfter: 30d", `spec.template.spec.expireAfter: "30d" is rejected: write 720h`},
		{"expireAfter: Never", "expireAfter: 720", "expireAfter: 720 is rejected: write a duration"},
		{"expireAfter: Never", "expireAfter: 1h30m", ""},
		{"expireAfter: Never", "terminationGracePeriod: Never", `"Never" is rejected: write a duration such as 48h, or leave it out`},
		{"expireAfter: Never", "terminationGracePeriod: 1.5h", `"1.5h" is rejected: write 1h30m`},
		{"spec:\n  template:", "spec:\n  weight: 0\n  template:", "weight: 0 is rejected: write a number from 1 to 100"},
		{"spec:\n  template:", "spec:\n  weight: 1000\n  template:", "weight: 1000 is rejected"},
		{"spec:\n  template:", "spec:\n  weight: 100\n  template:", ""},
		{"spec:\n  template:", "spec:\n  replicas: -1\n  template:", "replicas: -1 is rejected: write a number, 0 or more"},
		{"spec:\n  template:", "spec:\n  replicas: 3\n  weight: 5\n  template:", "spec.weight: a NodePool with replicas has no weight"},
		{"spec:\n  template:", "spec:\n  replicas: 3\n  limits: {cpu: 10}\n  template:", "spec.limits.cpu: a NodePool with replicas has no limits but nodes"},
		{"spec:\n  template:", "spec:\n  replicas: 3\n  limits: {nodes: 10}\n  template:", ""},
		{"spec:\n  template:", "spec:\n  limits: {cpu: 10 cores}\n  template:", `limits.cpu: "10 cores" is rejected: write a quantity`},
		{"karpenter.k8s.aws", "karpenter.k8s.aws/v1", "write karpenter.k8s.aws, without a version"},
		{", name: default", "", "is rejected: write group, kind and name"},
	} {
		text := strings.Replace(whole, c.from, c.to, 1)
		if text == whole {
			t.Fatalf("%q is not there", c.from)
		}
		got := linted(text, "-")
		said := strings.Join(strings.Fields(got.stdout), " ")
		if c.says == "" && got.status != 0 || c.says != "" && (got.status != 1 || !strings.Contains(said, c.says) || !strings.Contains(said, "error rejected")) {
			t.Errorf("%q: %d, %s, want %s", c.to, got.status, said, c.says)
		}
	}
}

// A typo with one reading is written out in every style of YAML, for every engine, and lint is silent about it then.
func TestFixWritesWhatIsMeant(t *testing.T) {
	for was, is := range map[string]string{
		`reasons: [drifted]`: `reasons: [Drifted]`, "reasons:\n  - Underutilised": "reasons:\n  - Underutilized", `"reasons": ["WhenUnderutilized"]`: `"reasons": ["Underutilized"]`,
		`schedule: "@Weekly"`: `schedule: "@weekly"`, `schedule: '0 9 * * mon–fri'`: `schedule: '0 9 * * mon-fri'`, `schedule: 0 9 * * mon-sun`: `schedule: "0 9 * * mon-sat,sun"`,
		`duration: 9d`: `duration: 216h`, `duration: "8.5h"`: `duration: "8h30m"`, `"duration": "PT8H30M"`: `"duration": "8h30m"`,
		"nodes: “50%”\n  schedule: “0 9 * * 1”\n  duration: 9d": "nodes: \"50%\"\n  schedule: \"0 9 * * 1\"\n  duration: 216h", `nodes: 10 %`: `nodes: "10%"`, `nodes: '10 %'`: `nodes: '10%'`, `nodes: “50%”`: `nodes: "50%"`,
	} {
		for _, e := range []string{"karpenter", "guard", "steward", "disruptkit"} {
			name := strings.Trim(was[:strings.Index(was, ":")], `"`)
			rest := map[string]string{"nodes": "", "reasons": "nodes: 10%", "schedule": "nodes: 10%, duration: 8h", "duration": `nodes: 10%, schedule: "0 9 * * 1"`}[name]
			write := func(field string) string {
				if strings.HasPrefix(field, `"`) {
					quoted := strings.NewReplacer("nodes:", `"nodes":`, "10%", `"10%"`, "schedule:", `"schedule":`).Replace(rest)
					return `{"budgets": [{` + strings.Trim(field+", "+quoted, ", ") + "}]}\n"
				}
				return "budgets: # all\n- " + strings.Trim(strings.ReplaceAll(rest, ", ", "\n  ")+"\n  "+field, "\n ") + " # why\n"
			}
			path := filepath.Join(t.TempDir(), "pool.yaml")
			if err := os.WriteFile(path, []byte(write(was)), 0o600); err != nil {
				t.Fatal(err)
			}
			got := linted("", "--engine", e, "--fix", path)
			if text, _ := os.ReadFile(path); string(text) != write(is) || strings.Contains(got.stdout, "error") {
				t.Errorf("%s: %q became %q, want %q: %v", e, write(was), text, write(is), got)
			}
		}
	}
}

// What is as wrong when the typo is corrected, and what has several readings, stays.
func TestFixLeavesWhatIsNotObvious(t *testing.T) {
	for _, budget := range []string{`{nodes: "0", reasons: [expired]}`, `{nodes: "0", schedule: "@Weekly"}`, `{nodes: "0", schedule: "0 0 L * *", duration: 1h}`, `{nodes: "110%"}`} {
		path := filepath.Join(t.TempDir(), "pool.yaml")
		if err := os.WriteFile(path, []byte(nodePool(budget)), 0o600); err != nil {
			t.Fatal(err)
		}
		got := linted("", "--fix", path)
		if text, _ := os.ReadFile(path); string(text) != nodePool(budget) && !strings.Contains(budget, "@") || got.status != 1 {
			t.Errorf("%s became %s: %v", budget, text, got)
		}
	}
}

// A file with a template, one with other objects, and one in a directory that is left out.
func TestOfADirectoryTemplatesAreSkipped(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"pool.yaml": nodePool(`{nodes: 10%}`), "templates/pool.yaml": nodePool(`{nodes: {{ .Values.nodes }}}`), "flux/pool.yaml": nodePool(`{nodes: "${NODES}"}`),
		"old/broken.yaml": nodePool(`{nodes: 110%}`), "values.yaml": "nodePool: {budgets: [{nodes: \"0\"}]}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, exclude := range []string{"old", "old/", "broken.*", "old/*.yaml"} {
		got := linted("", "-R", "--exclude", exclude, dir)
		if got.status != 0 || strings.Count(got.stderr, "skipped, since it is a template") != 2 || !strings.Contains(got.stdout, "no findings") {
			t.Error(exclude, got)
		}
	}
	if got := linted("", "-R", dir); got.status != 1 {
		t.Error(got)
	}
	template, values := filepath.Join(dir, "templates/pool.yaml"), filepath.Join(dir, "values.yaml")
	if got := linted("", template); got.status == 0 {
		t.Error("a template that is named is no error", got)
	}
	if got := linted("", "--if-any", template, values); got.status != 0 {
		t.Error(got)
	}
	if got := linted("", "--if-any", filepath.Join(dir, "old/broken.yaml"), values); got.status != 1 {
		t.Error(got)
	}
	if got := linted("", values); got.status != 2 {
		t.Error(got)
	}
}

// The lists of the documentation of Karpenter, AWS, Azure and their blueprints, judged by hand: all that is more than info is a mistake, or says what the page wants to show.
func TestWhatIsFoundOfTheListsInDocumentation(t *testing.T) {
	const never = "Never" // expireAfter
	for name, c := range map[string]struct{ budgets, expires, want string }{
		"Karpenter, NodePools":            {"{nodes: 10%}\n{schedule: \"0 9 * * mon-fri\", duration: 8h, nodes: \"0\"}", "720h", "info expires-frozen"},
		"Karpenter, disruption":           {"{nodes: 20%, reasons: [Empty, Drifted]}\n{nodes: \"5\"}\n{nodes: \"0\", schedule: \"@daily\", duration: 10m, reasons: [Underutilized]}", "720h", ""},
		"Karpenter, nothing at all":       {`{nodes: "0"}`, "720h", "warning never-disruptable, warning expires-frozen"},
		"Karpenter, AMIs":                 {"{nodes: 15%}\n{nodes: \"3\"}\n{nodes: \"0\", schedule: \"0 9 * * sat,sun\", duration: 24h}\n{nodes: \"0\", schedule: \"0 17 * * mon-fri\", duration: 16h, reasons: [Drifted]}", never, ""},
		"Karpenter, settings":             {"{nodes: 10%}\n{nodes: \"0\", schedule: \"0 9 * * mon-fri\", duration: 8h, reasons: [Drifted]}\n{nodes: 10%, reasons: [Empty]}", never, "warning never-binds"},
		"Karpenter, balanced":             {`{nodes: 10%}`, "720h", ""},
		"Karpenter, tests":                {`{nodes: 100%}`, never, "info limits-nothing"},
		"AKS, a freeze alone":             {`{nodes: "0", schedule: "0 9 * * 1-5", duration: 8h}`, never, "warning unlimited-span"},
		"AKS, weekends under a 0":         {"{nodes: 50%, schedule: \"0 0 * * 6\", duration: 48h}\n{nodes: \"0\"}", never, "warning never-binds, warning never-disruptable"},
		"AKS, two windows":                {"{nodes: \"1\", schedule: \"0 2 * * *\", duration: 2h}\n{nodes: \"3\", schedule: \"0 4 * * *\", duration: 4h}", never, "warning unlimited-span"},
		"AKS, a minute of maintenance":    {"{nodes: 20%}\n{nodes: \"5\"}\n{nodes: \"0\", schedule: \"@daily\", duration: 10m}", "720h", ""},
		"Azure, a workshop":               {"{nodes: 40%, reasons: [Empty, Drifted]}\n{nodes: \"2\"}\n{nodes: \"0\", schedule: \"0 21 * * *\", duration: 3h}", "720h", "info expires-frozen"},
		"Azure, an example":               {`{nodes: 30%}`, never, ""},
		"blueprints, day and night":       {"{nodes: \"0\", schedule: \"0 9 * * *\", duration: 8h}\n{nodes: 20%, schedule: \"0 17 * * *\", duration: 16h}", "720h", "info expires-frozen"},
		"blueprints, two windows":         {"{nodes: 20%, schedule: \"0 22 * * *\", duration: 4h}\n{nodes: 10%, schedule: \"0 2 * * *\", duration: 20h}", "720h", ""},
		"blueprints, a single reason":     {`{nodes: 20%, reasons: [Drifted]}`, "720h", "warning unlimited-span"},
		"blueprints, a freeze for ever":   {`{nodes: "0", schedule: "0 0 * * *", duration: 24h}`, "336h", "warning never-closes, warning never-disruptable, warning expires-frozen"},
		"blueprints, a freeze of drift":   {"{nodes: \"0\", reasons: [Drifted], schedule: \"0 9 * * *\", duration: 8h}\n{nodes: 10%}", "720h", ""},
		"blueprints, empty nodes at will": {"{nodes: 100%, reasons: [Empty]}\n{nodes: 10%, reasons: [Drifted, Underutilized]}", "720h", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := codesOf(nodePool(c.budgets, "expireAfter: Never", "expireAfter: "+c.expires)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
