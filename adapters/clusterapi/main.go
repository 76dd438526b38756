// Command clusterapi replaces the outdated Machines of a Cluster API cluster one after the other, as disruption budgets allow: of
// MachineDeployments with the strategy OnDelete, it deletes the Machine that is disrupted next, and Cluster API replaces it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
	"github.com/disruptkit/disruptkit/cmd/poll"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

func main() { cluster.Main("clusterapi", run) }

func run(ctx context.Context) error {
	of := flag.String("cluster", "", "the Cluster whose Machines to replace, as NAMESPACE/NAME (required)")
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig file of the management cluster; if empty, $KUBECONFIG or the cluster that this runs in")
	interval := flag.Duration("interval", 15*time.Second, "time between two looks at the cluster")
	startup := flag.Duration("startup-timeout", 10*time.Minute, "how long a new Machine may take until it is Available; after that, its pool waits")
	flag.CommandLine.SetOutput(os.Stdout)
	flag.Parse()
	if *of == "" {
		fmt.Println("clusterapi -cluster NAMESPACE/NAME deletes outdated Machines of MachineDeployments with the strategy OnDelete, when they may be disrupted.")
		flag.PrintDefaults()
		return nil
	}
	namespace, name, ok := strings.Cut(*of, "/")
	if !ok || namespace == "" || name == "" {
		return fmt.Errorf("-cluster is %q: write NAMESPACE/NAME, such as default/prod", *of)
	}
	config, err := cluster.Config(*kubeconfig)
	if err != nil {
		return err
	}
	r, err := newRoller(config, types.NamespacedName{Namespace: namespace, Name: name}, *startup, poll.New(new(httpget.Client), poll.YAML))
	if err != nil {
		return err
	}
	go r.probes.Run(ctx)
	var lines cluster.Lines
	r.log = lines.Log
	return cluster.Loop(ctx, *interval, lines.After(r.pass))
}

// newRoller returns a roller for a Cluster that the management cluster of a config has.
func newRoller(config *rest.Config, of types.NamespacedName, startup time.Duration, probes *poll.Runner) (*roller, error) {
	if startup <= 0 { // outdated Machines would be disrupted before they could become nodes
		return nil, fmt.Errorf("-startup-timeout is %s: write how long a new Machine may take, such as 10m", startup)
	}
	scheme := runtime.NewScheme()
	if err := clusterv1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	objects, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	management, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	store := cluster.Store{Client: management, Namespace: of.Namespace, Name: "disruptkit-clusterapi-" + of.Name}
	r := &roller{Store: store, objects: objects, of: of, startup: startup, probes: probes}
	r.workload = r.connect
	return r, nil
}
