package world

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/clock"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

// Cloud is Karpenter's fake cloud with what a story needs: zones that fill evenly, names that are the same every time,
// and instances that drift one after the other.
type Cloud struct {
	*fake.CloudProvider
	clock clock.PassiveClock
	zones []string

	mu        sync.Mutex
	instances map[string]*Instance // by provider ID
	launched  map[string]int       // by zone, so far
	past      map[string]bool      // provider IDs of the generation that drifts
	broken    map[string]bool      // zones where nothing that is launched becomes Ready
}

// Instance is a machine in the cloud.
type Instance struct {
	Name  string
	Zone  string
	Since time.Time
	Claim *v1.NodeClaim
	// Drifted is why the instance has drifted, if it has.
	Drifted cloudprovider.DriftReason
	// Broken instances boot, but their nodes are never Ready.
	Broken bool
	rank   int // of the launch in its zone
	sickness
}

func newCloud(clock clock.PassiveClock, zones []string, repair []cloudprovider.RepairPolicy) *Cloud {
	c := &Cloud{
		CloudProvider: fake.NewCloudProvider(), clock: clock, zones: zones,
		instances: map[string]*Instance{}, launched: map[string]int{},
		past: map[string]bool{}, broken: map[string]bool{},
	}
	c.RepairPolicy = repair
	large := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("16Gi"),
		corev1.ResourcePods: resource.MustParse("110"),
	}
	var offerings []cloudprovider.Offering
	for _, zone := range zones {
		offerings = append(offerings, cloudprovider.Offering{
			Available: true, Price: 1,
			Requirements: scheduling.NewLabelRequirements(map[string]string{
				v1.CapacityTypeLabelKey: v1.CapacityTypeOnDemand, corev1.LabelTopologyZone: zone,
			}),
		})
	}
	c.InstanceTypes = []*cloudprovider.InstanceType{fake.NewInstanceType("large",
		fake.WithResources(large), fake.WithOfferings(offerings...), fake.WithOperatingSystems(string(corev1.Linux)))}
	return c
}

// Create launches an instance in the zone that has the fewest, of those that the NodeClaim allows.
func (c *Cloud) Create(ctx context.Context, claim *v1.NodeClaim) (*v1.NodeClaim, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	zone := c.emptiest(claim)
	if zone == "" {
		return nil, cloudprovider.NewInsufficientCapacityError(fmt.Errorf("no zone for %s", claim.Name))
	}
	placed := claim.DeepCopy()
	placed.Spec.Requirements = append(placed.Spec.Requirements, v1.NodeSelectorRequirementWithMinValues{
		Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone},
	})
	created, err := c.CloudProvider.Create(ctx, placed)
	if err != nil {
		return nil, err
	}
	c.launched[zone]++
	name := fmt.Sprintf("%s%d", zone, c.launched[zone])
	delete(c.CreatedNodeClaims, created.Status.ProviderID)
	created.Status.ProviderID = "fake:///" + zone + "/" + name
	c.CreatedNodeClaims[created.Status.ProviderID] = created
	c.instances[created.Status.ProviderID] = &Instance{
		Name: name, Zone: zone, Since: c.clock.Now(), Claim: created.DeepCopy(), Broken: c.broken[zone],
		rank: c.launched[zone],
	}
	return created, nil
}

func (c *Cloud) emptiest(claim *v1.NodeClaim) string {
	requirements := scheduling.NewNodeSelectorRequirementsWithMinValues(claim.Spec.Requirements...)
	allowed := requirements.Get(corev1.LabelTopologyZone)
	used := map[string]int{}
	for _, i := range c.instances {
		used[i.Zone]++
	}
	zones := slices.DeleteFunc(slices.Clone(c.zones), func(zone string) bool { return !allowed.Has(zone) })
	if len(zones) == 0 {
		return ""
	}
	return slices.MinFunc(zones, func(x, y string) int { return cmp.Compare(used[x], used[y]) })
}

// Delete terminates an instance.
func (c *Cloud) Delete(ctx context.Context, claim *v1.NodeClaim) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.instances, claim.Status.ProviderID)
	return c.CloudProvider.Delete(ctx, claim)
}

// IsDrifted returns why an instance has drifted, or nothing.
func (c *Cloud) IsDrifted(_ context.Context, claim *v1.NodeClaim) (cloudprovider.DriftReason, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.instances[claim.Status.ProviderID]; i != nil {
		return i.Drifted, nil
	}
	return "", nil
}

// each calls f for all instances, in the order of their launches in each zone, the first of all zones first.
func (c *Cloud) each(f func(*Instance) error) error {
	for _, i := range c.sorted() {
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cloud) sorted() []*Instance {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []*Instance
	for _, i := range c.instances {
		all = append(all, i)
	}
	slices.SortFunc(all, func(x, y *Instance) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(x.Zone, y.Zone))
	})
	return all
}

// drift makes an instance one of the generation that drifts.
func (c *Cloud) drift(i *Instance, reason cloudprovider.DriftReason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i.Drifted = reason
	c.past[i.Claim.Status.ProviderID] = true
}

// old reports whether an instance, which may be gone, is of the generation that drifts.
func (c *Cloud) old(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.past[id]
}

func (c *Cloud) breakBoots(zone string, broken bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, z := range c.zones {
		if zone == "" || z == zone {
			c.broken[z] = broken
		}
	}
}

func (c *Cloud) fail(name string, failed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range c.instances {
		if i.Name == name {
			i.Broken = failed
		}
	}
}
