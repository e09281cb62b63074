/** What happened in one case: from the run as it was to the one with every fix. */
import { useEffect, useRef } from "preact/hooks";
import type { Call, Case, Result } from "../data.js";
import { amount, clipped, outcome, repairs, score, visible } from "../words.js";
import { Beside } from "./beside.js";
import { Inputs } from "./inputs.js";
import { Lattice } from "./lattice.js";
import { Numbers } from "./numbers.js";
import { Text } from "./text.js";
import { Waterfall } from "./waterfall.js";

interface Props {
  result: Result;
  case: Case;
  /** Its neighbours in the list. */
  beside: { before?: Case; after?: Case };
  onOpen: (c: Case) => void;
  onClose: () => void;
}

export function StoryView({ result, case: c, beside, onOpen, onClose }: Props) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    title.current?.focus({ preventScroll: true });
    title.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const story = c.story;
  const pairs = paired(story?.as_run ?? [], story?.fixed ?? []);
  return (
    <article class="story" aria-labelledby="story-h" onKeyDown={(e) => e.key === "Escape" && (e.stopPropagation(), onClose())}>
      <header>
        <h3 id="story-h" ref={title} tabIndex={-1}>
          <bdi>{visible(c.id)}</bdi>
        </h3>
        <div class="tools">
          <button type="button" disabled={!beside.before} onClick={() => onOpen(beside.before!)}>
            Previous
          </button>
          <button type="button" disabled={!beside.after} onClick={() => onOpen(beside.after!)}>
            Next
          </button>
          <button type="button" onClick={onClose}>
            Close
          </button>
        </div>
      </header>
      <p>
        <span class="pill">{outcome(c)}</span>
        {c.method && <span class="pill">{c.method}</span>}
        <span class="pill">cost {amount(c.cost)}</span>
        {Object.entries(c.tags ?? {}).map(([k, v]) => (
          <span class="pill" key={k}>
            <bdi>
              {visible(k)}={visible(v)}
            </bdi>
          </span>
        ))}
      </p>
      <p>
        Score {score(c.score_as_run ?? c.score)} as run
        {c.score_fixed !== undefined && `, ${score(c.score_fixed)} with every fix`}. {c.minimal_repairs && c.minimal_repairs.length > 0 && <>Repaired by <bdi>{repairs(c, 8)}</bdi>.</>}
        {c.minimal_repairs?.length === 0 && "No combination of the fixes repairs it."}
        {c.undefined !== undefined && <> Undefined: <bdi>{visible(clipped(c.undefined, 2000))}</bdi>.</>}
        {c.coverage !== undefined && ` The score of ${Number((c.coverage * 100).toFixed(1))} % of the sets of fixes is known.`}
        {c.certain_top && <> Most to blame, whatever is unknown: <bdi>{visible(c.certain_top)}</bdi>.</>}
        {c.last_touch && <> Touched last: <bdi>{visible(c.last_touch)}</bdi>.</>}
      </p>
      {c.shapley && <Waterfall case={c} order={result.pipeline.steps.map((s) => s.name)} />}
      {!c.shapley && c.bounds && <Numbers case={c} players={Object.keys(c.bounds)} />}
      {story?.coalitions && story.coalitions.length > 2 && <Lattice story={story} pass={result.settings.pass} />}
      <Errors case={c} />
      {story ? (
        <>
          <h4>{story.fixed ? "As it was, and with every fix" : "As it was"}</h4>
          {story.other_world && <p class="how">The fixed replay saw other noise than the run as it was: that of the first world.</p>}
          <Givens result={result} case={c} />
          {pairs.map(([was, fixed], i) => (
            <CallView key={i} result={result} was={was} fixed={fixed} both={story.fixed !== undefined} />
          ))}
        </>
      ) : (
        !c.passed && <p class="how">The result doesn't tell what steps were given and gave in this case.</p>
      )}
    </article>
  );
}

/** The calls of both runs side by side: each with the other's of the same step and iteration. */
function paired(was: Call[], fixed: Call[]): [Call | undefined, Call | undefined][] {
  const key = (c: Call) => `${c.step}#${c.iteration}`;
  const others = new Map(fixed.map((c) => [key(c), c]));
  const out: [Call | undefined, Call | undefined][] = was.map((c) => {
    const other = others.get(key(c));
    others.delete(key(c));
    return [c, other];
  });
  for (const c of others.values()) out.push([undefined, c]);
  return out;
}

function Givens({ result, case: c }: { result: Result; case: Case }) {
  const given = Object.entries(c.story?.inputs ?? {});
  return (
    <details class="call">
      <summary>Inputs{c.story?.expected !== undefined && " and what was expected"}</summary>
      {given.map(([name, at]) => (
        <div key={name}>
          <h5>
            <bdi>{visible(name)}</bdi>
          </h5>
          <Text value={result.values?.[at]} />
        </div>
      ))}
      {c.story?.expected !== undefined && (
        <div>
          <h5>expected</h5>
          <Text value={result.values?.[c.story.expected]} />
        </div>
      )}
    </details>
  );
}

function CallView({ result, was, fixed, both }: { result: Result; was?: Call; fixed?: Call; both: boolean }) {
  const call = (was ?? fixed)!;
  const values = result.values ?? [];
  const a = was && values[was.output];
  const b = fixed && values[fixed.output];
  const same = was !== undefined && fixed !== undefined && was.output === fixed.output;
  return (
    <section class="call" aria-label={`${visible(call.step)} ${visible(call.iteration)}`}>
      <h4>
        <bdi>
          {visible(call.step)}
          {call.iteration !== "1" && `#${visible(call.iteration)}`}
        </bdi>{" "}
        {was && <Marks call={was} />}
        {fixed && <Marks call={fixed} fixed />}
        {!was && <span class="pill">only with every fix</span>}
        {!fixed && both && <span class="pill">only as it was</span>}
      </h4>
      {same || !a || !b ? (
        <>
          {same && <p class="how">The same output in both.</p>}
          <Text value={a ?? b} />
        </>
      ) : (
        <Beside was={a} fixed={b} />
      )}
      <Inputs result={result} was={was} fixed={fixed} />
      <Draws was={was} fixed={fixed} />
    </section>
  );
}

function Marks({ call, fixed = false }: { call: Call; fixed?: boolean }) {
  return (
    <>
      {fixed && call.variant && (
        <span class="pill">
          fix: <bdi>{visible(call.variant)}</bdi>
        </span>
      )}
      {fixed && call.reused && <span class="pill">reused</span>}
      {call.recorded && <span class="pill">recorded</span>}
      {!(fixed && call.reused) && !call.recorded && <span class="pill">{`${!fixed ? "run" : call.variant ? "fix run" : "run again"}: cost ${amount(call.cost)}`}</span>}
    </>
  );
}

function Draws({ was, fixed }: { was?: Call; fixed?: Call }) {
  const rows = ([["as run", was], ["with every fix", fixed]] as const).flatMap(([when, call]) => (call?.draws ?? []).map((d) => ({ when, d })));
  if (rows.length === 0) return null;
  const more = (was?.draws_cut ?? 0) + (fixed?.draws_cut ?? 0) > 0;
  return (
    <details>
      <summary>Draws ({rows.length})</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">run</th>
            <th scope="col">key</th>
            <th scope="col">kind</th>
            <th scope="col">drawn</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ when, d }, i) => (
            <tr key={i}>
              <td>{when}</td>
              <td>
                <bdi>{visible(String(d.key ?? ""))}</bdi>
              </td>
              <td>{visible(String(d.kind ?? ""))}</td>
              <td>
                <bdi>{visible(String(d.chosen ?? d.value ?? ""))}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more && <p class="how">Only the first draws are kept.</p>}
    </details>
  );
}

function Errors({ case: c }: { case: Case }) {
  if (!c.errors || c.errors.length === 0) return null;
  return (
    <details open>
      <summary>Step runs that failed ({c.errors.length})</summary>
      {c.errors.slice(0, 20).map((e, i) => (
        <div key={i} class="call">
          <p>
            <strong>
              <bdi>{visible(e.step ?? "the pipeline")}</bdi>
            </strong>{" "}
            {e.variant && <bdi>({visible(e.variant)})</bdi>} {(e.coalition ?? []).length > 0 ? <>with <bdi>{e.coalition!.map(visible).join(", ")}</bdi></> : "with no fix"}: <bdi>{visible(clipped(e.message, 2000))}</bdi>
          </p>
          {e.traceback && <pre tabIndex={0}>{visible(clipped(e.traceback))}</pre>}
        </div>
      ))}
    </details>
  );
}
