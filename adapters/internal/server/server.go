// Package server starts a real Kubernetes API server for tests.
package server

import (
	"errors"
	"os"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Start returns a server that ends with the test. Where there is none, the test is skipped.
func Start(t *testing.T) *rest.Config {
	t.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("SKIPPED: KUBEBUILDER_ASSETS is not set. In the root of the repository, " +
			"go -C karpenter/apiserver run . adapters builds an API server, and runs this on it")
	}
	e := &envtest.Environment{ControlPlaneStartTimeout: 3 * time.Minute, ControlPlaneStopTimeout: time.Minute}
	server := e.ControlPlane.GetAPIServer()
	// The controller that takes the taint of new nodes away again does not run.
	server.Configure().Append("disable-admission-plugins", "TaintNodesByCondition", "ServiceAccount")
	config, err := e.Start()
	t.Cleanup(func() {
		if err := errors.Join(e.Stop(), os.RemoveAll(server.CertDir)); err != nil {
			t.Log(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	config.QPS, config.Burst = 500, 1000
	return config
}
