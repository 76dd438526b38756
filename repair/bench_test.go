package repair_test

import (
	"testing"

	"github.com/disruptkit/disruptkit/repair"
)

func BenchmarkResolve(b *testing.B) {
	set, err := repair.Compile([]repair.Policy{
		policy("AcceleratorReady", "NvidiaXID(48|63|95)Error", repair.Reboot, 10, bound(5)),
		policy("StorageReady", ".*", repair.Replace, 10),
		policy("Ready", "", repair.Replace, 30),
	})
	if err != nil {
		b.Fatal(err)
	}
	healthy := []string{"MemoryPressure=False", "DiskPressure=False", "PIDPressure=False", "NetworkUnavailable=False"}
	for _, c := range []struct {
		name string
		node repair.Node
		want repair.Action
	}{
		{"healthy", sick(append(healthy, "Ready=True", "AcceleratorReady=True")...), ""},
		{"unhealthy", sick(append(healthy, "Ready=False", "AcceleratorReady=False (NvidiaXID63Error)")...), repair.Replace},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r := repair.Resolve(set, c.node, noon); r.Action != c.want {
					b.Fatal(r)
				}
			}
		})
	}
}
