// Package schema has a JSON schema for what each command prints with -o json, for DisruptionPolicies, for policy tests, and for cases
// of cmd/conformance.
package schema

import "embed"

// Files are the schemas, by command: decide.json, why.json and so on, and disruptionpolicy.json, policytest.json and case.json (JSON
// Schema 2020-12).
//
//go:embed *.json
var Files embed.FS
