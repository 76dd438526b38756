package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/ical"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/karpenter/steward"
)

func newRun(c *connection) *cobra.Command {
	var dry, elect bool
	var namespace, repairs, calendars, days, record, metrics, health string
	var soon time.Duration
	run := &cobra.Command{
		Use: "run", Short: "Hold and release nodes, until you stop it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			log.SetLogger(logger())
			if soon < 0 {
				return fmt.Errorf("--taint-soon %s is negative: write a time such as 1h, or 0 for no taints", soon)
			}
			policies, err := manifest.ReadRepair(repairs)
			if err != nil {
				return fmt.Errorf("--repair: %w", err)
			}
			var directory *ical.Directory
			if calendars != "" {
				directory = ical.NewDirectory(calendars, days)
			} else if days != "" {
				return errors.New("--calendar-zone has no effect without --calendars")
			}
			recording, end, err := openRecording(record)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, end()) }()
			config, err := c.config()
			if err != nil {
				return err
			}
			config.QPS, config.Burst = 100, 200
			if elect = elect && !dry; elect {
				if err := mayLead(cmd.Context(), config, namespace); err != nil {
					return err
				}
			}
			m, err := ctrl.NewManager(config, ctrl.Options{
				Scheme: scheme.Scheme, Metrics: metricsserver.Options{BindAddress: metrics}, HealthProbeBindAddress: health,
				LeaderElection: elect, LeaderElectionID: lease, LeaderElectionNamespace: namespace,
				Cache: cache.Options{
					DefaultTransform: cache.TransformStripManagedFields(),
					ByObject:         map[client.Object]cache.ByObject{&corev1.Pod{}: {Transform: lean}},
				},
			})
			if err != nil {
				return err
			}
			if err := m.AddHealthzCheck("ping", healthz.Ping); err != nil {
				return err
			}
			if err := m.AddReadyzCheck("ping", healthz.Ping); err != nil {
				return err
			}
			if err := steward.Add(m, steward.Options{Dry: dry, Repair: policies, Calendars: directory, Recording: recording, Soon: soon}); err != nil {
				return err
			}
			return m.Start(cmd.Context())
		},
	}
	run.Flags().BoolVar(&dry, "dry-run", false, "write nothing, and log what would be written")
	run.Flags().BoolVar(&elect, "leader-elect", true, "hold and release only while this one leads; false: it is the only one")
	run.Flags().StringVar(&namespace, "namespace", "disruptkit", "namespace of the lease of the leader")
	run.Flags().StringVar(&repairs, "repair", "usual", "release broken nodes by the repair policies of a `file`; usual: nodes that have not been Ready for 30m; none: no nodes")
	run.Flags().StringVar(&calendars, "calendars", "", "`directory` of iCalendar files for budgets that name them, such as holidays.ics for calendar: holidays")
	run.Flags().StringVar(&days, "calendar-zone", "", "time `zone` of the calendars' whole days, such as Europe/Berlin; by default the zone that a file names, or UTC")
	run.Flags().StringVar(&record, "record", "", "append each decision to a `file`, for kubectl disruption replay")
	run.Flags().DurationVar(&soon, "taint-soon", 0, "give nodes that may be disrupted within a `time`, such as 1h, the taint "+annotation.SoonTaint+":PreferNoSchedule, so that new Pods prefer others; 0: none")
	run.Flags().StringVar(&metrics, "metrics-bind-address", ":8080", "address of /metrics; 0: none")
	run.Flags().StringVar(&health, "health-probe-bind-address", ":8081", "address of /healthz and /readyz; 0: none")
	return run
}

// lease is the name of the lease of the leader.
const lease = "disruptkit-steward"

// mayLead tries whether a lease may be created: the election itself would say what is wrong only in the log, and go on to try.
func mayLead(ctx context.Context, config *rest.Config, namespace string) error {
	kube, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		return err
	}
	return tryLease(ctx, kube, namespace)
}

func tryLease(ctx context.Context, kube client.Client, namespace string) error {
	err := kube.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: lease, Namespace: namespace}}, client.DryRunAll)
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		return fmt.Errorf("the lease of the leader cannot be created in namespace %q: create the namespace, name another one with --namespace, "+
			"or, where no other steward runs, use --leader-elect=false: %w", namespace, err)
	}
	return nil // it is there already, or the API server cannot tell now
}

// lean leaves out of a cached pod what no decision reads.
func lean(o any) (any, error) {
	if p, is := o.(*corev1.Pod); is {
		p.ManagedFields, p.Spec.Containers, p.Spec.InitContainers, p.Spec.Volumes = nil, nil, nil, nil
		p.Status.ContainerStatuses, p.Status.InitContainerStatuses = nil, nil
	}
	return o, nil
}

func logger() logr.Logger { return logr.FromSlogHandler(slog.NewJSONHandler(os.Stderr, nil)) }
