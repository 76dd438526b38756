package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkPrograms runs commands on a dump of a cluster, as kubectl get -o json prints it: three pools, five of
// six nodes drifted, 25 pods on each, and PodDisruptionBudgets for 120 applications. For the guard and the steward, the
// zones of each pool take turns.
func BenchmarkPrograms(b *testing.B) {
	for _, nodes := range []int{300, 3_000, 10_000} {
		if nodes > 300 && testing.Short() {
			break // up to a minute each
		}
		file := filepath.Join(b.TempDir(), "cluster.json")
		if err := os.WriteFile(file, bigCluster(nodes, nil), 0o600); err != nil {
			b.Fatal(err)
		}
		inTurn := filepath.Join(b.TempDir(), "zones.json")
		if err := os.WriteFile(inTurn, bigCluster(nodes, zonesInTurn), 0o600); err != nil {
			b.Fatal(err)
		}
		for _, command := range []string{
			"decide", "plan", "status", "forecast", "lint", "why web-3",
			"plan --engine guard --try=false", "status --engine steward",
		} {
			name, rest, _ := strings.Cut(command, " ")
			file := file
			if strings.Contains(rest, "--engine") {
				if nodes > 3_000 {
					continue // minutes
				}
				name, file = name+"/zones", inTurn
			}
			b.Run(fmt.Sprintf("%s/nodes=%d", name, nodes), func(b *testing.B) {
				args := append([]string{strings.TrimSuffix(name, "/zones"), "-f", file, "--now", scaleNow.Format(time.RFC3339)}, strings.Fields(rest)...)
				b.ReportAllocs()
				for b.Loop() {
					var stdout, stderr bytes.Buffer
					if status := run(b.Context(), args, strings.NewReader(""), &stdout, &stderr); status > 1 {
						b.Fatalf("%v: status %d: %s", args, status, &stderr)
					}
				}
			})
		}
	}
}

var scaleNow = time.Date(2026, 11, 27, 22, 0, 0, 0, time.UTC)

type object = map[string]any

// zonesInTurn are annotations of NodePools.
var zonesInTurn = object{
	"disruptkit.dev/disruption": "budgets: [{nodes: \"2\", topologyKey: topology.kubernetes.io/zone, sequential: true, reasons: [Drifted]}]",
}

// bigCluster returns a list of all objects of a cluster with so many nodes, and with annotations of the NodePools.
func bigCluster(nodes int, annotations object) []byte {
	var items []any
	add := func(version, kind string, metadata, rest object) {
		o := object{"apiVersion": version, "kind": kind, "metadata": metadata}
		for key, value := range rest {
			o[key] = value
		}
		items = append(items, o)
	}
	created := scaleNow.Add(-60 * 24 * time.Hour).Format(time.RFC3339)
	freeze := object{"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}
	pools := []struct {
		name    string
		budgets []object
	}{
		{"web", []object{{"nodes": "10%"}, freeze}},
		{"batch", []object{{"nodes": "20%"}}},
		{"data", []object{{"nodes": "5"}, freeze}},
	}
	for _, p := range pools {
		add("karpenter.sh/v1", "NodePool", object{"name": p.name, "creationTimestamp": created, "annotations": annotations}, object{"spec": object{
			"disruption": object{"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "0s", "budgets": p.budgets},
			"template":   object{"spec": object{"expireAfter": "2160h", "terminationGracePeriod": "4h"}},
		}})
	}
	applications := 120
	expected := make([]int, applications)
	condition := func(kind, since string) object {
		return object{"type": kind, "status": "True", "reason": kind, "message": "", "lastTransitionTime": since}
	}
	for i := range nodes {
		pool, zone := pools[i%len(pools)].name, "us-east-1"+string(rune('a'+i/3%3))
		name := fmt.Sprintf("%s-%d", pool, i)
		labels := object{
			"karpenter.sh/nodepool": pool, "topology.kubernetes.io/zone": zone, "kubernetes.io/hostname": name,
			"karpenter.sh/registered": "true", "karpenter.sh/initialized": "true", "node.kubernetes.io/instance-type": "m6i.2xlarge",
		}
		id := "aws:///" + zone + "/i-" + name
		add("v1", "Node", object{"name": name, "labels": labels, "creationTimestamp": created}, object{
			"spec": object{"providerID": id}, "status": object{"conditions": []object{condition("Ready", created)}},
		})
		conditions := []object{condition("Launched", created), condition("Registered", created), condition("Initialized", created)}
		if i%3 != 0 || i%2 == 0 {
			since := scaleNow.Add(-time.Duration(i*7919%nodes) * time.Minute).Format(time.RFC3339)
			conditions = append(conditions, condition("Drifted", since))
		}
		add("karpenter.sh/v1", "NodeClaim", object{"name": name + "-claim", "labels": labels, "creationTimestamp": created}, object{
			"spec":   object{"expireAfter": "2160h", "terminationGracePeriod": "4h"},
			"status": object{"conditions": conditions, "nodeName": name, "providerID": id},
		})
		for p := range 25 {
			app := (i%len(pools)*40 + (i*7+p*13)%40) % applications
			expected[app]++
			label, annotations := fmt.Sprintf("app-%d", app), object{}
			if i%100 == 0 && p == 0 {
				annotations["karpenter.sh/do-not-disrupt"] = "true"
			}
			add("v1", "Pod", object{
				"name": fmt.Sprintf("%s-%d-%d", label, i, p), "namespace": "shop", "labels": object{"app": label},
				"annotations": annotations, "creationTimestamp": created,
				"ownerReferences": []object{{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": label, "uid": label, "controller": true}},
			}, object{
				"spec":   object{"nodeName": name, "containers": []object{{"name": "main", "image": "registry.example.com/shop/" + label}}},
				"status": object{"phase": "Running", "startTime": created, "conditions": []object{condition("Ready", created)}},
			})
		}
	}
	for app, pods := range expected {
		label := fmt.Sprintf("app-%d", app)
		add("policy/v1", "PodDisruptionBudget", object{"name": label, "namespace": "shop", "generation": 1}, object{
			"spec": object{"maxUnavailable": "5%", "selector": object{"matchLabels": object{"app": label}}},
			"status": object{"disruptionsAllowed": pods / 20, "currentHealthy": pods, "expectedPods": pods,
				"desiredHealthy": pods - pods/20, "observedGeneration": 1},
		})
	}
	text, err := json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		panic(err)
	}
	return text
}
