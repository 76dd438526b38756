module github.com/disruptkit/disruptkit

go 1.25.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/robfig/cron/v3 v3.0.1
	pgregory.net/rapid v1.3.0
)

require (
	golang.org/x/exp v0.0.0-20260410095643-746e56fc9e2f // indirect
	golang.org/x/mod v0.35.0 // indirect
	golang.org/x/sync v0.20.0 // indirect
	golang.org/x/tools v0.44.0 // indirect
)

tool golang.org/x/exp/cmd/apidiff
