// Made of docs/result.schema.json by `npm run types`: don't edit it.

/** Result, a part of a result. */
export interface Result {
  /** The form of this file and its version. */
  schema: "agentblame.result/v1";
  pipeline: PipelineInfo;
  settings: Settings;
  summary: Summary;
  /** What the batch says of each step that has a fix, in the pipeline's order. */
  steps: StepResult[];
  /** The analysed failures by what repairs them, the largest group first, those that nothing repairs last. */
  repair_groups?: RepairGroup[];
  /** Mean interactions of pairs of steps, the strongest first. */
  interactions?: Interaction[];
  /** Blame by group: agents of several steps, steps of several calls. */
  groups?: GroupResult[];
  plan?: FixPlan;
  harm?: Harm;
  /** The cases that were run, in their own order. */
  cases: CaseResult[];
  /** What the stories of cases tell of, each once: a story has the indexes. */
  values?: StoryValue[];
}

/** The pipeline that was analysed. */
export interface PipelineInfo {
  name: string;
  /** All steps, in the order of reports. */
  steps: StepInfo[];
}

/** StepInfo, a part of a result. */
export interface StepInfo {
  name: string;
  /** The steps and inputs that the step reads, where they are declared. */
  needs?: string[];
  /** The step stands for an input of the pipeline. */
  input?: boolean;
  /** The variant that was tried. A step without is no player. */
  fix?: string;
  /** All variants of the step. */
  variants?: string[];
  /** The declared price of an as-run run. */
  cost: number;
  /** The declared price of a run of the fix; absent for 0. */
  fix_cost?: number;
  /** The step declares what of its output matters: outputs with equal keys count as the same. */
  key?: boolean;
  /** The step may draw randomness that isn't seen: its answers to changed inputs are fresh samples, and what they say is interventional. */
  unseen_noise?: boolean;
}

/** The choices that the numbers depend on. */
export interface Settings {
  /** Which noise counterfactual replays saw. */
  mode: "recorded" | "posterior" | "prior";
  /** The number of worlds, where the factual noise isn't known. */
  worlds?: number;
  /** Which question the values answer, in a sentence. */
  estimand: string;
  /** Coalitions did not share noise. */
  independent?: boolean;
  /** How values were computed. */
  method: "auto" | "exact" | "permutation";
  /** What blame goes to. */
  players: "steps" | "calls";
  /** The pass mark: a case with a lower score fails. */
  pass: number;
  seed: number;
  /** The error probability of intervals and of stopping. */
  delta: number;
  /** The most that the analysis was allowed to cost; absent for no limit. */
  budget?: number;
  /** The goal at which the batch was to end: top1, topk, ranking, width. */
  stop?: string;
  /** The rule that decides about the goal. */
  rule?: string;
  /** Whom conclusions are about: future cases like these, or the failures of this batch. */
  claim: "traffic" | "batch";
}

/** Counts of cases, and costs in the user's unit. */
export interface Summary {
  /** The cases that were to be analysed. */
  given: number;
  /** The cases that were run. */
  cases: number;
  /** Cases that pass as they are. */
  passed: number;
  /** Cases that fail as they are. */
  failures: number;
  /** Failures with values. Means and shares are over them. */
  analyzed: number;
  /** Analysed failures that some combination of fixes makes pass. */
  repairable: number;
  /** Analysed failures that none does. */
  unfixable: number;
  /** Analysed failures whose values are estimates; whether they are repairable is not known. */
  sampled?: number;
  /** Cases that can't be analysed, each for the reason it gives. */
  undefined: number;
  /** Cases in which some step run failed. */
  with_errors: number;
  /** What the step runs of the analysis cost, without the factual runs. */
  cost: number;
  /** What the factual runs cost. */
  cost_factual: number;
  /** What enumerating all coalitions of the analysed failures would have cost with nothing cached. */
  cost_uncached: number;
  /** Why the analysis ended: all cases, budget, interrupted, or the goal that was reached. */
  stopped: string;
  /** The checks of declared keys, summed up. */
  key_check?: KeyCheck;
  /** What the intervals of the steps promise, by rule, the rule of low and high first. */
  intervals?: IntervalInfo[];
  separation?: Separation;
  /** How many cases the result lists, when not all. */
  cases_kept?: number;
  /** How many of the listed cases have a story. */
  stories?: number;
  /** How many have none since the result has no room for more. */
  stories_cut?: number;
  /** Cases are missing because the analysis was stopped from outside. */
  partial?: boolean;
  /** How many runs were asked for a second time since the process that had them ended, by step; program is the pipeline's own code. */
  asked_again?: Record<string, number>;
}

/** What came of replaying without keys. */
export interface KeyCheck {
  replays: number;
  /** Replays that gave another score. */
  disagreements: number;
}

/** What the intervals of a rule promise. */
export interface IntervalInfo {
  rule: string;
  /** The promise in a few words. */
  label: string;
  /** The error bound holds at every sample size and for every distribution in the declared range. */
  valid: boolean;
  /** One may look after every case and stop for any reason that doesn't look ahead. */
  anytime: boolean;
  /** The randomness that is covered, and so whom the claim is about. */
  over: string;
  /** The whole promise, and what is not promised. */
  text: string;
}

/** What the stopping rule said, when there is one. */
export interface Separation {
  rule: string;
  goal: string;
  reached: boolean;
  /** The analysed failures that the rule has seen. */
  cases: number;
  /** The steps that were declared, best first. */
  leaders?: string[];
  /** As in intervals, of the declaration. */
  label: string;
  valid: boolean;
  anytime: boolean;
  over: string;
  text: string;
}

/** A mean over the analysed failures, with an interval that holds for all steps at once with probability 1 - delta. */
export interface Estimate {
  mean: number;
  low?: number;
  high?: number;
  /** Intervals by other rules, each promising something else. */
  others?: RuleInterval[];
}

/** RuleInterval, a part of a result. */
export interface RuleInterval {
  rule: string;
  low: number;
  high: number;
}

/** Bounds, a part of a result. */
export interface Bounds {
  low: number;
  high: number;
}

/** StepResult, a part of a result. */
export interface StepResult {
  name: string;
  /** The mean blame over the analysed failures. With calls as players it is the blame of the step's calls added up, not the step's own Shapley value. */
  shapley: Estimate;
  /** The mean of v({i}) - v(none). */
  fix_alone: number;
  /** The share of the analysed failures that pass with this fix alone. */
  resolves: number;
  /** The mean of v(all) - v(all but i). */
  leave_one_out: number;
  /** The mean blame as a share of all steps'; absent unless that sum is positive. */
  share?: number;
  /** The failures in which this was the last step whose output the fixes change. */
  last_touch: number;
  /** The share of passing cases that fail with this fix alone, where it was measured. */
  breaks?: Rate;
  /** What this fix alone changes in the share of all cases that pass. */
  net?: number;
  necessity?: Necessity;
  /** The mean degree of responsibility: one over the size of the smallest minimal repair that has the fix. */
  responsibility?: number;
  /** The step's variants, each alone, where it has several. */
  variants?: VariantResult[];
  /** How many players the step was, with calls as players. */
  calls?: number;
}

/** VariantResult, a part of a result. */
export interface VariantResult {
  name: string;
  /** It is the fix that the analysis tried. */
  tried?: boolean;
  /** It changes the share of passing cases the most for the better, as far as was measured. */
  best?: boolean;
  /** The mean gain with it alone. */
  fix_alone: number;
  /** The share of the analysed failures that pass with it alone. */
  resolves: number;
  /** The share of passing cases that fail with it. */
  breaks?: Rate;
  /** What it changes in the share of all cases that pass. */
  net?: number;
}

/** How far a fix is necessary and sufficient, over the analysed failures. */
export interface Necessity {
  /** The probability that the fix alone repairs a run that failed. */
  sufficient: Bounds;
  /** The probability that a run doesn't pass without it although all other fixes are in place; in prior mode, that one that passes with it fails without. */
  necessary: Bounds;
  /** Both are known, not just bounded. */
  exact: boolean;
}

/** What two fixes do together beyond what each does. In a batch the indices are means. */
export interface Interaction {
  players: string[];
  /** synergy: they need each other; redundancy: either does the other's work. */
  kind: "synergy" | "redundancy" | "mixed";
  /** Shapley interaction index. */
  sii: number;
  /** Shapley-Taylor interaction index. */
  stii: number;
  /** Faithful Shapley interaction index. */
  fsii: number;
  /** Banzhaf interaction index. */
  bii: number;
  exact?: ExactInteraction;
  /** A batch's cases in which it is a synergy. */
  synergies?: number;
  /** A batch's cases in which it is a redundancy. */
  redundancies?: number;
}

/** The indices as fractions, where scores are 0 or 1. */
export interface ExactInteraction {
  sii: string;
  stii: string;
  fsii: string;
  bii: string;
}

/** Effects of single players by other indices. Those of k_sii, stii and fsii add up, with the pairs', to v(all) - v(none). */
export interface Effects {
  banzhaf: Values;
  k_sii: Values;
  stii: Values;
  fsii: Values;
}

/** GroupResult, a part of a result. */
export interface GroupResult {
  name: string;
  /** The steps in it. */
  members: string[];
  /** The mean Shapley value of the group as one player. */
  shapley: number;
}

/** Repair, a part of a result. */
export interface Repair {
  fixes: string[];
  /** What a run of these fixes costs. */
  cost: number;
}

/** The failures that the same sets of fixes repair. */
export interface RepairGroup {
  /** How many failures there are. */
  count: number;
  /** The ids of the first of them. */
  cases: string[];
  /** The minimal repairs of each; an empty list means that nothing repairs them. */
  minimal_repairs: string[][];
  /** A case has more than are listed. */
  minimal_repairs_cut?: boolean;
}

/** Which fixes are worth making together: for 1, 2, ... fixes the best set over the analysed failures. */
export interface FixPlan {
  /** Each set is the best of its size; otherwise it was found by adding one fix after another. */
  exact: boolean;
  sets: PlanSet[];
}

/** PlanSet, a part of a result. */
export interface PlanSet {
  /** The steps whose fix is in the set. */
  fixes: string[];
  /** The share of the analysed failures that pass with them. */
  resolves: number;
  /** By how much the best set of this size could resolve more, at most. */
  gap: number;
  /** What a run of a failing case costs with them in place, on average. */
  cost: number;
  /** The share of passing cases that fail with them. */
  breaks?: Rate;
  /** What they change in the share of all cases that pass. */
  net?: number;
}

/** A share that was counted on a sample, with an exact interval that holds for all rates beside it at once. */
export interface Rate {
  rate: number;
  low: number;
  high: number;
  count: number;
  of: number;
}

/** On what it was measured which fixes break what passes today. */
export interface Harm {
  /** The passing cases that were replayed with fixes in place. */
  cases: number;
  /** How many rates were measured; the interval of each holds for all at once with probability 1 - delta. */
  candidates: number;
  /** The share that fails when it is only run again with fresh noise; absent where no step draws noise. */
  placebo?: Rate;
  /** The share of failing cases that pass when they are only run again with fresh noise. */
  placebo_resolves?: Rate;
  /** What these replays cost; part of the analysis' cost. */
  cost: number;
  /** Not all of the sample could be replayed. */
  cut?: boolean;
}

/** CaseResult, a part of a result. */
export interface CaseResult {
  id: string;
  /** Why the case has no values. */
  undefined?: string;
  /** The score of the run as it was. */
  score?: number;
  /** The case passes as it is, so that nothing is to blame. */
  passed?: boolean;
  /** The score with every fix in place. */
  score_fixed?: number;
  /** The mean score without any fix over the worlds, where those are not the factual one. */
  score_as_run?: number;
  /** How the case's values were computed; bounds: there are none, but it is certain who is most to blame. */
  method?: "exact" | "permutation" | "model" | "bounds";
  /** The number of worlds, where there are several. */
  worlds?: number;
  /** The number of coalitions that the values are exact over, or that were replayed in sampling. */
  coalitions?: number;
  /** How many orders of the players were sampled. */
  permutations?: number;
  /** Why the values were computed by this method. */
  reason?: string;
  /** The estimate from random orders, where shapley is that of a model of the game. */
  unbiased?: Values;
  /** Why no more were sampled. */
  stopped?: string;
  /** The intervals of sampled values, holding for all players at once. */
  intervals?: Intervals;
  /** The randomness that they cover: permutations, in the worlds that were drawn where there are several. */
  intervals_cover?: string;
  /** What the step runs of the case's analysis cost. */
  cost: number;
  /** What its factual run cost. */
  cost_factual: number;
  /** What enumerating all its coalitions would have cost with nothing cached. */
  cost_uncached?: number;
  /** The blame of each player. */
  shapley?: Values;
  /** The same as fractions, where all scores are 0 or 1 and the players few. */
  shapley_exact?: Fractions;
  /** v({i}) - v(none) of each player. */
  fix_alone?: Values;
  /** v(all) - v(all but i) of each player. */
  leave_one_out?: Values;
  /** The last player whose as-run output differs from its output with every fix in place; absent if there is none. */
  last_touch?: string;
  /** The smallest of the inclusion-minimal sets of players whose fixes make the case pass. An empty list means that nothing repairs it. */
  minimal_repairs?: string[][];
  /** There are more than are listed. */
  minimal_repairs_cut?: boolean;
  /** The share of worlds in which each listed repair is a minimal one, where there are several worlds. */
  minimal_repairs_frequency?: number[];
  /** How many there are, where the list is cut. */
  minimal_repairs_count?: string;
  /** The share of coalitions whose value is known, where replays were cut off. */
  coverage?: number;
  /** Where the players' values lie for certain, where replays were cut off. */
  bounds?: Intervals;
  /** The player that has the largest value whatever is unknown. */
  certain_top?: string;
  /** The repair whose fixes cost the least to run. */
  cheapest_repair?: Repair;
  /** One over the size of the smallest minimal repair that has the player. */
  responsibility?: Values;
  /** The pairs of players that interact, the strongest first. */
  interactions?: Interaction[];
  effects?: Effects;
  /** The values when players come in groups (Owen values). */
  owen?: Values;
  /** The values of the groups as players. */
  groups?: Values;
  /** The values over those orders alone that respect the wiring. */
  shapley_ordered?: Values;
  /** How many outputs were taken as the same as another with an equal key. */
  merged_by_key?: number;
  key_check?: KeyCheck;
  /** Steps that a fix makes be called another number of times, so that the numbers of their later calls don't mean the same in all replays. */
  calls_shift?: string[];
  /** The step runs that failed in the case's replays. */
  errors?: CaseError[];
  /** The case's own labels. */
  tags?: Record<string, string>;
  story?: Story;
}

/** What happened in a case. Numbers of values are indexes into the result's values. */
export interface Story {
  /** The fixed replay saw other noise than the run as it was: that of the first world. */
  other_world?: boolean;
  inputs?: Indexes;
  expected?: number;
  /** The calls of the run as it was, in the order in which they were answered. */
  as_run?: StoryCall[];
  /** The calls of the replay with every fix in place. */
  fixed?: StoryCall[];
  /** The scores of all coalitions, the smallest first, where there are at most five players. */
  coalitions?: Record<string, any>[];
}

/** StoryCall, a part of a result. */
export interface StoryCall {
  step: string;
  iteration: string;
  /** Absent for the as-run implementation. */
  variant?: string;
  inputs?: Indexes;
  output: number;
  cost: number;
  /** The first of its draws. */
  draws?: Record<string, any>[];
  /** How many draws there were, if more. */
  draws_cut?: number;
  /** The output is a recorded one. */
  recorded?: boolean;
  /** The run of the case as it was had made the very run already. */
  reused?: boolean;
}

/** A whole value, the first part of its JSON text, or a failed step's error. */
export interface StoryValue {
  /** The value. */
  value?: any;
  /** The first part of the JSON text of a long one. */
  text?: string;
  /** How long the whole text is. */
  bytes?: number;
  error?: string;
}

/** Indexes into the result's values, by name. */
export type Indexes = Record<string, number>;

/** CaseError, a part of a result. */
export interface CaseError {
  /** The step's name, score, or absent for the pipeline function. */
  step?: string;
  /** The variant's name; absent for the as-run implementation. */
  variant?: string;
  /** The smallest set of fixes under which it happened. */
  coalition: string[];
  message: string;
  /** Where it comes from, as the step's language words it: its end, at most 4 KiB. */
  traceback?: string;
}

/** A number a player, in the order of reports. A player is a step's name, or step#iteration with calls as players. */
export type Values = Record<string, number>;

/** An interval a player. */
export type Intervals = Record<string, Bounds>;

/** A fraction a player, as in 5/12. */
export type Fractions = Record<string, string>;
