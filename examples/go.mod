module github.com/disruptkit/disruptkit/examples

go 1.26.0

require (
	github.com/disruptkit/disruptkit v0.0.0
	github.com/google/go-cmp v0.7.0
	go.yaml.in/yaml/v3 v3.0.6
	golang.org/x/term v0.47.0
)

require (
	github.com/robfig/cron/v3 v3.0.1 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/disruptkit/disruptkit => ../
