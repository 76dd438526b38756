package cluster

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/disruptkit/disruptkit"
)

// Config reads a kubeconfig; "" means $KUBECONFIG, or else the cluster that the program runs in.
func Config(kubeconfig string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
}

// Connect returns a client for a kubeconfig, as of Config.
func Connect(kubeconfig string) (kubernetes.Interface, error) {
	config, err := Config(kubeconfig)
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(config)
}

// Loop makes one pass after the other: after the interval, or as soon as time alone changes the decision. A pass that fails is made again:
// nothing has started that is not stored. An interval below a second is an error.
func Loop(ctx context.Context, interval time.Duration, pass func(context.Context) (next time.Time, err error)) error {
	if interval < time.Second {
		return fmt.Errorf("-interval %s is too short: write a second or more, such as 15s", interval)
	}
	for ctx.Err() == nil {
		next, err := pass(ctx)
		if err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
		}
		wait := interval
		if err == nil {
			wait = disruptkit.Decision{NextChange: next}.Wait(time.Now(), interval)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	return nil
}
