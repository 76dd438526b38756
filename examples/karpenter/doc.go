// Package karpenter runs disruptkit inside Karpenter: what its own API can say is taken over as it is, and what it
// cannot say yet is read from annotations of NodePools.
package karpenter
