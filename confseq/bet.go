package confseq

import "fmt"

// Bet names how a wealth process chooses its stakes. All are valid; they differ in how soon they win.
type Bet string

// The bets of Elimination, Pairs and Positive.
const (
	BetMix    Bet = "mix"    // half the stake on each of the two below: nearly the better of both
	BetAGRAPA Bet = "agrapa" // one stake fitted to the past: fastest when the data are kind
	BetGrid   Bet = "grid"   // fifteen constant stakes at once: best for rare events
)

func (b Bet) check() error {
	switch b {
	case BetMix, BetAGRAPA, BetGrid:
		return nil
	}
	return fmt.Errorf("unknown bet %q: want mix, agrapa or grid", string(b))
}

const (
	maxStake = 0.8 // of what could be lost at worst, for aGRAPA
	// Wealth beyond these is cut: an e-value needs no more, and products stay out of the slow denormal numbers.
	// Cutting only lowers it. One bet multiplies it by 2/sure at most, so that a cut after each suffices above.
	maxWealth, minWealth = 1e280, 1e-280
	cutEvery             = 64 // bets between cuts below
	// A pseudo-observation of mean 0 and second moment ¼ keeps the first stakes small, the floor all of them finite.
	pseudoSquare, minVariance = 0.25, 1e-4
	// sure is the room below the null mean at which the remaining draws are as good as forced.
	sure = 1e-9
)

// grid is the constant stakes of BetGrid, as shares of what could be lost at worst.
var grid = [15]float64{
	.02, .04, .07, .10, .18, .25, .33, .41, .49, .56, .64, .72, .80, .87, .95,
}

// wealth bets against "the mean of d is at most null", for draws d ≥ −1, starting with 1.
// While that is true it is a nonnegative supermartingale: the probability that it ever reaches 1/δ is at most δ
// (Ville 1939). Betting is Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting" (2023).
type wealth struct {
	e        float64 // the wealth of the chosen bet: an e-value
	peak     float64 // the largest e so far
	fitted   float64
	constant [len(grid)]float64
	bets     int
}

func newWealth() wealth {
	w := wealth{e: 1, peak: 1, fitted: 1}
	for k := range w.constant {
		w.constant[k] = 1
	}
	return w
}

// history is what a bet may know: the sum and the sum of squares of the past draws, and 1/t for the t-th draw to come.
type history struct {
	sum, square, share float64
}

// bet multiplies the wealth by 1 + stake·(d − null). The history and the null mean must not depend on d.
func (w *wealth) bet(kind Bet, d, null float64, past history) {
	win, room := d, 1.0 // room is what is lost at worst per unit of stake, since d ≥ −1
	if null != 0 {
		room = 1 + null
		if room < sure {
			return // under the null d is −1 for certain; whoever sees more decides without a bet
		}
		win = max((d-null)/room, -1)
	}
	if win == 0 {
		return // nothing won, nothing lost
	}
	if kind != BetGrid {
		mean := past.sum * past.share
		stake := 0.0
		// aGRAPA: the stake edge/(variance + edge²) maximises the second-order growth of the wealth.
		if edge := mean - null; edge > 0 {
			variance := max((past.square+pseudoSquare)*past.share-mean*mean, minVariance)
			stake = min(edge*room/(variance+edge*edge), maxStake)
		}
		w.fitted *= 1 + stake*win
		w.e = w.fitted
	}
	if kind != BetAGRAPA {
		sum := 0.0
		for k, x := range &w.constant {
			x *= 1 + grid[k]*win
			w.constant[k] = x
			sum += x
		}
		w.e = sum / float64(len(grid))
	}
	if kind == BetMix {
		w.e = (w.fitted + w.e) / 2
	}
	if w.e > w.peak {
		w.peak = w.e
	}
	w.bets++
	if w.e > maxWealth || w.bets%cutEvery == 0 {
		w.cut()
	}
}

// cut keeps the parts of the wealth within bounds.
func (w *wealth) cut() {
	w.fitted = cut(w.fitted)
	for k, x := range w.constant {
		w.constant[k] = cut(x)
	}
}

func cut(x float64) float64 {
	if x > maxWealth {
		return maxWealth
	}
	if x < minWealth {
		return 0
	}
	return x
}

// nullMean is the largest mean that the next draw of a finite batch can have while the batch's total is at most 0:
// what the past has gained, the remaining draws must lose. For independent draws (batch 0) it is 0.
func nullMean(batch, count int, sum float64) float64 {
	if batch == 0 {
		return 0
	}
	return -sum / float64(batch-count)
}

// certain reports whether the remaining draws of a finite batch, each at least −1, can't bring the sum back to 0.
// Sums closer than sure count as tied.
func certain(batch, count int, sum float64) bool {
	return batch > 0 && sum > float64(batch-count)+sure
}
