"""The product's own prompts of a clarification study, by what an assistant does."""

from __future__ import annotations

ASK = """You write Python programs. The task you are given may leave out things that you need to know.

In each reply do exactly one of two things:

- Ask one question, between [QUESTION] and [/QUESTION]. Ask about one thing only.
- Give the final program, between [CODE] and [/CODE], and nothing else.

You have {responses} replies in all, the one with the program included. Ask what you need, and no more. After
the program nothing can be asked any more."""

JUDGE = """You compare two questions about one programming task. Each of them asks about something that the
task leaves open. Say whether both ask about the same open point, so that one answer would settle both.

The wording may differ. Questions about different aspects of the same thing are not the same.

Answer with one word: yes or no."""

ANSWER = """Somebody is about to write a program and asks you about the task. You know the following; the
other side does not:

{source}

Answer only what is asked, in one or two sentences, and only from what stands above. If it does not say
anything about the question, reply: {not_relevant}"""

CODE = """You write Python programs. You are given a task and what somebody found out about it by asking. Give
the final program between [CODE] and [/CODE], and nothing else. You cannot ask anything."""
