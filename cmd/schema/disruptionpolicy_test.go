package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	goldenfile "github.com/disruptkit/disruptkit/cmd/golden"
)

// plain turns the schema of a CustomResourceDefinition into a JSON schema. As kubectl does, it refuses unknown fields. The rules that only
// the API server checks are comments.
func plain(s map[string]any) {
	if s["x-kubernetes-int-or-string"] == true {
		s["type"] = []any{"integer", "string"}
	}
	if _, fields := s["properties"]; fields && s["x-kubernetes-preserve-unknown-fields"] != true {
		s["additionalProperties"] = false
	}
	if rules, _ := s["x-kubernetes-validations"].([]any); len(rules) > 0 {
		var texts []string
		for _, r := range rules {
			texts = append(texts, r.(map[string]any)["message"].(string))
		}
		s["$comment"] = strings.Join(texts, "; ")
	}
	for name, value := range s {
		if strings.HasPrefix(name, "x-kubernetes-") {
			delete(s, name)
		} else if below, is := value.(map[string]any); is && (name == "items" || name == "additionalProperties") {
			plain(below)
		} else if is && name == "properties" {
			for _, field := range below {
				plain(field.(map[string]any))
			}
		}
	}
}

func TestTheSchemaOfAPolicyIsThatOfItsCustomResourceDefinition(t *testing.T) {
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct{ OpenAPIV3Schema map[string]any }
			}
		}
	}
	if err := yaml.Unmarshal(disruptionpolicy.CRD, &crd); err != nil {
		t.Fatal(err)
	}
	s := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	plain(s)
	fields := s["properties"].(map[string]any)
	fields["apiVersion"], fields["kind"] = map[string]any{"const": disruptionpolicy.Version}, map[string]any{"const": disruptionpolicy.Kind}
	s["required"] = []any{"apiVersion", "kind", "metadata", "spec"}
	s["$schema"], s["$id"] = "https://json-schema.org/draft/2020-12/schema", "https://github.com/disruptkit/disruptkit/cmd/schema/disruptionpolicy.json"
	s["title"] = "A DisruptionPolicy"
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	goldenfile.Check(t, "../disruptionpolicy.json", string(text)+"\n")
}
