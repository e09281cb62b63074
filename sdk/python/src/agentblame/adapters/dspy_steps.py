"""Predictors, tools and inner modules of DSPy modules as steps."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import dspy

from ..context import tell
from ..decode import decoder, hints
from ..errors import StepError, UsageError
from ..step import Step
from ..wiring import listed
from .codec import Codec
from .digest import digest_of
from .dspy_calls import EXAMPLE, FIELDS, name_of_call, read_fields, readers, settings_of, stepped, using
from .dspy_parts import parts_of
from .running import ask, ask_async, known, live_or, refusal
from .variant import check_names

_CHANGEABLE = ("lm", "instructions", "demos")
_OPTIONS = Codec([EXAMPLE])


class Predictor:
    """A predictor as a step. What it runs is a predictor, and the language model for it if it has none of its own."""

    def __init__(self, name: str, base: dspy.Predict, lm: Any, asynchronous: bool, codec: Codec) -> None:
        self.name, self.base, self._asynchronous = name, (base, lm), asynchronous

    def function(self, what: tuple[dspy.Predict, Any]) -> Callable[..., Any]:
        """The function of the step or of a variant."""
        predictor, lm = what
        read = readers(predictor.signature.input_fields)

        def given(fields: dict[str, Any], options: dict[str, Any] | None) -> dict[str, Any]:
            return {**read_fields(fields, read), **_OPTIONS.revive(options or {})}

        def dump(prediction: dspy.Prediction) -> Any:
            names = list(predictor.signature.output_fields)
            several = prediction.completions
            if several is None or len(several) <= 1:
                return {n: prediction[n] for n in names if n in prediction}
            return [{n: several[i][n] for n in names if n in several[i]} for i in range(len(several))]

        def told(prediction: dspy.Prediction) -> Any:
            if usage := prediction.get_lm_usage():
                tell(usage=usage)
            return dump(prediction)

        def run(fields: dict[str, Any], options: dict[str, Any] | None = None) -> Any:
            with using(lm):
                return told(predictor(**given(fields, options)))

        async def run_async(fields: dict[str, Any], options: dict[str, Any] | None = None) -> Any:
            with using(lm):
                return told(await predictor.acall(**given(fields, options)))

        return live_or(dump, run_async if self._asynchronous else run)

    def seen(self, what: tuple[dspy.Predict, Any]) -> dict[str, Any]:
        """The options that a predictor suggests."""
        return {"deterministic": False, "version": digest_of(*_parts(*what))}

    def shown(self, output: Any) -> Any:
        """What a key is given of an output."""
        return output

    def changed(self, variant: str, other: Any) -> tuple[dspy.Predict, Any]:
        """What a variant runs."""
        base, lm = self.base
        if isinstance(other, dspy.Predict):
            return other, lm
        if isinstance(other, dspy.Module):
            found = {n: p for n, p in parts_of(other, ()).items() if isinstance(p, dspy.Predict)}
            if self.name in found:
                return found[self.name], lm
            if len(found) == 1:  # a ChainOfThought in place of a Predict, say
                return next(iter(found.values())), lm
            raise UsageError(
                f"variant {variant} of {self.name}: the module has no predictor {self.name}: it has {listed(found)}"
            )
        check_names(f"variant {variant} of {self.name}", "change", _CHANGEABLE, other)
        changed = base.deepcopy()
        if "instructions" in other:
            changed.signature = changed.signature.with_instructions(other["instructions"])
        if "demos" in other:
            changed.demos = list(other["demos"])
        if "lm" in other:
            changed.lm = None  # its own would come first
        return changed, other.get("lm", lm)

    def intercept(self, part: dspy.Predict, step: Step[Any, Any]) -> None:
        """Has the predictor ask the step."""
        base, _ = self.base
        read = readers(base.signature.output_fields)

        def inputs(predictor: Any, args: Any, kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
            if not predictor.signature.equals(base.signature):
                raise refusal(f"predictor {self.name}: a signature that changes in a run can't be replayed")
            fields = {n: v for n, v in kwargs.items() if n in base.signature.input_fields}
            options = {n: v for n, v in kwargs.items() if n not in fields and v is not None}
            for n in options:
                if n not in ("config", "demos"):
                    raise refusal(f"predictor {self.name}: {n}= in a call can't be replayed; give it to the predictor")
            if predictor.demos != base.demos:
                options.setdefault("demos", predictor.demos)
            asked = settings_of(predictor, base, self.name)
            if asked or predictor.config != base.config:
                options["config"] = {**asked, **predictor.config, **options.get("config", {})}
            out = {"fields": FIELDS.dump(fields)}
            return {**out, "options": _OPTIONS.dump(options)} if options else out

        def prediction(predictor: Any, kwargs: Mapping[str, Any], output: Any) -> dspy.Prediction:
            completions = [read_fields(o, read) for o in (output if isinstance(output, list) else [output])]
            fields = {n: v for n, v in kwargs.items() if n in base.signature.input_fields}
            return predictor._forward_postprocess(completions, predictor.signature, **fields)

        stepped(part, step, inputs, prediction)


def _parts(predictor: dspy.Predict, lm: Any) -> list[Any]:
    """What a predictor's version is made of."""
    state, model = predictor.dump_state(), predictor.lm or lm or dspy.settings.lm
    asked = [type(model), getattr(model, "model", None), getattr(model, "kwargs", None)]
    own = type(predictor) if not type(predictor).__module__.startswith("dspy.") else None
    return [state.get("signature"), state.get("demos"), predictor.config, *asked, getattr(own, "forward", None)]


class ToolPart:
    """A tool as a step."""

    def __init__(self, name: str, base: dspy.Tool, lm: Any, asynchronous: bool, codec: Codec) -> None:
        self.name, self.base, self._asynchronous = name, base, asynchronous

    def function(self, tool: dspy.Tool) -> Callable[..., Any]:
        """The function of the step or of a variant."""

        def run(arguments: dict[str, Any]) -> Any:
            return tool(**arguments)

        async def run_async(arguments: dict[str, Any]) -> Any:
            return await tool.acall(**arguments)

        return live_or(lambda output: output, run_async if self._asynchronous else run)

    def seen(self, tool: dspy.Tool) -> dict[str, Any]:
        """The options that a tool suggests."""
        return {"version": digest_of(tool.func)}

    def shown(self, output: Any) -> Any:
        """What a key is given of an output."""
        return self._read(output)

    def changed(self, variant: str, other: Any) -> dspy.Tool:
        """What a variant runs."""
        return other if isinstance(other, dspy.Tool) else dspy.Tool(other)

    def _read(self, output: Any) -> Any:
        read = decoder(hints(self.base.func).get("return"))
        return output if read is None else read(output)

    def intercept(self, tool: dspy.Tool, step: Step[Any, Any]) -> None:
        """Has the tool ask the step."""
        fn = tool.func

        def call(**arguments: Any) -> Any:
            if known(step) is None:
                return fn(**arguments)

            def given() -> dict[str, Any]:
                return {"arguments": arguments}

            async def live() -> Any:
                out = fn(**arguments)
                return await out if inspect.isawaitable(out) else out

            async def later(name: str | None) -> Any:
                try:
                    return await ask_async(step, name, given, self._read, live)
                except StepError as error:
                    raise _as_raised(error) from None

            name = name_of_call(step, given)
            if self._asynchronous:
                return later(name)
            try:
                return ask(step, name, given, self._read, lambda: fn(**arguments))
            except StepError as error:
                raise _as_raised(error) from None

        tool.func = call


def _as_raised(error: StepError) -> StepError:
    """A tool's error by the name of what the tool raised: an agent is told it."""
    kind, module = error.type or "StepError", str(error.data.get("module") or "builtins")
    error.__class__ = type(kind, (type(error),), {"__module__": module, "__qualname__": kind})
    return error.with_traceback(None)


class Inner:
    """A module in the module that is one step."""

    def __init__(self, name: str, base: dspy.Module, lm: Any, asynchronous: bool, codec: Codec) -> None:
        self.name, self.base, self._lm, self._asynchronous, self._codec = name, base, lm, asynchronous, codec

    def function(self, module: Any) -> Callable[..., Any]:
        """The function of the step or of a variant: a module, or a function."""

        def run(arguments: dict[str, Any], positional: Any = ()) -> Any:
            with using(self._lm):
                return self._codec.dump(module(*self._codec.revive(list(positional)), **self._codec.revive(arguments)))

        async def run_async(arguments: dict[str, Any], positional: Any = ()) -> Any:
            call = getattr(module, "acall", module)
            with using(self._lm):
                out = call(*self._codec.revive(list(positional)), **self._codec.revive(arguments))
                return self._codec.dump(await out if inspect.isawaitable(out) else out)

        return live_or(self._codec.dump, run_async if self._asynchronous else run)

    def seen(self, module: Any) -> dict[str, Any]:
        """The options that a module suggests; of a function, its version."""
        if not isinstance(module, dspy.Module):
            return {"version": digest_of(module)}
        forward = getattr(type(module), "forward", None) or getattr(type(module), "aforward", None)
        inside = [digest_of(*_parts(p, self._lm)) for _, p in module.named_sub_modules(dspy.Predict)]
        tools = [t.func for _, t in module.named_sub_modules(dspy.Tool)]
        own = {"version": digest_of(type(module), forward, inside, tools)}
        return {**own, "deterministic": False} if inside else own

    def shown(self, output: Any) -> Any:
        """What a key is given of an output."""
        return self._codec.revive(output)

    def changed(self, variant: str, other: Any) -> Any:
        """What a variant runs."""
        if not callable(other):
            raise UsageError(f"variant {variant} of {self.name} is neither a module nor a function")
        return other

    def intercept(self, part: dspy.Module, step: Step[Any, Any]) -> None:
        """Has the module ask the step."""

        def inputs(_: Any, args: Any, kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
            out = {"arguments": {n: self._codec.dump(v) for n, v in kwargs.items()}}
            return {**out, "positional": [self._codec.dump(a) for a in args]} if args else out

        stepped(part, step, inputs, lambda part, kwargs, output: self._codec.revive(output))
