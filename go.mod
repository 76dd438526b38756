module github.com/disruptkit/disruptkit

go 1.26

require (
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/robfig/cron/v3 v3.0.1 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
