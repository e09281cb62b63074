package estimate

// Names of the methods, as in Estimate.Method.
const (
	nameExact       = "exact"
	namePermutation = "permutation"
	nameAntithetic  = "antithetic"
	nameStratified  = "stratified"
	nameKernel      = "kernel"
	namePaired      = "kernel-paired"
	nameLeverage    = "leverage"
	nameGP          = "gp"
	nameSparse      = "sparse"
	nameAuto        = "auto"
)

// Names returns the names [ByName] knows, simplest first.
func Names() []string {
	return []string{
		namePermutation, nameAntithetic, nameStratified, nameKernel, namePaired, nameLeverage, nameGP, nameSparse, nameAuto,
	}
}

// ByName returns the estimator of a name, and whether there is one.
func ByName(name string) (Estimator, bool) {
	e, ok := map[string]Estimator{
		namePermutation: Permutation,
		nameAntithetic:  Antithetic,
		nameStratified:  Stratified,
		nameKernel:      KernelSHAP,
		namePaired:      PairedKernelSHAP,
		nameLeverage:    Leverage,
		nameGP:          GP,
		nameSparse:      Sparse,
		nameAuto:        Auto,
	}[name]
	return e, ok
}
