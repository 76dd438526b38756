package poll

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

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
	content, err := plain(root)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // messages quote the result
	err = e.Encode(content)
	return bytes.TrimSpace(out.Bytes()), err
}

// plain returns the value of a node in the types of encoding/json.
func plain(n *yaml.Node) (any, error) {
	switch tag := n.ShortTag(); {
	case n.Kind == yaml.MappingNode && tag == "!!map":
		return fields(n)
	case n.Kind == yaml.SequenceNode && tag == "!!seq":
		list := []any{}
		for _, element := range n.Content {
			content, err := plain(element)
			if err != nil {
				return nil, err
			}
			list = append(list, content)
		}
		return list, nil
	case n.Kind == yaml.ScalarNode:
		return scalar(n)
	case n.Kind == yaml.AliasNode:
		return nil, fmt.Errorf("line %d: *%.40s is an alias: write what it stands for", n.Line, n.Value)
	}
	return nil, unknownTag(n)
}

func unknownTag(n *yaml.Node) error {
	return fmt.Errorf("line %d: nobody knows the tag %.40q here: leave it out", n.Line, n.ShortTag())
}

// fields returns the value of a mapping.
func fields(n *yaml.Node) (map[string]any, error) {
	fields := map[string]any{}
	for pair := range slices.Chunk(n.Content, 2) {
		key := pair[0]
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
			return nil, fmt.Errorf("line %d: the key %.40q is not a string: write it in quotes", key.Line, key.Value)
		}
		if _, twice := fields[key.Value]; twice {
			return nil, fmt.Errorf("line %d: the key %.40q appears twice: delete one", key.Line, key.Value)
		}
		content, err := plain(pair[1])
		if err != nil {
			return nil, err
		}
		fields[key.Value] = content
	}
	return fields, nil
}

// scalar returns a string, a number, true, false or null. A time is a string, as in JSON.
func scalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		return n.Value, nil
	case "!!null", "!!bool", "!!int", "!!float":
		var content any
		err := n.Decode(&content)
		return content, err
	}
	return nil, unknownTag(n)
}
