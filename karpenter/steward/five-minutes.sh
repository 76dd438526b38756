#!/usr/bin/env bash
# Five minutes with the steward: twelve nodes in three zones roll, one zone after the other, by a Karpenter that is not changed.
#
#	bash karpenter/steward/five-minutes.sh
#
# It uses the cluster that kubectl uses, which has Karpenter with its kwok provider and no NodePool: docs/steward.md says how to get one. What it
# makes it takes away in the end. It fails if nodes of two zones are ever in flight at once, or more than two nodes.
set -euo pipefail
cd "$(dirname "$0")/.." # the module karpenter
export GOTOOLCHAIN=auto # Karpenter v1.15 needs Go 1.26.9

tmp=$(mktemp -d)
steward=
end() {
	[ -z "$steward" ] || kill "$steward" 2>/dev/null || true
	rm -rf "$tmp"
}
trap end EXIT

say() { printf '\n[%3ds] %s\n' "$SECONDS" "$*"; }
show() {
	printf '\n$ %s\n' "$*"
	"$@"
}

kubectl get crd kwoknodeclasses.karpenter.kwok.sh nodepools.karpenter.sh >/dev/null
[ -z "$(kubectl get nodepools -o name)" ] || {
	echo "the cluster has NodePools already: this is for one without, since it deletes its own in the end" >&2
	exit 1
}
go build -o "$tmp/" ./disruptkit-steward
go -C ../cmd build -o "$tmp/" ./kubectl-disruption
PATH=$tmp:$PATH # kubectl finds plugins there

say "A NodePool and twelve pods, each on a node of its own"
kubectl apply -f - <<'YAML'
apiVersion: karpenter.kwok.sh/v1alpha1
kind: KWOKNodeClass
metadata: {name: default}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      expireAfter: Never
      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}
      requirements:
        - {key: topology.kubernetes.io/zone, operator: In, values: [test-zone-a, test-zone-b, test-zone-c]}
        - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
        - {key: kubernetes.io/arch, operator: In, values: [amd64]}
        - {key: kubernetes.io/os, operator: In, values: [linux]}
  disruption:
    consolidationPolicy: WhenEmpty
    consolidateAfter: Never
    budgets: [{nodes: 100%}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 12
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      nodeSelector: {karpenter.sh/nodepool: default}
      tolerations: [{key: kwok-provider, operator: Exists}, {key: kwok.x-k8s.io/node, operator: Exists}]
      containers: [{name: web, image: example.com/web, resources: {requests: {cpu: 100m}}}]
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}
      topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
YAML
kubectl wait deployment/web --for=condition=Available --timeout=180s
show kubectl get nodes -L topology.kubernetes.io/zone

say "The NodePool is opted in: zones take turns for drift, two nodes at once"
show kubectl annotate nodepool default disruptkit.dev/steward=true \
	disruptkit.dev/disruption='budgets: [{nodes: "2", topologyKey: topology.kubernetes.io/zone, sequential: true, reasons: [Drifted]}]'
show kubectl disruption steward install --check

say "The steward, beside Karpenter. Without an image, it runs here and not in its Deployment"
show kubectl disruption steward install --image disruptkit-steward
kubectl delete deployment -n disruptkit --all
disruptkit-steward run >"$tmp/steward.log" 2>&1 &
steward=$!
for _ in $(seq 90); do
	enforced=$(kubectl get nodepool default -o jsonpath='{.metadata.annotations.disruptkit\.dev/steward-enforced}')
	[ -z "$enforced" ] || break
	kill -0 "$steward" || { cat "$tmp/steward.log"; exit 1; }
	sleep 1
done
[ -n "$enforced" ] || { cat "$tmp/steward.log"; echo "the nodes are not held"; exit 1; }

say "All nodes are held. Now all drift: the NodePool gets a label"
kubectl patch nodepool default --type merge -p '{"spec":{"template":{"metadata":{"labels":{"revision":"2"}}}}}'

# in_flight prints the zone of each node that Karpenter disrupts.
in_flight() {
	kubectl get nodes -o go-template='{{range .items}}{{$zone := index .metadata.labels "topology.kubernetes.io/zone"}}{{range .spec.taints}}{{if eq .key "karpenter.sh/disrupted"}}{{$zone}}{{"\n"}}{{end}}{{end}}{{end}}'
}
before=
for _ in $(seq 600); do
	zones=$(in_flight | sort | uniq -c | sed 's/^ *//')
	old=$(kubectl get nodes -l 'karpenter.sh/nodepool=default,revision!=2' -o name | wc -l)
	now="$old to go, in flight: ${zones:-none}"
	[ "$now" = "$before" ] || say "$now"
	before=$now
	[ "$(grep -c . <<<"$zones")" -le 1 ] || { echo "nodes of two zones are in flight"; exit 1; }
	[ -z "$zones" ] || [ "${zones%% *}" -le 2 ] || { echo "more than two nodes are in flight"; exit 1; }
	[ "$old" -gt 0 ] || break
	kill -0 "$steward" || { cat "$tmp/steward.log"; exit 1; }
	sleep 0.5
done
[ "$old" -eq 0 ] || { cat "$tmp/steward.log"; echo "after 5 minutes, $old nodes are to go"; exit 1; }
kubectl wait deployment/web --for=condition=Available --timeout=60s
show kubectl disruption steward status

say "The steward leaves"
kubectl annotate nodepool default disruptkit.dev/steward-
show kubectl disruption steward leave
kubectl delete deployment web --wait
kubectl delete nodepool default --wait
kubectl delete kwoknodeclass default
say "Done"
