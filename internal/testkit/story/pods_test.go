package story_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
)

// scenarioApp is the label that all pods of a workload have.
const scenarioApp = "app"

// addPods adds the replicas of a workload, one on each node that is named.
func (s *scenario) addPods(argument string) (string, error) {
	workload, names, _ := strings.Cut(strings.TrimSpace(argument), " on ")
	namespace, app, ok := strings.Cut(workload, "/")
	if !ok || app == "" {
		return "", fmt.Errorf("%q is no workload: write pods web/api on a1 a2", workload)
	}
	nodes, err := s.find(names)
	replicas, _ := s.findPods(workload)
	for i, n := range nodes {
		n.Pods = append(n.Pods, candidate.Pod{
			Namespace: namespace, Name: fmt.Sprintf("%s-%d", app, len(replicas)+i),
			Labels: map[string]string{scenarioApp: app}, Started: s.now,
		})
	}
	return "", err
}

// findPods returns those of a workload, or the one of a name.
func (s *scenario) findPods(name string) (found []*candidate.Pod, err error) {
	for i := range s.nodes {
		for j := range s.nodes[i].Pods {
			p := &s.nodes[i].Pods[j]
			if name == p.Namespace+"/"+p.Name || name == p.Namespace+"/"+p.Labels[scenarioApp] {
				found = append(found, p)
			}
		}
	}
	if found == nil {
		return nil, fmt.Errorf("there are no pods %q", name)
	}
	return found, nil
}

// annotate sets all annotations of pods, one a line, as YAML has them, and describes what is wrong with them.
func (s *scenario) annotate(argument string) (string, error) {
	name, lines, _ := strings.Cut(strings.TrimSpace(argument), "\n")
	pods, err := s.findPods(name)
	if err != nil {
		return "", err
	}
	annotations := map[string]string{}
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		key, rest, _ := strings.Cut(line, ": ")
		quoted, err := strconv.QuotedPrefix(rest)
		if comment := strings.TrimSpace(rest[len(quoted):]); err != nil || comment != "" && comment[0] != '#' {
			return "", fmt.Errorf(`%q is no annotation: write karpenter.sh/disruption-schedule: "0 2 * * 6"`, line)
		}
		annotations[key], _ = strconv.Unquote(quoted)
	}
	told := ""
	for _, p := range pods {
		var warnings []candidate.Warning
		p.Terms, warnings = s.parser.Terms(p.Namespace, p.Name, annotations)
		for _, w := range warnings {
			told += scenarioWrapped("! " + w.Error())
		}
	}
	return told, nil
}

// podsOf returns a node's pods as they are now.
func (s *scenario) podsOf(n candidate.Node) []candidate.Pod {
	pods := slices.Clone(n.Pods)
	for i := range pods {
		pods[i].Unready = !n.Ready() || s.now.Before(pods[i].Started.Add(s.startup))
	}
	return pods
}

// restarted returns pods as they start on another node.
func (s *scenario) restarted(pods []candidate.Pod) []candidate.Pod {
	pods = slices.Clone(pods)
	for i := range pods {
		pods[i].Inactive, pods[i].Started = false, s.now
	}
	return pods
}

// restart starts an evicted pod on another node.
func (s *scenario) restart(argument string) (string, error) {
	name, on, _ := strings.Cut(strings.TrimSpace(argument), " on ")
	to, err := s.find(on)
	if err != nil {
		return "", err
	}
	for i := range s.nodes {
		from := &s.nodes[i]
		for j, p := range from.Pods {
			if name == p.Namespace+"/"+p.Name && p.Inactive {
				from.Pods = slices.Delete(slices.Clone(from.Pods), j, j+1)
				to[0].Pods = append(to[0].Pods, s.restarted([]candidate.Pod{p})...)
				return "", nil
			}
		}
	}
	return "", fmt.Errorf("there is no evicted pod %q", name)
}
