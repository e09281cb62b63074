/**
 * A compiled LangGraph.js graph as a program: its nodes are the steps.
 *
 * @packageDocumentation
 */
import { load } from "@langchain/core/load";
import { isBaseMessage, type BaseMessage } from "@langchain/core/messages";
import { Runnable, RunnableLambda, type RunnableConfig } from "@langchain/core/runnables";
import { Command, Send, type CompiledStateGraph } from "@langchain/langgraph";

import type { StepContext } from "./context.js";
import { UsageError } from "./errors.js";
import type { Input } from "./pipeline.js";
import { program, type Program } from "./program.js";
import type { Metric, Score } from "./score.js";
import { step, type AnyStep, type ImplOptions, type StepOptions } from "./step.js";
import { versionOf } from "./version.js";

/** A compiled graph of any state. */
export type Graph = CompiledStateGraph<any, any, any, any, any, any, any, any, any>;

/** A node: what addNode takes. It gives an update of the state, or a Command. */
export type Node = ((state: any, config: RunnableConfig) => unknown) | Runnable<any, any>;

/** A variant of a node. */
export interface NodeVariant extends ImplOptions {
  node: Node;
}

/** What is declared of a graph. */
export interface GraphOptions<In extends object, State> {
  name: string;
  /** Names of the inputs that a case must have. */
  inputs: readonly (string | Input)[];
  /** Other nodes to try in a node's place, by its name and a name for each. The first is the default fix. */
  variants?: Record<string, Record<string, Node | NodeVariant>>;
  /** Options of nodes as steps, by name: cost, key, deterministic … */
  nodes?: Record<string, StepOptions>;
  /** Makes the graph's input of a case's inputs. Default: they are it. */
  state?: (inputs: In) => unknown;
  /** Goes along with each run of the graph and its nodes. */
  config?: RunnableConfig & { context?: unknown; recursionLimit?: number };
  /** Scores the final state. */
  metric: Metric<State> | Score<State>;
}

/**
 * Makes a program of a compiled graph, which stays as it is. Every node is a step,
 * whose one input is the state that it is given and whose output is its update.
 * Edges, conditional ones too, run as they are.
 */
export function graphProgram<In extends object = any, State = any>(graph: Graph, options: GraphOptions<In, State>): Program<In, State> {
  const { variants = {}, nodes = {}, state = (inputs: In) => inputs, config = {} } = options;
  const names = Object.keys(graph.nodes).filter((name) => name !== "__start__");
  for (const name of [...Object.keys(variants), ...Object.keys(nodes)]) {
    if (!names.includes(name)) throw new UsageError(`graph ${options.name} has no node ${name}: it has ${names.join(", ")}`);
  }
  const steps = new Map<string, AnyStep>();
  for (const name of names) {
    const bound = graph.nodes[name].bound as Runnable;
    const declared = step(name, nodeRun(bound, config), { version: nodeVersion(bound), ...nodes[name] });
    for (const [variant, given] of Object.entries(variants[name] ?? {})) {
      const { node, ...implementation } = typeof given === "function" || Runnable.isRunnable(given) ? { node: given as Node } : given;
      const runnable = asRunnable(node);
      declared.variant(variant, nodeRun(runnable, config), { version: nodeVersion(runnable), ...implementation });
    }
    steps.set(name, declared);
  }
  return program<In, State>({
    name: options.name,
    inputs: options.inputs,
    steps: [...steps.values()],
    async run(inputs) {
      const ids = new Ids();
      const given = await revive(state(inputs));
      ids.know(given);
      const last: unknown = await replaced(graph, steps, ids).invoke(given as never, config as never);
      ids.alias(last);
      return dump(last) as never;
    },
    metric: options.metric,
  });
}

/** What a step of a node runs, on a state that is JSON or the graph's own. */
function nodeRun(node: Runnable, config: RunnableConfig) {
  return async ({ state }: { state: unknown }, { signal }: StepContext): Promise<unknown> => {
    const update: unknown = await node.invoke(await revive(state), { ...config, signal });
    return dump(update);
  };
}

function asRunnable(node: Node): Runnable {
  return typeof node === "function" ? new RunnableLambda({ func: node as never }) : node;
}

function nodeVersion(node: Runnable): string | undefined {
  const { func } = node as unknown as { func?: (...args: never[]) => unknown };
  return typeof func === "function" ? versionOf(func) : undefined;
}

/** A copy of a graph whose nodes call the steps. Retries, caches and checkpoints are agentblame's affair. */
function replaced(graph: Graph, steps: ReadonlyMap<string, AnyStep>, ids: Ids): Graph {
  const copy = graph.withConfig({}) as Graph;
  const nodes: Record<string, unknown> = { ...graph.nodes };
  for (const [name, declared] of steps) {
    const bound = new RunnableLambda({
      func: async (state: unknown, config: RunnableConfig) => {
        ids.alias(state);
        const call = callName(config);
        const inputs = { state: dump(state) };
        const update: unknown = await revive(await (call === undefined ? declared(inputs) : declared.at(call)(inputs)));
        ids.know(update);
        return update;
      },
    });
    const node: object = graph.nodes[name];
    nodes[name] = Object.assign(Object.create(Object.getPrototypeOf(node) as object), node, {
      bound,
      retryPolicy: undefined,
      cachePolicy: undefined,
      timeout: undefined,
    });
  }
  return Object.assign(copy, { nodes, retryPolicy: undefined, cache: undefined, checkpointer: undefined });
}

/** Names the calls that a node may have at once, those of Send; others are numbered. */
function callName(config: RunnableConfig): string | undefined {
  const { langgraph_path: path, langgraph_step: step } = (config.metadata ?? {}) as { langgraph_path?: unknown[]; langgraph_step?: number };
  if (path?.[0] !== "__pregel_push") return undefined;
  return `${step}.${path.slice(1).filter((part) => typeof part === "number").join(".")}-sent`;
}

/**
 * The ids of messages in one run. Reducers give messages without an id a random
 * one, which would make each replay another run: those are numbered instead.
 */
class Ids {
  readonly #known = new Set<string>();
  #last = 0;

  /** Keeps the ids in a value. */
  know(value: unknown): void {
    visit(value, (message) => {
      if (message.id) this.#known.add(message.id);
    });
  }

  /** Numbers the messages in a value whose ids aren't known. */
  alias(value: unknown): void {
    visit(value, (message) => {
      if (!message.id || this.#known.has(message.id)) return;
      do message.id = `message-${++this.#last}`;
      while (this.#known.has(message.id));
      this.#known.add(message.id);
    });
  }
}

function visit(value: unknown, seen: (message: BaseMessage) => void, depth = 0): void {
  if (typeof value !== "object" || value === null || depth > 100) return;
  if (isBaseMessage(value)) return seen(value);
  if (Array.isArray(value)) for (const item of value) visit(item, seen, depth + 1);
  else if (isPlain(value) || isSpecial(value)) for (const member of Object.values(value)) visit(member, seen, depth + 1);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isSpecial(value: object): value is Command | Send {
  return value instanceof Command || value instanceof Send;
}

/** Writes messages, Commands and Sends as JSON that {@link revive} reads; the rest is left to the encoder. */
function dump(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > 1000) return value;
  if (isBaseMessage(value)) {
    const json = value.toJSON() as { kwargs?: object };
    // An id that a reducer has set isn't among what toJSON writes.
    return value.id === undefined ? json : { ...json, kwargs: { ...json.kwargs, id: value.id } };
  }
  if (Array.isArray(value)) return value.map((item) => dump(item, depth + 1));
  if (isSpecial(value)) return dump(value.toJSON(), depth + 1);
  return isPlain(value) ? mapMembers(value, (member) => dump(member, depth + 1)) : value;
}

/** Makes messages, Commands and Sends of what {@link dump} wrote. */
async function revive(value: unknown): Promise<unknown> {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map(revive));
  if (!isPlain(value)) return value;
  const { lc, type, id, lg_name: special } = value as { lc?: unknown; type?: unknown; id?: unknown; lg_name?: unknown };
  if (lc === 1 && type === "constructor" && Array.isArray(id)) return load(JSON.stringify(value));
  const members = Object.fromEntries(
    await Promise.all(Object.entries(value).map(async ([name, member]) => [name, await revive(member)] as const)),
  ) as Record<string, any>;
  if (special === "Send") return new Send(members.node, members.args);
  if (special === "Command") return new Command(members);
  return members;
}

function mapMembers(value: object, change: (member: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member)]));
}
