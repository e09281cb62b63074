// Package stream makes the random streams on which stopping rules are compared.
//
// A stream is a sequence of cases; a case is one vector of exact Shapley values, one value per step.
// SeedLike has the numbers of an eight-step agent whose drafter is to blame (mean 0.30, the others 0.06 to 0.11);
// the others are built to mislead: exact ties, rare culprits, a rival that is constant.
// Everything is drawn from the generator it is given, so equal seeds give equal streams.
package stream
