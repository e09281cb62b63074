"""Steps and variants around functions you already have, for agentblame to blame.

See docs/python.md.
"""

from .analyze import analyze_case, blame_batch
from .case import Case
from .context import Context, carry, charge, context, progress, tell
from .errors import (
    AnalysisError,
    DecodingError,
    EncodingError,
    NoGoldError,
    RunOver,
    StepError,
    Transient,
    UsageError,
)
from .format import format_batch, format_case
from .manifest import VERSION as __version__
from .noise import Noise, NoiseError
from .pipeline import Pipeline, Steps
from .program import Program, program
from .record import flush, record, redact
from .result import BatchResult, CaseResult, StepResult
from .score import Score
from .serve import serve
from .step import Input, Step, registered, step
from .web import asgi

__all__ = [
    "AnalysisError",
    "BatchResult",
    "Case",
    "CaseResult",
    "Context",
    "DecodingError",
    "EncodingError",
    "Input",
    "NoGoldError",
    "Noise",
    "NoiseError",
    "Pipeline",
    "Program",
    "RunOver",
    "Score",
    "Step",
    "StepError",
    "StepResult",
    "Steps",
    "Transient",
    "UsageError",
    "__version__",
    "analyze_case",
    "asgi",
    "blame_batch",
    "carry",
    "charge",
    "context",
    "flush",
    "format_batch",
    "format_case",
    "program",
    "progress",
    "record",
    "redact",
    "registered",
    "serve",
    "step",
    "tell",
]
