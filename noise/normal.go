package noise

import "math"

// normal is the quantile of the standard normal distribution at u in (0, 1),
// relative error about 10⁻¹⁶: algorithm AS 241, PPND16, of Wichura, "The
// percentage points of the normal distribution", Applied Statistics 37 (1988).
func normal(u float64) float64 {
	q := u - 0.5
	if math.Abs(q) <= 0.425 {
		return central(q)
	}
	r := u
	if q > 0 {
		r = 1 - u
	}
	r = math.Sqrt(-ln(r))
	x := 0.0
	if r <= 5 {
		x = tail(r - 1.6)
	} else {
		x = farTail(r - 5)
	}
	if q < 0 {
		return -x
	}
	return x
}

func central(q float64) float64 {
	r := 0.180625 - float64(q*q)
	a := madd(r, 2.5090809287301226727e+3, 3.3430575583588128105e+4)
	a = madd(a, r, 6.7265770927008700853e+4)
	a = madd(a, r, 4.5921953931549871457e+4)
	a = madd(a, r, 1.3731693765509461125e+4)
	a = madd(a, r, 1.9715909503065514427e+3)
	a = madd(a, r, 1.3314166789178437745e+2)
	a = madd(a, r, 3.3871328727963666080e+0)
	b := madd(r, 5.2264952788528545610e+3, 2.8729085735721942674e+4)
	b = madd(b, r, 3.9307895800092710610e+4)
	b = madd(b, r, 2.1213794301586595867e+4)
	b = madd(b, r, 5.3941960214247511077e+3)
	b = madd(b, r, 6.8718700749205790830e+2)
	b = madd(b, r, 4.2313330701600911252e+1)
	b = madd(b, r, 1)
	return float64(q*a) / b
}

func tail(r float64) float64 {
	a := madd(r, 7.74545014278341407640e-4, 2.27238449892691845833e-2)
	a = madd(a, r, 2.41780725177450611770e-1)
	a = madd(a, r, 1.27045825245236838258e+0)
	a = madd(a, r, 3.64784832476320460504e+0)
	a = madd(a, r, 5.76949722146069140550e+0)
	a = madd(a, r, 4.63033784615654529590e+0)
	a = madd(a, r, 1.42343711074968357734e+0)
	b := madd(r, 1.05075007164441684324e-9, 5.47593808499534494600e-4)
	b = madd(b, r, 1.51986665636164571966e-2)
	b = madd(b, r, 1.48103976427480074590e-1)
	b = madd(b, r, 6.89767334985100004550e-1)
	b = madd(b, r, 1.67638483018380384940e+0)
	b = madd(b, r, 2.05319162663775882187e+0)
	b = madd(b, r, 1)
	return a / b
}

func farTail(r float64) float64 {
	a := madd(r, 2.01033439929228813265e-7, 2.71155556874348757815e-5)
	a = madd(a, r, 1.24266094738807843860e-3)
	a = madd(a, r, 2.65321895265761230930e-2)
	a = madd(a, r, 2.96560571828504891230e-1)
	a = madd(a, r, 1.78482653991729133580e+0)
	a = madd(a, r, 5.46378491116411436990e+0)
	a = madd(a, r, 6.65790464350110377720e+0)
	b := madd(r, 2.04426310338993978564e-15, 1.42151175831644588870e-7)
	b = madd(b, r, 1.84631831751005468180e-5)
	b = madd(b, r, 7.86869131145613259100e-4)
	b = madd(b, r, 1.48753612908506148525e-2)
	b = madd(b, r, 1.36929880922735805310e-1)
	b = madd(b, r, 5.99832206555887937690e-1)
	b = madd(b, r, 1)
	return a / b
}
