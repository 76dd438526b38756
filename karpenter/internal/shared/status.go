package shared

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/ical"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// The conditions of a DisruptionPolicy.
const (
	// Valid is False if anything of it cannot be read: then no node goes of what it selects, or could select.
	Valid = "Valid"
	// Effective is False if it limits nothing, though it is valid.
	Effective = "Effective"
)

// mostNamed is how many NodePools, and how many faults, a condition names.
const mostNamed = 20

// Conditions say what is broken of a policy that selects some NodePools, and what it selects.
func Conditions(p disruptionpolicy.Policy, pools []string) []metav1.Condition {
	valid := metav1.Condition{Type: Valid, Status: metav1.ConditionTrue, Reason: "Read", Message: "all of it can be read"}
	if len(p.Faults) > 0 {
		valid.Status, valid.Reason = metav1.ConditionFalse, "Broken"
		valid.Message = "no node of the NodePools that it selects goes until this is mended: " + wording.List(p.Faults, mostNamed,
			func(f candidate.Warning) string { return f.Field + ": " + f.Message })
	}
	effective := metav1.Condition{Type: Effective, Status: metav1.ConditionTrue, Reason: "Holds"}
	effective.Message = fmt.Sprintf("NodePools that it selects: %d (%s)", len(pools), wording.List(pools, mostNamed, wording.Quote))
	if idle := p.Idle(len(pools)); idle != "" {
		effective.Status, effective.Reason, effective.Message = metav1.ConditionFalse, "LimitsNothing", idle
	}
	return []metav1.Condition{valid, effective}
}

// A Reporter writes the conditions of DisruptionPolicies where they have changed.
type Reporter struct {
	Client    client.Client
	Methods   func() []candidate.Reason // that budgets may name in addition to Karpenter's
	Calendars *ical.Directory           // that budgets may name; nil: none
	reader    Reader
}

// reportsAgain is how long after it has looked a Reporter looks again.
const reportsAgain = 30 * time.Second

// Run reports until the context is done.
func (r *Reporter) Run(ctx context.Context) error {
	for {
		if err := r.Report(ctx); err != nil && ctx.Err() == nil {
			log.FromContext(ctx).Error(err, "writing the status of DisruptionPolicies")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(reportsAgain):
		}
	}
}

// Report looks once, and writes what has changed.
func (r *Reporter) Report(ctx context.Context) error {
	objects, err := List(ctx, r.Client)
	if err != nil || len(objects) == 0 {
		return err
	}
	var pools v1.NodePoolList
	if err := r.Client.List(ctx, &pools, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing NodePools: %w", err)
	}
	labels := map[string][]map[string]string{}
	for i := range pools.Items {
		labels[pools.Items[i].Name] = []map[string]string{pools.Items[i].Labels}
	}
	var faults []error // of a policy, which keep none of the others from being written
	for i, p := range r.reader.Read(objects, r.Calendars.At(time.Now()), r.Methods()...) {
		g, _ := p.Of(labels, nil)
		if err := r.write(ctx, objects[i], Conditions(p, g.Pools)); client.IgnoreNotFound(err) != nil {
			faults = append(faults, fmt.Errorf("DisruptionPolicy %s: %w", p.Name, err))
		}
	}
	return errors.Join(faults...)
}

// write writes conditions, unless they say so already. A condition keeps the time since when it has its status.
func (r *Reporter) write(ctx context.Context, o *unstructured.Unstructured, conditions []metav1.Condition) error {
	var was struct {
		Status struct{ Conditions []metav1.Condition }
	}
	if raw, err := json.Marshal(map[string]any{"status": o.Object["status"]}); err == nil {
		_ = json.Unmarshal(raw, &was) // what cannot be read is written anew
	}
	for i := range conditions {
		c := &conditions[i]
		c.ObservedGeneration, c.LastTransitionTime = o.GetGeneration(), metav1.Now().Rfc3339Copy()
		at := slices.IndexFunc(was.Status.Conditions, func(w metav1.Condition) bool { return w.Type == c.Type && w.Status == c.Status })
		if at >= 0 {
			c.LastTransitionTime = was.Status.Conditions[at].LastTransitionTime
		}
	}
	if equality.Semantic.DeepEqual(was.Status.Conditions, conditions) {
		return nil
	}
	to := o.DeepCopy()
	var fields []any
	for i := range conditions {
		c, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&conditions[i])
		if err != nil {
			return err
		}
		fields = append(fields, c)
	}
	if err := unstructured.SetNestedSlice(to.Object, fields, "status", "conditions"); err != nil {
		return err
	}
	return r.Client.Status().Patch(ctx, to, client.MergeFrom(o))
}
