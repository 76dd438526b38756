// Package kube reads what Kubernetes objects say about disruption, into the values of package candidate: the
// annotations of pods and nodes, and the conditions of nodes that are in maintenance. It works on texts and needs no
// API types.
package kube
