package world

import (
	"context"
	"errors"
	"net"
	"sync"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/karpenter/pkg/test/v1alpha1"
)

// server is a real API server, without any cache in between.
type server struct {
	client.Client

	mu     sync.Mutex
	issued map[string]int
}

func newServer(config *rest.Config) (*server, error) {
	inner, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	return &server{Client: inner, issued: map[string]int{}}, err
}

func (s *server) next(prefix string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.issued[prefix]++
	return s.issued[prefix]
}

func (s *server) bind(ctx context.Context, pod *corev1.Pod, node string) error {
	binding := &corev1.Binding{ObjectMeta: pod.ObjectMeta, Target: corev1.ObjectReference{Kind: "Node", Name: node}}
	if err := s.SubResource("binding").Create(ctx, pod.DeepCopy(), binding); err != nil {
		return err
	}
	return s.Get(ctx, client.ObjectKeyFromObject(pod), pod)
}

func (s *server) end(ctx context.Context, pod *corev1.Pod) error {
	return client.IgnoreNotFound(s.Delete(ctx, pod, client.GracePeriodSeconds(0), client.Preconditions{UID: &pod.UID}))
}

// populate also writes the status of a NodeClass, which is a subresource. What is there already stays.
func (s *server) populate(ctx context.Context, o client.Object) error {
	class, _ := o.DeepCopyObject().(*v1alpha1.TestNodeClass)
	if err := s.Create(ctx, o); err != nil || class == nil {
		return client.IgnoreAlreadyExists(err)
	}
	class.ResourceVersion = o.GetResourceVersion()
	return s.Status().Update(ctx, class)
}

// transient errors are those of writes that came too late, of a server that is being restarted, and of a Karpenter that has crashed.
func (s *server) transient(err error) bool {
	return errors.Is(err, context.Canceled) || apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) || unreachable(err)
}

func unreachable(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) ||
		apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsServiceUnavailable(err) ||
		apierrors.IsTooManyRequests(err) || apierrors.IsInternalError(err) || apierrors.IsForbidden(err)
}
