package poll

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// YAML is a httpget.Decoder for bodies in YAML, as in the RFC, and in JSON. It accepts YAML that JSON can express.
// Anything that may not mean what it seems to is an error: a second document, a duplicate key, a key that is not a
// string, aliases and merges (which can make a body endless), and YAML's own types.
func YAML(body []byte) ([]byte, error) {
	if json.Valid(body) {
		return body, nil
	}
	documents := yaml.NewDecoder(bytes.NewReader(body))
	var document, second yaml.Node
	switch err := documents.Decode(&document); {
	case err == io.EOF:
		return nil, errors.New("the body is empty: write deniedActions: [] to deny nothing")
	case err != nil:
		return nil, fmt.Errorf("the body is neither JSON nor YAML: %w", err)
	}
	switch err := documents.Decode(&second); {
	case err == nil:
		return nil, errors.New("the body has more than one document: write one, without ---")
	case err != io.EOF:
		return nil, fmt.Errorf("the body is neither JSON nor YAML: %w", err)
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode {
		return nil, fmt.Errorf("the body begins with %.40q, and says nothing in YAML: write deniedActions: [] to deny nothing", body)
	}
	if err := check(root); err != nil {
		return nil, err
	}
	var content any
	if err := root.Decode(&content); err != nil { // a key that appears twice, or a number that is none
		return nil, fmt.Errorf("%s: write each key once, and texts in quotes", strings.Join(strings.Fields(err.Error()), " "))
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // messages quote the result
	err := e.Encode(content)
	return bytes.TrimSpace(out.Bytes()), err
}

// plain are the tags of what JSON can express, by the kind of a node.
var plain = map[yaml.Kind][]string{
	yaml.MappingNode: {"!!map"}, yaml.SequenceNode: {"!!seq"},
	yaml.ScalarNode: {"!!str", "!!timestamp", "!!null", "!!bool", "!!int", "!!float"},
}

// check returns an error for what JSON cannot express. A time is a string, as in JSON.
func check(n *yaml.Node) error {
	switch tag := n.ShortTag(); {
	case n.Kind == yaml.AliasNode:
		return fmt.Errorf("line %d: *%.40s is an alias: write what it stands for", n.Line, n.Value)
	case !slices.Contains(plain[n.Kind], tag):
		return fmt.Errorf("line %d: nobody knows the tag %.40q here: leave it out", n.Line, tag)
	case tag == "!!timestamp":
		n.Tag = "!!str"
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && (child.Kind != yaml.ScalarNode || child.ShortTag() != "!!str") {
			return fmt.Errorf("line %d: the key %.40q is not a string: write it in quotes", child.Line, child.Value)
		}
		if err := check(child); err != nil {
			return err
		}
	}
	return nil
}
