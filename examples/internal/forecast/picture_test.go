package forecast

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/examples/internal/golden"
)

func TestPicturesAreOfEveryPoolAndItsReasons(t *testing.T) {
	args := []string{"-from", "2026-12-30", "-zone", "Europe/Berlin", "testdata/controls.yaml", "testdata/broken.yaml", "testdata/k1866.yaml"}
	for _, format := range []string{"svg", "html"} {
		got := forecasted("", append(args, "-o", format)...)
		for _, want := range []string{"example-nodepool", "fields", "k1866", "NodeImageDrift", "Expired", "Underutilized", "Dec"} {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("%s: %s is not there", format, want)
			}
		}
		if got.status != faulty {
			t.Errorf("%s: exit status %d", format, got.status)
		}
	}
}

// README.md shows this picture.
func TestTheBundledPicture(t *testing.T) {
	golden.Check(t, "bundled.svg", forecasted("", "-o", "svg").stdout)
}

func TestThePictureIsXML(t *testing.T) {
	d := xml.NewDecoder(strings.NewReader(forecasted("", "-o", "svg").stdout))
	elements := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := token.(xml.StartElement); ok {
			elements++
		}
	}
	if elements < 20 {
		t.Errorf("%d elements", elements)
	}
}

func TestThePageHasTheFindings(t *testing.T) {
	for args, want := range map[string]string{"": "uneven-openings", "testdata/broken.yaml": "spec.disruption.consolidateafter"} {
		if page := forecasted("", append(strings.Fields(args), "-o", "html")...).stdout; !strings.Contains(page, want) {
			t.Errorf("%s is not in the page of %q", want, args)
		}
	}
}
