/** The one place where the report's data comes from: the page itself, later perhaps a server. */

export interface Bounds {
  low: number;
  high: number;
}

export interface Case {
  id: string;
  undefined?: string;
  score?: number;
  passed?: boolean;
  score_fixed?: number;
  score_as_run?: number;
  method?: string;
  worlds?: number;
  cost: number;
  cost_factual: number;
  shapley?: Record<string, number>;
  shapley_exact?: Record<string, string>;
  shapley_ordered?: Record<string, number>;
  owen?: Record<string, number>;
  intervals?: Record<string, Bounds>;
  intervals_cover?: string;
  bounds?: Record<string, Bounds>;
  certain_top?: string;
  coverage?: number;
  fix_alone?: Record<string, number>;
  leave_one_out?: Record<string, number>;
  last_touch?: string;
  minimal_repairs?: string[][];
  minimal_repairs_cut?: boolean;
  minimal_repairs_frequency?: number[];
  cheapest_repair?: { fixes: string[]; cost: number };
  errors?: { step?: string; variant?: string; coalition?: string[] | null; message: string; traceback?: string }[];
  tags?: Record<string, string>;
  story?: Story;
}

export interface Story {
  other_world?: boolean;
  inputs?: Record<string, number>;
  expected?: number;
  as_run?: Call[];
  fixed?: Call[];
  coalitions?: { fixes: string[]; score: number }[];
}

export interface Call {
  step: string;
  iteration: string;
  variant?: string;
  inputs?: Record<string, number>;
  output: number;
  cost: number;
  draws?: Record<string, unknown>[];
  draws_cut?: number;
  recorded?: boolean;
  reused?: boolean;
}

export interface Value {
  value?: unknown;
  text?: string;
  bytes?: number;
  error?: string;
}

/** What two fixes do together beyond what each does, by several indices. */
export interface Interaction {
  players: [string, string];
  kind: string;
  sii: number;
  stii: number;
  fsii: number;
  bii: number;
}

export interface Result {
  pipeline: { name: string; steps: { name: string; fix?: string }[] };
  settings: { pass: number; players: string; mode: string };
  summary: { stories_cut?: number };
  steps: { name: string; shapley: { mean: number } }[];
  repair_groups?: { count: number; cases: string[]; minimal_repairs: string[][] }[];
  interactions?: Interaction[];
  groups?: { name: string; members: string[] }[];
  cases: Case[];
  values?: Value[];
}

/** Reads the result that the page holds. */
export async function load(): Promise<Result> {
  const plain = document.getElementById("result");
  if (plain) return JSON.parse(plain.textContent ?? "") as Result;
  const packed = document.getElementById("result-gz");
  if (!packed) throw new Error("the page holds no result");
  const bytes = Uint8Array.from(atob((packed.textContent ?? "").trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as Result;
}
