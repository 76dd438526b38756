package karpenter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/topology"
)

const exampleRoll = `{"key":"topology.kubernetes.io/zone","domain":"us-west-2a"}`

// readRoll reads RollAnnotation. What is wrong with it holds nothing back: without a roll, the order of the zones may suffer,
// but no limit is exceeded.
func (p *Policy) readRoll(np *v1.NodePool) {
	text, written := np.Annotations[RollAnnotation]
	if !written {
		return
	}
	roll, err := decodeRoll(text)
	if err != nil {
		err = fmt.Errorf("%.100q is no roll: %s: leave the annotation to the guard, which writes one such as %s",
			text, onOneLine(err), exampleRoll)
		p.Warnings = append(p.Warnings, annotationWarning(np.Name, RollAnnotation, text, err))
		return
	}
	p.Roll = roll
}

// decodeRoll decodes a roll, and nothing else.
func decodeRoll(text string) (roll topology.Roll, err error) {
	document, err := toJSON(text)
	if err != nil {
		return roll, err
	}
	d := json.NewDecoder(bytes.NewReader(document))
	d.DisallowUnknownFields()
	if err := d.Decode(&roll); err != nil {
		return roll, err
	}
	if roll.Key == "" {
		return roll, errors.New("it has no key")
	}
	return roll, nil
}

// A rollStore keeps the rolls of NodePools in their annotations. The zero rollStore is ready.
type rollStore struct {
	written map[string]writtenRoll // by NodePool: those that caches may not show yet
}

// A writtenRoll holds as long as a NodePool is seen in the version that it was written to.
type writtenRoll struct {
	over string
	roll topology.Roll
}

// of returns where the roll of a pool stands: as it is annotated, or as it has been written since.
func (s *rollStore) of(np *v1.NodePool, annotated topology.Roll) topology.Roll {
	if w, ok := s.written[np.Name]; ok && w.over == np.ResourceVersion {
		return w.roll
	}
	delete(s.written, np.Name)
	return annotated
}

// save writes a roll, if it is not the one that the NodePool has. Whoever gets an error must not start what the roll was
// decided with. A NodePool that has changed meanwhile is an error, too.
func (s *rollStore) save(ctx context.Context, kube client.Client, np *v1.NodePool, before, after topology.Roll) error {
	if sameRoll(before, after) {
		return nil
	}
	to := np.DeepCopy()
	if after == (topology.Roll{}) {
		delete(to.Annotations, RollAnnotation)
	} else {
		text, err := json.Marshal(after)
		if err != nil {
			return fmt.Errorf("roll of NodePool %s: %w", np.Name, err)
		}
		if to.Annotations == nil {
			to.Annotations = map[string]string{}
		}
		to.Annotations[RollAnnotation] = string(text)
	}
	patch := client.MergeFromWithOptions(np, client.MergeFromWithOptimisticLock{})
	if err := kube.Patch(ctx, to, patch); err != nil {
		return fmt.Errorf("storing the roll of NodePool %s: %w", np.Name, err)
	}
	if s.written == nil {
		s.written = map[string]writtenRoll{}
	}
	s.written[np.Name] = writtenRoll{np.ResourceVersion, after}
	return nil
}

func sameRoll(a, b topology.Roll) bool {
	return a.Key == b.Key && a.Domain == b.Domain && a.IdleSince.Equal(b.IdleSince)
}

// saveRolls stores those that decisions have changed.
func (c *Cluster) saveRolls(ctx context.Context, s *snapshot, after map[string]topology.Roll) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range sortedKeys(after) {
		if np := s.nodePools[name]; np != nil {
			if err := c.rolls.save(ctx, c.Client, np, s.Rolls[name], after[name]); err != nil {
				return err
			}
		}
	}
	return nil
}
