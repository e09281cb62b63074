"""Programs: any control flow, whose calls of steps agentblame answers."""

import asyncio
import multiprocessing
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass

import agentblame as ab
import pytest
from agentblame import AnalysisError, Case, StepError, analyze_case, program, step

from peer import Peer

pytestmark = pytest.mark.usefixtures("binary")


@dataclass
class Found:
    shard: int
    hits: int


@step
def look(shard: int) -> Found:
    return Found(shard, 0)


@look.variant("wide")
def look_wide(shard: int) -> Found:
    return Found(shard, 1)


@step
async def alook(shard: int) -> Found:
    await asyncio.sleep(0)
    return Found(shard, 0)


@alook.variant("wide")
async def alook_wide(shard: int) -> Found:
    await asyncio.sleep(0.001)
    return Found(shard, 1)


@step("total")
def total(found: list[Found]) -> int:
    return sum(f.hits for f in found)


METRIC = {"metric": lambda out: out / 3}


@program(**METRIC)
def loop(n):
    return total([look(i) for i in range(n)])


@program(**METRIC)
def pool(n):
    with ThreadPoolExecutor(3) as workers:
        return total(list(workers.map(lambda i: look.at(f"shard-{i}")(i), range(n))))


@program(**METRIC)
def threads(n):
    found = []
    started = [threading.Thread(target=ab.carry(lambda i=i: found.append(look.at(f"shard-{i}")(i)))) for i in range(n)]
    for t in started:
        t.start()
    for t in started:
        t.join()
    return total(sorted(found, key=lambda f: f.shard))


@program(**METRIC)
async def tasks(n):
    return total(await asyncio.gather(*(alook.at(f"shard-{i}")(i) for i in range(n))))


@program(**METRIC)
async def mixed(n):
    """Sync steps and async ones, in this task and in threads."""
    one = look(0)
    two = await alook(1)
    three = await asyncio.to_thread(look.at("aside"), 2)
    return total([one, two, three])


@pytest.mark.parametrize("served", [loop, pool, threads, tasks], ids=lambda p: p.name)
def test_control_flow(served):
    case = analyze_case(served, Case("c", {"n": 3}), players="calls")
    third = [v for k, v in case.shapley.items() if k.startswith(("look", "alook"))]
    assert third == pytest.approx([1 / 3] * 3)
    step = "alook" if served is tasks else "look"
    names = {f"{step}#{i + 1}" if served is loop else f"{step}#shard-{i}" for i in range(3)}
    assert names <= set(case.shapley)


def test_mixed_control_flow():
    case = analyze_case(mixed, Case("c", {"n": 3}))
    assert case.shapley == pytest.approx({"look": 2 / 3, "alook": 1 / 3})


def test_programs_are_functions():
    assert loop(2) == 0 and pool(2) == 0 and threads(2) == 0
    assert asyncio.run(tasks(2)) == 0 and asyncio.run(mixed(3)) == 0


class OwnError(Exception):
    pass


@step
def fetch(url):
    raise LookupError("nothing there")


@fetch.variant("mirror")
def fetch_mirror(url):
    return url


@step
def parse(text):
    raise OwnError("not to be read")


@parse.variant("lenient")
def parse_lenient(text):
    return "read"


def test_errors_of_steps():
    seen = []

    @program(metric=lambda out: out == "read")
    def handles(url):
        try:
            page = fetch(url)
        except LookupError as error:
            seen.append(error)
            page = "none"
        try:
            return parse(page)
        except OwnError as error:
            seen.append(error)
            return "unread"

    case = analyze_case(handles, Case("c", {"url": "u"}))
    assert case.shapley == {"fetch": 0, "parse": 1}
    kinds = {type(e).__mro__[2] if isinstance(e, StepError) else None for e in seen}
    assert kinds == {LookupError, OwnError}
    assert {str(e) for e in seen} == {"nothing there", "not to be read"}
    assert {e.step for e in seen} == {"fetch", "parse"}
    assert handles("u") == "unread", "as in production, where the step's own errors are raised"


def test_an_error_that_the_program_does_not_handle():
    @program(metric=lambda out: True)
    def lets_through(url):
        return parse(fetch(url))

    case = analyze_case(lets_through, Case("c", {"url": "u"}))
    assert case.score == 0 and case.minimal_repairs == [["fetch", "parse"]]
    assert case.errors[0]["message"] == "nothing there"


def raises(error):
    def fn(x):
        raise error

    return fn


def test_errors_of_other_types_are_other_outcomes():
    find = ab.step("find")(raises(ValueError("no"))).variant("fix", raises(LookupError("no")))

    @program(metric=lambda out: out, steps=[find])
    def app(x):
        try:
            return find(x)
        except LookupError:
            return 1

    case = analyze_case(app, Case("c", {"x": 1}))
    assert (case.score, case.score_fixed, case.shapley) == (0, 1, {"find": 1})


def test_step_errors():
    import pickle

    error = StepError.of("s", {"code": 1, "message": "m", "data": {"type": "UnicodeDecodeError", "module": "builtins"}})
    assert isinstance(error, UnicodeDecodeError) and str(error) == "m"
    assert str(pickle.loads(pickle.dumps(error))) == "m"
    for data in (
        None,
        {},
        {"type": "int"},
        {"type": "Gone", "module": "gone"},
        {"type": "SystemExit", "module": "builtins"},
    ):
        assert type(StepError.of("s", {"code": 1, "message": "m", "data": data})) is StepError


workers = ThreadPoolExecutor(2)


@step
def other(x):
    return x


@step
def lingering(shard):
    time.sleep(1)  # when the next call comes, the run is over
    return shard


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (lambda x: other(x), "step other was called, but it is not among the steps of"),
        (lambda x: look(object()), "the input of step look can't be written as JSON: at .shard"),
        (lambda x: look({1: 2}), "a key is 1, which is no string"),
        (
            lambda x: [t.result() for t in [workers.submit(lingering, i) for i in (1, 2)]],
            "lingering was called twice at once",
        ),
        (lambda x: (bare := threading.Thread(target=look, args=(1,)), bare.start(), bare.join()) and None, None),
        (lambda x: [look.at("a")(1), look.at("a")(2)], "twice"),
        (lambda x: look.at("7")(1), "must not be a number"),
    ],
)
def test_misuse(body, why):
    served = program(body, name="wrong", metric=lambda out: 0, steps=[look, lingering])
    if why is None:  # the thread is told, the program isn't: it doesn't depend on the call
        raised = []
        hook, threading.excepthook = threading.excepthook, lambda a: raised.append(a.exc_value)
        try:
            analyze_case(served, Case("c", {"x": 1}))
        finally:
            threading.excepthook = hook
        assert "doesn't know of its run: start it with agentblame.carry" in str(raised[0])
        return
    try:
        told = analyze_case(served, Case("c", {"x": 1})).undefined
    except AnalysisError as error:
        told = str(error)
    assert why in told


def test_a_step_that_is_called_in_a_forked_process():
    def in_a_child(x):
        with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
            return pool.submit(look, x).result()

    served = program(in_a_child, name="forking", metric=lambda out: 0, steps=[look])
    with pytest.raises(AnalysisError, match="step was called in a process that the program has forked: use threads"):
        analyze_case(served, Case("c", {"x": 1}))


def test_a_program_that_takes_no_such_input():
    with pytest.raises(AnalysisError, match='the input "n" is missing'):
        analyze_case(loop, Case("c", {"m": 1}))


HIDES = """
    import agentblame as ab

    @ab.step
    def ask(n):
        return n

    def run(n):
        try:
            ask(n)
        except:
            pass
        try:
            return ask(n)
        finally:
            open("unwound", "w").close()

    async def arun(n):
        return run(n)

    SYNC = ab.program(run, metric=lambda out: 1, steps=[ask])
    ASYNC = ab.program(arun, metric=lambda out: 1, steps=[ask])
"""


@pytest.mark.parametrize("name", ["SYNC", "ASYNC"])
@pytest.mark.parametrize("how", ["answered", "cancelled"])
def test_a_run_that_is_over_is_unwound(tmp_path, name, how):
    with Peer(HIDES, "-m", "agentblame", f"app:{name}", cwd=tmp_path) as peer:
        assert peer.ask("initialize")["result"]["kind"] == "program"
        run = peer.send("run/start", {"run": "1", "inputs": {"n": 1}})
        call = peer.receive()
        assert call["method"] == "step/call" and call["params"] == {"run": "1", "step": "ask", "inputs": {"n": 1}}
        if how == "answered":
            peer.answer(call["id"], error={"code": -32800, "message": "over"})
        else:
            peer.write(b'{"jsonrpc":"2.0","method":"$/cancel","params":{"id":%d}}\n' % run)
        assert peer.reply(run)["error"]["code"] == -32800
        deadline = time.monotonic() + 30
        while not (tmp_path / "unwound").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert (tmp_path / "unwound").exists()
        assert peer.others == [], "no further call was made"


def test_runs_beside_each_other(tmp_path):
    with Peer(HIDES, "-m", "agentblame", "app:SYNC", cwd=tmp_path) as peer:
        runs = [peer.send("run/start", {"run": str(i), "inputs": {"n": i}}) for i in range(100)]
        for _ in range(200):
            message = peer.receive()
            while "method" not in message:
                peer.others.append(message)
                message = peer.receive()
            peer.answer(message["id"], result={"output": message["params"]["inputs"]["n"] * 10})
        replies = [peer.reply(id) for id in runs]
        assert sorted(r["result"]["output"] for r in replies) == [10 * i for i in range(100)]
