package blame

import (
	"cmp"
	"encoding/json"
	"slices"
)

// A RepairGroup is the failures that the same sets of fixes repair.
type RepairGroup struct {
	// Count is how many failures there are, and Cases names the first of them.
	Count int      `json:"count"`
	Cases []string `json:"cases"`
	// MinimalRepairs are the minimal repairs of each; none: nothing tried
	// repairs them.
	MinimalRepairs [][]string `json:"minimal_repairs"`
	// Cut says that a case has more minimal repairs than are listed.
	Cut bool `json:"minimal_repairs_cut,omitempty"`
}

// Limits of what a result lists.
const (
	groupCases = 5
	maxGroups  = 1000
)

// repairGroups collects failures by their minimal repairs.
type repairGroups struct {
	by    map[string]*RepairGroup
	other int // failures of groups beyond the limit
}

func (g *repairGroups) add(c *CaseResult) {
	key, err := json.Marshal(c.MinimalRepairs)
	if err != nil {
		return // lists of names always encode
	}
	group := g.by[string(key)]
	if group == nil {
		if len(g.by) >= maxGroups {
			g.other++
			return
		}
		if g.by == nil {
			g.by = map[string]*RepairGroup{}
		}
		group = &RepairGroup{MinimalRepairs: c.MinimalRepairs, Cut: c.MinimalRepairsCut}
		g.by[string(key)] = group
	}
	group.Count++
	if len(group.Cases) < groupCases {
		group.Cases = append(group.Cases, c.ID)
	}
}

// list returns the groups, the largest first; failures that nothing repairs come
// last.
func (g *repairGroups) list() []RepairGroup {
	var out []RepairGroup
	var keys []string
	for key := range g.by {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		x, y := g.by[a], g.by[b]
		if none, other := len(x.MinimalRepairs) == 0, len(y.MinimalRepairs) == 0; none != other {
			if none {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(a, b))
	})
	for _, key := range keys {
		out = append(out, *g.by[key])
	}
	return out
}
