// Command drainer cordons and drains nodes for which somebody asks maintenance, when disruptkit allows them, and uncordons them when they
// come back. Whoever does the maintenance waits for the condition Drained, and stops asking once the node is as it should be.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"k8s.io/kubectl/pkg/drain"

	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
)

func main() { cluster.Main("drainer", run) }

func run(ctx context.Context) error {
	policy := flag.String("policy", "", "file with the pools and their budgets (required)")
	key := flag.String("key", "drainer.disruptkit.dev/maintenance",
		"label or annotation that asks for maintenance of a node; its value is since when (RFC 3339), or a reason; false asks for nothing")
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig file; if empty, $KUBECONFIG or the cluster that the drainer runs in")
	namespace := flag.String("namespace", "kube-system", "namespace of the ConfigMap that keeps the state")
	interval := flag.Duration("interval", 15*time.Second, "time between two looks at the cluster")
	helper := drain.Helper{Out: io.Discard, ErrOut: os.Stderr}
	flag.BoolVar(&helper.Force, "force", false, "evict pods without a controller as well, as in kubectl drain")
	flag.BoolVar(&helper.DeleteEmptyDirData, "delete-emptydir-data", false, "evict pods with emptyDir volumes as well, as in kubectl drain")
	flag.CommandLine.SetOutput(os.Stdout)
	flag.Parse()
	if *policy == "" {
		fmt.Println("drainer -policy FILE drains the nodes for which somebody asks for maintenance, when they may be disrupted.")
		flag.PrintDefaults()
		return nil
	}
	pools, err := cluster.ReadPolicy(*policy, Maintenance)
	if err != nil {
		return err
	}
	client, err := cluster.Connect(*kubeconfig)
	if err != nil {
		return err
	}
	var lines cluster.Lines
	d := &drainer{
		Reader: cluster.Reader{Client: client, Policy: pools},
		Store:  cluster.Store{Client: client, Namespace: *namespace, Name: "disruptkit-drainer"},
		helper: helper, key: *key, log: lines.Log,
	}
	return cluster.Loop(ctx, *interval, lines.After(d.pass))
}
