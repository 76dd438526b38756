package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/disruptkit/disruptkit"
)

// A State is what an adapter must know after a restart. It is stored before anything starts.
type State struct {
	Memory map[string]disruptkit.Memory `json:"memory,omitempty"`
	// Nodes are those that the adapter has allowed, with a time: they count as in flight, whatever they themselves say.
	Nodes map[string]time.Time `json:"nodes,omitempty"`
	// Coming are new nodes that have not been Ready yet, as pool/name, with the time when they were first seen: how they end is to be seen.
	Coming map[string]time.Time `json:"coming,omitempty"`
}

// A Store keeps the State in a ConfigMap.
type Store struct {
	Client          kubernetes.Interface
	Namespace, Name string
	last            *corev1.ConfigMap // as loaded; nil: there was none
}

const key = "state.json"

// Load returns the stored State. One that cannot be read is an error, since it may say that nodes are in flight.
func (s *Store) Load(ctx context.Context) (State, error) {
	state := State{Nodes: map[string]time.Time{}}
	found, err := s.Client.CoreV1().ConfigMaps(s.Namespace).Get(ctx, s.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		s.last = nil
		return state, nil
	}
	if err != nil {
		return state, err
	}
	s.last = found
	if err := json.Unmarshal([]byte(found.Data[key]), &state); err != nil {
		return state, fmt.Errorf("ConfigMap %s/%s: %s is %.100q: %w; delete the ConfigMap once no node is in flight",
			s.Namespace, s.Name, key, found.Data[key], err)
	}
	return state, nil
}

// Save stores a State. It fails if somebody else has stored one since it was loaded: of two adapters that run at once, one stops there.
func (s *Store) Save(ctx context.Context, state State) (err error) {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	maps := s.Client.CoreV1().ConfigMaps(s.Namespace)
	if s.last == nil {
		s.last, err = maps.Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: s.Name}, Data: map[string]string{key: string(text)},
		}, metav1.CreateOptions{})
		return err
	}
	if s.last.Data[key] == string(text) {
		return nil
	}
	next := s.last.DeepCopy() // it has the resourceVersion
	next.Data = map[string]string{key: string(text)}
	s.last, err = maps.Update(ctx, next, metav1.UpdateOptions{})
	return err
}

// Patch changes a node, or a subresource of it, unless somebody has changed the node since it was read. Nil removes a field.
func Patch(ctx context.Context, client kubernetes.Interface, n *corev1.Node, change map[string]any, subresources ...string) error {
	metadata, _ := change["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		change["metadata"] = metadata
	}
	metadata["resourceVersion"] = n.ResourceVersion
	text, err := json.Marshal(change)
	if err != nil {
		return err
	}
	changed, err := client.CoreV1().Nodes().Patch(ctx, n.Name, types.StrategicMergePatchType, text, metav1.PatchOptions{}, subresources...)
	if err == nil {
		*n = *changed
	}
	return err
}
