// Package command has the commands of kubectl disruption steward.
package command

import (
	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	_ "sigs.k8s.io/karpenter/pkg/apis/v1" // adds its kinds to the scheme
)

// A connection says how to reach the cluster.
type connection struct{ kubeconfig, context string }

// New returns kubectl disruption steward.
func New() *cobra.Command {
	c := &connection{}
	root := &cobra.Command{
		Use: "kubectl-disruption-steward COMMAND",
		Long: `The steward makes an unchanged Karpenter follow disruptkit: it holds all nodes of the NodePools that are opted in, with the annotation
karpenter.sh/do-not-disrupt, and releases those that may be disrupted, for a while.

A NodePool is opted in once it is annotated:

  kubectl annotate nodepool NAME disruptkit.dev/steward=true`,
		Annotations:  map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl disruption steward"},
		SilenceUsage: true, SilenceErrors: true,
	}
	root.PersistentFlags().StringVar(&c.kubeconfig, "kubeconfig", "", "`file` to read instead of ~/.kube/config")
	root.PersistentFlags().StringVar(&c.context, "context", "", "context of the kubeconfig")
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newInstall(c), newLeave(c), newStatus(c), newRun(c))
	return root
}

// config returns how to reach the cluster: as kubectl does, or from within it.
func (c *connection) config() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = c.kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: c.context}).ClientConfig()
}

func (c *connection) client() (client.Client, error) {
	config, err := c.config()
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 50, 100
	return client.New(config, client.Options{Scheme: scheme.Scheme})
}
