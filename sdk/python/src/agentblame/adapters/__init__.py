"""Pipelines of other frameworks as programs, each in a module of its own.

``langgraph``, ``langchain``, ``llamaindex``, ``pydantic_ai``, ``openai_agents`` and
``dspy``. Each imports its framework, which this package does not. See
docs/python-frameworks.md.
"""
