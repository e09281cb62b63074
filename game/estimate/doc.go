// Package estimate
package estimate
