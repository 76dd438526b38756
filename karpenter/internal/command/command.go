// Package command has the commands of the steward's image: run, and leave, which Helm runs before it deletes the steward. All others are
// those of kubectl disruption steward.
package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	_ "sigs.k8s.io/karpenter/pkg/apis/v1" // adds its kinds to the scheme

	"github.com/disruptkit/disruptkit/cmd/steward"
)

// A connection says how to reach the cluster.
type connection struct{ kubeconfig, context string }

// New returns disruptkit-steward.
func New() *cobra.Command {
	c := &connection{}
	root := &cobra.Command{
		Use: "disruptkit-steward COMMAND",
		Long: `The steward makes an unchanged Karpenter follow disruptkit: it holds all nodes of the NodePools that are opted in, with the annotation
karpenter.sh/do-not-disrupt, and releases those that may be disrupted, for a while. kubectl disruption steward installs it.`,
		SilenceUsage: true, SilenceErrors: true,
	}
	root.PersistentFlags().StringVar(&c.kubeconfig, "kubeconfig", "", "`file` to read instead of ~/.kube/config")
	root.PersistentFlags().StringVar(&c.context, "context", "", "context of the kubeconfig")
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newRun(c), steward.NewLeave(c.open))
	return root
}

// config returns how to reach the cluster: as kubectl does, or from within it.
func (c *connection) config() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = c.kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: c.context}).ClientConfig()
}

// open returns the API server of the cluster.
func (c *connection) open(context.Context) (to steward.Cluster, end func(), err error) {
	config, err := c.config()
	if err != nil {
		return to, nil, err
	}
	to, err = ClusterOf(config)
	return to, func() {}, err
}

// ClusterOf returns the API server of a configuration.
func ClusterOf(config *rest.Config) (to steward.Cluster, err error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return to, err
	}
	url, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return to, err
	}
	return steward.Cluster{URL: strings.TrimSuffix(url.String(), "/"), HTTP: client}, nil
}
