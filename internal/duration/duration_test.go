package duration_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/internal/duration"
)

func TestDurationsHaveNoUnitsOfZero(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", time.Minute: "1m", 90 * time.Second: "1m30s", 10 * time.Minute: "10m", time.Hour: "1h",
		20 * time.Hour: "20h", time.Hour + time.Minute: "1h1m", time.Hour + time.Second: "1h0m1s", 100 * time.Minute: "1h40m",
		-time.Hour: "-1h", 1500 * time.Millisecond: "1.5s",
	} {
		if got := duration.Text(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
