package planner

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// Where no node is done there are no times before what is said of deadlines.
func TestAZoneThatIsNeverDoneSaysOnlyHowManyAreLate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	write(t, file, strings.Replace(strings.Replace(fleet(1, "null"), "budgets: null", "drift: {deadline: 30h}", 1),
		"labels: {app: api-2}", `labels: {app: api-2}, annotations: {karpenter.sh/do-not-disrupt: "true"}`, 1))
	got := ran("", "-f", file, "--now", "2026-11-20T18:00:00Z", "--horizon", "72h", "--try=false").stdout
	if !strings.Contains(got, "  0 of 1  1 misses its deadline\n") {
		t.Error(got)
	}
	for format, want := range map[string]string{"text": "1 never, 1 misses its deadline.\n", "svg": "1 never, 1 late</title>"} {
		got := ran("", "-f", file, "--now", "2026-11-20T18:00:00Z", "--horizon", "6h", "--try=false", "-o", format).stdout
		if head, _, _ := strings.Cut(got, "Main cause"); !strings.Contains(head, want) {
			t.Errorf("the deadline is beyond the horizon, and a node that never goes misses it: %s", head)
		}
	}
}

// A mark is an element of a picture or of a page.
type mark struct {
	XMLName xml.Name
	Class   string  `xml:"class,attr"`
	X       float64 `xml:"x,attr"`
	Y       float64 `xml:"y,attr"`
	Width   float64 `xml:"width,attr"`
	Height  float64 `xml:"height,attr"`
	D       string  `xml:"d,attr"`
	Text    string  `xml:",chardata"`
	Marks   []mark  `xml:",any"`
}

func parsed(t *testing.T, document string) (root mark) {
	t.Helper()
	if err := xml.Unmarshal([]byte(strings.TrimPrefix(document, "<!DOCTYPE html>\n")), &root); err != nil {
		t.Fatal(err)
	}
	return root
}

// all returns the elements with a name, wherever they are, in their order.
func (m mark) all(name string) (found []mark) {
	for _, in := range m.Marks {
		if in.XMLName.Local == name {
			found = append(found, in)
		}
		found = append(found, in.all(name)...)
	}
	return found
}

// of returns the elements directly in m that have a class.
func (m mark) of(class string) (found []mark) {
	for _, in := range m.Marks {
		if slices.Contains(strings.Fields(in.Class), class) {
			found = append(found, in)
		}
	}
	return found
}

var barPath = regexp.MustCompile(`M([\d.-]+) ([\d.-]+)([Hh])([\d.-]+)`)

// bars returns the bars of a path, each as a rectangle without height.
func (m mark) bars() (all []mark) {
	for _, found := range barPath.FindAllStringSubmatch(m.D, -1) {
		var at [3]float64
		for i, text := range []string{found[1], found[2], found[4]} {
			at[i], _ = strconv.ParseFloat(text, 64)
		}
		if found[3] == "H" {
			at[2] -= at[0]
		}
		all = append(all, mark{X: at[0], Y: at[1], Width: at[2]})
	}
	return all
}

// A scale is where times are in a picture.
type scale map[time.Time]float64

// learn notes that these times, in their order, are at these places, in theirs.
func (s scale) learn(t *testing.T, times []time.Time, places []float64) {
	t.Helper()
	if len(times) != len(places) {
		t.Errorf("%d times are at %d places", len(times), len(places))
		return
	}
	slices.SortFunc(times, time.Time.Compare)
	slices.Sort(places)
	for i, at := range times {
		if x, known := s[at]; known && (x-places[i] > 0.5 || places[i]-x > 0.5) {
			t.Errorf("%s is at %.1f, and at %.1f", at, x, places[i])
		}
		s[at] = places[i]
	}
}

// steps returns when a node's replacement is launched, and when the node drains.
func (n jsonNode) steps(from time.Time) (launch, drain [2]time.Time) {
	if n.Start != nil {
		from = *n.Start
	}
	switch {
	case n.Ready == nil:
		return launch, [2]time.Time{from, *n.Gone}
	case n.Ready.After(*n.Gone):
		return [2]time.Time{*n.Gone, *n.Ready}, [2]time.Time{from, *n.Gone}
	}
	return [2]time.Time{from, *n.Ready}, [2]time.Time{*n.Ready, *n.Gone}
}

// checkPicture compares a picture with the plans that it is of: in each lane the bars of its nodes, on one scale of
// time for all.
func checkPicture(t *testing.T, svg mark, plans []jsonPlan) {
	t.Helper()
	lanes := svg.of("lane")
	labels := svg.all("g")
	times, drawn := scale{}, 0
	late, several := false, false
	for _, p := range plans {
		for _, zone := range zonesOf(p) {
			if drawn >= len(lanes) || drawn >= len(labels) {
				t.Fatalf("%d lanes, %d labels", len(lanes), len(labels))
			}
			checkLane(t, svg, lanes[drawn], labels[drawn], p, zone, times)
			late = late || slices.ContainsFunc(zone, func(n jsonNode) bool { return n.LateBy > 0 })
			several = several || overlapping(p, zone)
			if underlined := len(inLane(svg.of("overlap"), lanes[drawn], 10)) > 0; underlined != overlapping(p, zone) {
				t.Errorf("%s is underlined: %t", zone[0].Zone, underlined)
			}
			drawn++
		}
	}
	if drawn != len(lanes) || drawn != len(labels) {
		t.Errorf("%d lanes and %d labels for %d zones", len(lanes), len(labels), drawn)
	}
	if len(svg.of("late")) != btoi(late) || len(svg.of("several")) != btoi(several) {
		t.Errorf("the legend has late nodes: %d, several zones: %d", len(svg.of("late")), len(svg.of("several")))
	}
	var finishes []float64
	for i, p := range plans {
		end := svg.of("finish")[i]
		var x float64
		if _, err := fmt.Sscanf(end.D, "M%f", &x); err != nil {
			t.Fatal(err)
		}
		finishes = append(finishes, x)
		if text := svg.of("done")[i]; text.Text != p.Finish.Format("15:04") || text.X < x {
			t.Errorf("the end is %s at %.1f, and %s is written at %.1f", p.Finish, x, text.Text, text.X)
		}
		times.learn(t, []time.Time{*p.Finish}, finishes[i:])
	}
	bands := slices.DeleteFunc(svg.of("band"), func(m mark) bool { return m.Width == 22 && m.Height == 10 }) // the key
	for _, p := range plans {
		if p.Range == nil || p.Range.Late == nil || p.Range.Early.Equal(*p.Range.Late) {
			continue
		}
		if len(bands) == 0 {
			t.Error("a range is not drawn")
			break
		}
		times.learn(t, []time.Time{*p.Range.Early}, []float64{bands[0].X})
		times.learn(t, []time.Time{*p.Range.Late}, []float64{bands[0].X + bands[0].Width})
		bands = bands[1:]
	}
	if len(bands) > 0 {
		t.Errorf("%d ranges are drawn that are none", len(bands))
	}
	for at, x := range times {
		for other, place := range times {
			if other.After(at) && place < x-0.5 || other.Sub(at) >= time.Hour && place <= x {
				t.Errorf("%s is at %.1f, and %s at %.1f", at, x, other, place)
			}
		}
	}
	checkTexts(t, svg)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// zonesOf returns the nodes of each pool and zone, in the order of the plan's groups.
func zonesOf(p jsonPlan) (zones [][]jsonNode) {
	seen := map[[2]string]bool{}
	for _, g := range p.Groups {
		if key := [2]string{g.Pool, g.Zone}; !seen[key] {
			seen[key] = true
			other := func(n jsonNode) bool { return n.Pool != g.Pool || n.Zone != g.Zone }
			zones = append(zones, slices.DeleteFunc(slices.Clone(p.Nodes), other))
		}
	}
	return zones
}

// overlapping reports whether another zone of the pool has nodes in flight while this one has.
func overlapping(p jsonPlan, zone []jsonNode) bool {
	span := func(n jsonNode) (from, to time.Time) {
		launch, drain := n.steps(*p.From)
		from, to = drain[0], drain[1]
		if !launch[0].IsZero() {
			from, to = schedule.First(from, launch[0]), launch[1]
			if drain[1].After(to) {
				to = drain[1]
			}
		}
		return from, to
	}
	for _, n := range zone {
		for _, o := range p.Nodes {
			if n.Outcome != plan.Done || o.Outcome != plan.Done || n.Pool != o.Pool || n.Zone == o.Zone {
				continue
			}
			from, to := span(n)
			if begin, end := span(o); from.Before(end) && begin.Before(to) {
				return true
			}
		}
	}
	return false
}

// inLane returns the bars of paths that are within a lane, or at most so far below it.
func inLane(paths []mark, lane mark, below float64) (bars []mark) {
	for _, path := range paths {
		for _, bar := range path.bars() {
			if bar.Y >= lane.Y && bar.Y < lane.Y+lane.Height+below {
				bars = append(bars, bar)
			}
		}
	}
	return bars
}

func checkLane(t *testing.T, svg, lane, label mark, p jsonPlan, nodes []jsonNode, times scale) {
	t.Helper()
	counts := map[plan.Outcome]int{}
	late := 0
	starts, ends := map[string][]time.Time{}, map[string][]time.Time{}
	note := func(class string, step [2]time.Time) {
		if !step[0].IsZero() {
			starts[class], ends[class] = append(starts[class], step[0]), append(ends[class], step[1])
		}
	}
	for _, n := range nodes {
		counts[n.Outcome]++
		if n.Late {
			late++
		}
		if n.Outcome != plan.Done {
			continue
		}
		launch, drain := n.steps(*p.From)
		note("launch-bar", launch)
		note("drain-bar", drain)
		if n.Late {
			note("late-bar", [2]time.Time{*n.Gone, *n.Gone})
		}
	}
	count := fmt.Sprintf("%s: %d of %d", nodes[0].Pool, counts[plan.Done], len(nodes))
	for _, more := range []struct {
		count int
		word  string
	}{{counts[plan.Never], "never"}, {counts[plan.Open], "open"}, {late, "late"}} {
		if more.count > 0 {
			count += fmt.Sprintf(", %d %s", more.count, more.word)
		}
	}
	var told []string
	for _, m := range label.Marks {
		told = append(told, m.Text)
		if m.XMLName.Local == "text" && (m.Y < lane.Y || m.Y > lane.Y+lane.Height || m.X > lane.X) {
			t.Errorf("%q is not beside its lane", m.Text)
		}
	}
	if diff := gocmp.Diff([]string{nodes[0].Zone + ", " + count, nodes[0].Zone, count}, told); diff != "" {
		t.Errorf("the label of a lane (-want +got)\n%s", diff)
	}
	for _, class := range []string{"launch-bar", "drain-bar", "late-bar"} {
		var from, to []float64
		for _, bar := range inLane(svg.of(class), lane, 0) {
			if class == "late-bar" {
				bar.X, bar.Width = bar.X+bar.Width/2, 0
			}
			from, to = append(from, bar.X), append(to, bar.X+bar.Width)
			if bar.X < lane.X || bar.X+bar.Width > lane.X+lane.Width+0.5 {
				t.Errorf("a bar is outside of its lane: %+v", bar)
			}
		}
		times.learn(t, starts[class], from)
		times.learn(t, ends[class], to)
	}
	closed := slices.ContainsFunc(p.Closed, func(c jsonClosing) bool {
		return c.Pool == nodes[0].Pool && c.To.Sub(*c.From) > time.Hour
	})
	hatched := slices.ContainsFunc(svg.of("closed"), func(m mark) bool {
		return m.Y == lane.Y && m.Height == lane.Height && m.X >= lane.X
	})
	if closed != hatched {
		t.Errorf("%s %s is hatched: %t", nodes[0].Pool, nodes[0].Zone, hatched)
	}
}

// checkTexts checks that no text is cut by the edge of the picture, or runs into what is to the right of it in the
// legend.
func checkTexts(t *testing.T, svg mark) {
	t.Helper()
	var keys []mark
	for _, class := range []string{"launch", "drain", "gap", "closed", "several", "late", "band"} {
		keys = append(keys, slices.DeleteFunc(svg.of(class), func(m mark) bool { return m.Width != 22 })...)
	}
	for _, text := range svg.all("text") {
		wide := map[string]float64{"title": 20, "panel": 14}[text.Class]
		wide = cmp.Or(wide, 11) * 0.5 * float64(len([]rune(text.Text)))
		from := text.X
		switch {
		case strings.Contains(text.Class, "mid"):
			from -= wide / 2
		case strings.Contains(text.Class, "end"):
			from -= wide
		}
		shortened := strings.Contains(text.Text, "…") && text.Class != "faint"
		if from < 0 || from+wide > svg.Width || text.Y > svg.Height || shortened {
			t.Errorf("%q is cut", text.Text)
		}
		for _, key := range keys {
			if text.Class == "" && key.Y < text.Y && text.Y <= key.Y+key.Height && from < key.X && from+wide > key.X {
				t.Errorf("%q runs into the next key", text.Text)
			}
		}
	}
}

func TestAPictureShowsWhatBecomesOfEachNodeOnOneScaleOfTime(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		write(t, path, text)
		return path
	}
	evening := []string{"--now", "2026-11-20T18:00:00Z", "--drain", "5m,20m,45m", "--try=false"}
	for _, test := range []struct {
		fleet  string
		args   []string
		panels []string
	}{
		{"of two pools, some of whose nodes never go", []string{"--try=false"}, nil},
		{"with windows", append(evening, "-f", file("nights", fleet(40, nights))), nil},
		{"whose zones take turns", append(evening, "-f", file("turns", fleet(20, zones))), nil},
		{"that drains first", append(evening, "-f", file("first", fleet(5, nights)), "--drain-first"), nil},
		{"that misses deadlines", append(evening, "-f", file("due", dueFleet)), nil},
		{"that is not done by the horizon",
			append(evening, "-f", file("open", fleet(20, nights)), "--horizon", "6h"), nil},
		{"as it is and as it would be",
			append(evening, "-f", file("big", fleet(40, nights)), "--what-if", filepath.Join("testdata", "twice.yaml")),
			[]string{"as it is", "120 done between Sat 21 Nov 01:41 and 02:10 in 8 of 10 runs, half of them by 01:55",
				"with twice.yaml", "120 done between Fri 20 Nov 21:59 and 22:12 in 8 of 10 runs, half of them by 22:03"}},
		{"as it is and as it would be later", append(evening, "-f", file("few", fleet(10, nights)), "--outage",
			"2026-11-20T22:30:00Z/2026-11-21T05:00:00Z"),
			[]string{"as it is", "30 done between Sat 21 Nov 00:59 and 01:48 in 8 of 10 runs, half of them by 01:23",
				"with 1 outage", "30 done between Sat 21 Nov 22:49 and 23:36 in 8 of 10 runs, half of them by 23:16"}},
	} {
		t.Run("a fleet "+test.fleet, func(t *testing.T) {
			answer := decoded(t, test.args...)
			plans := []jsonPlan{answer.Plan}
			if answer.WhatIf != nil {
				plans = append(plans, *answer.WhatIf)
			}
			alone := parsed(t, ran("", append(test.args, "-o", "svg")...).stdout)
			page := parsed(t, ran("", append(test.args, "-o", "html")...).stdout)
			for _, svg := range append([]mark{alone}, page.all("svg")...) {
				checkPicture(t, svg, plans)
				var panels []string
				for _, text := range svg.all("text") {
					if text.Class == "panel" || text.Class == "faint end" {
						panels = append(panels, text.Text)
					}
				}
				if diff := gocmp.Diff(test.panels, panels); diff != "" {
					t.Errorf("the panels (-want +got)\n%s", diff)
				}
			}
			if len(page.all("svg")) != 1 {
				t.Errorf("the page has %d pictures", len(page.all("svg")))
			}
		})
	}
}

// tables returns the tables of a page by the heading above them: their rows, of which the first is the head.
func tables(page mark) map[string][][][]string {
	found, heading := map[string][][][]string{}, ""
	for _, m := range page.all("body")[0].Marks {
		switch m.XMLName.Local {
		case "h2", "h3":
			heading = m.Text
		case "div":
			var rows [][]string
			for _, tr := range m.all("tr") {
				var row []string
				for _, cell := range tr.Marks {
					row = append(row, cell.Text)
				}
				rows = append(rows, row)
			}
			found[heading] = append(found[heading], rows)
		}
	}
	return found
}

func TestThePageListsTheNodesThatMissTheirDeadlinesTheLatestFirst(t *testing.T) {
	file := filepath.Join(t.TempDir(), "due.yaml")
	write(t, file, dueFleet)
	args := []string{"-f", file, "--now", "2026-11-20T18:00:00Z", "--drain", "5m,20m,45m", "--runs", "1"}
	answer := decoded(t, args...)
	got := tables(parsed(t, ran("", append(args, "-o", "html")...).stdout))

	var late []jsonNode
	for _, n := range answer.Plan.Nodes {
		if n.Late {
			late = append(late, n)
		}
	}
	slices.SortStableFunc(late, func(a, b jsonNode) int { return cmp.Compare(b.LateBy, a.LateBy) })
	want := [][]string{{"Node", "Pool", "Zone", "Deadline", "Gone", "Late by"}}
	for _, n := range late {
		by := time.Duration(n.LateBy * float64(time.Second)).Truncate(time.Minute)
		text := strings.TrimSuffix(by.String(), "0s")
		if by >= time.Hour {
			text = fmt.Sprintf("%dh%02dm", by/time.Hour, by%time.Hour/time.Minute)
		}
		want = append(want, []string{n.Name, n.Pool, n.Zone,
			n.Deadline.Format("Mon 2 Jan 15:04"), n.Gone.Format("Mon 2 Jan 15:04"), text})
	}
	if len(late) < 30 {
		t.Errorf("only %d nodes are late", len(late))
	}
	if diff := gocmp.Diff([][][]string{want}, got["Gone after their deadline"]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	pool := answer.Plan.Pools[0]
	zones := got[fmt.Sprintf("web: 60 of 60 nodes done by %s, %d miss their deadline by up to %s",
		pool.Finish.Format("Mon 2 Jan 15:04"), len(late), want[1][5])]
	if len(zones) != 2 || len(zones[0]) != 4 || len(zones[1]) != 1+len(pool.Clock) {
		t.Fatalf("the tables of the pool are %q", zones)
	}
	for i, g := range answer.Plan.Groups {
		row := []string{g.Zone, string(g.Reason), fmt.Sprint(g.Nodes), fmt.Sprint(g.Done), "0", "0",
			g.Start.Format("Mon 2 Jan 15:04"), g.Finish.Format("Mon 2 Jan 15:04"), fmt.Sprint(g.Late)}
		if diff := gocmp.Diff(row, zones[0][i+1]); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	helps := got["So that fewer nodes miss their deadlines"]
	if len(helps) != 1 || len(helps[0]) != 4 || helps[0][1][0] != answer.Trials[0].Change ||
		!strings.Contains(helps[0][1][1], fmt.Sprintf("%d fewer nodes late", len(late))) {
		t.Errorf("what helps is %q", helps)
	}
}
