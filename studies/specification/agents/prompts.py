"""What each stage is told to do: the product's own words, which a study may replace by its own."""

from __future__ import annotations

from collections.abc import Mapping

PROFILE = """
You read past conversations of a person with a coding assistant. Work out what is likely to hold for this \
person in their next, different software project, and note it as a list of attributes.

Look for what lasts: how they work, what they put first, what they like to look at and use, how technical \
they are, what they know from their work, and by which rules they decide. What they chose between two ways, \
what they turned down, what they corrected and what they said more than once tells most. Leave out what \
belongs to the old project alone: its files, its tools, its data, its accidents.

- Few attributes that are certain are better than many that are not. None at all is an answer too.
- Every attribute has evidence. A quote is copied letter by letter from a message of the USER; anything else \
is a paraphrase. What the assistant said is no evidence.
- A fact is true of the person. A soft preference is what they lean to. A hard constraint is what they \
insist on, in so many words.
- State the value as a rule by which a choice in another project could be foretold. Where two attributes \
come down to the same, keep one.
- Confidence is 0.9 or more only where the person said it outright, and below 0.5 where it is a guess.
"""

SUMMARY = """
You read past conversations of a person with a coding assistant. Sum up, in at most 250 words, how this \
person goes about a project: how they ask and answer, how much they say, what they come back to, what they \
accept without a word and what they change, what they put first when two things cannot both be had.

Write it for somebody who will work with them on another project and has not read the conversations. Name \
no detail that means nothing outside the old project. Say only what the conversations show, and say so \
where they show little.
"""

DRAFT = """
A person proposes a piece of software. Write a first draft of its specification: a short text for each of \
the nine sections, two to five sentences each.

Stay with the proposal. Add only what a section cannot do without, and nothing because software usually has \
it. Where the proposal leaves something open on which reasonable people would differ, leave it open too.

Then list what the draft rests on:
- assumptions, six to twelve: what you took for granted though the proposal does not say it, and which \
somebody could well want otherwise. Nothing trivial, nothing that the proposal already says.
- open questions, four to eight: what only the person can settle, and what changes the product.
- the priority question: what matters most to them in this project, with four answers. Each is a direction \
that only this project could take, and each would lead to a different sheet. Do not ask about money, dates \
or the order of work.
"""

CHART = """
A person proposes a piece of software, and a draft exists. Take the project apart into 8 to 12 dimensions. \
A dimension is one thing about what the product does, how it feels to use, or where it stops, on which \
different people would want different things.

For each dimension write one question of fewer than 50 plain words that somebody without any technical \
knowledge can answer from their own life, and four answers that lead to noticeably different products. The \
answers must exclude each other and differ in kind, not only in amount. Say which of them the draft assumes.

- Rest every dimension on something that the proposal says or clearly implies, or on an assumption or open \
question of the draft. Never bring in a capability that nobody mentioned.
- Two or three dimensions draw a boundary: what the product will not do, whom it is not for. Mark them.
- Nothing about technology, and nothing about phases, prices, budget or dates. These are not preferences \
about the product.
- No two dimensions may overlap. If the answer to one mostly decides the other, keep the one that decides \
more.
- Nothing that the proposal has already decided.
- Put what matters most to the person first. depends_on names other dimensions whose choice bears on this \
one.
"""

SIMULATE = """
You foretell what a person wants. Below is what they propose, what is known of them, and a list of choices. \
For every choice say first what speaks for which alternative, in one or two sentences, and only then name \
the letter. Use each key exactly once, as it is written.

Set confident to true only where something that the person said or did supports the choice over the other \
alternatives. Where you would be guessing, choose what is most likely and set confident to false.
"""

STANCES = {
    1: """
You are this person. Speak to yourself as they would, from everything that is known of them, and choose what \
you would be glad to have in daily use.
""",
    2: """
You are a colleague who has worked with this person before and knows them fairly well. Weigh what they said \
against what they did, look for the alternative that they would regret, and choose for them.
""",
    3: """
You have never met this person. You have their proposal, and at most a report on how they work. Look for \
the alternative that follows from their own words, and treat everything else as open.
""",
}
"""What makes the three simulated users think differently."""

UPDATE = """
You interview a person about a piece of software they propose. They have just answered a question. Decide \
what else that answer settles.

- List a dimension only if the answers so far leave no reasonable doubt about what the person wants there. \
Give the reasoning first, then the letter or letters. If it is only likely, leave it out or set confident to \
false: it is then still open. Often an answer settles nothing beside its own question.
- A dimension marked as agreed was settled by simulated users. List it only if the person's answers \
contradict that.
- Never list what the person has answered themselves.
- Set enough to true only if none of the open dimensions would change the result noticeably. Say why, in one \
sentence that the person can read.
"""

PREDICT = """
A person proposes a piece of software and has answered a checklist of questions about it; you have not seen \
the answers. Foretell the answer to every question of the checklist, from what they propose, what is known \
of them, what they said in the interview, and what simulated users chose.

What the person said in the interview counts most, then what is known of them, then the simulated users. \
Where all of that is silent, choose what most people who want such a thing would choose. Use each key \
exactly once, as it is written.
"""

SYNTHESIS = """
Write the specification of a piece of software that a person proposes, after an interview with them: nine \
sections, each a list of short statements. Every statement names what it rests on.

What counts, from the top:
1. Decisions that the person confirmed. Each must be stated in a section where it belongs, and nothing may \
contradict it. Where they picked several alternatives, combine them if they go together; if not, take the \
one that fits their other decisions and say so. Their own words go before every alternative.
2. What the proposal says. Everything it asks for is in the sheet, and nothing is taken away from it.
3. Decisions of high confidence: state them plainly.
4. Inferred decisions: state them as what it does to begin with, and only where they fit all of the above.
What is left out of the decisions is left out of the sheet.

- Bring in no capability that neither the proposal nor the person mentions: no accounts, notifications, \
dashboards, statistics, sharing, further roles or connections to other programs of your own accord.
- Out of scope names what somebody could expect and will not get.
- Sections must fit together: what is a core feature is nowhere out of scope, and the priorities name the \
features that there are.
- Two or three statements may be practical advice of your own that the person will be glad of; they rest on \
agent.
- Use the person's language. If they are not technical, name no technology.
- One thought a statement, said once, in one or two sentences. All statements together have fewer than 6,000 \
characters; aim at 4,000.
- Name the grounds in the grounds only, never in the text.
"""

REVIEW = """
Look over the specification of a piece of software once more, before the person reads it. Change only what \
is wrong, and say why in one sentence that the person can read. Look for:
- coverage: something that the proposal or the person asked for is missing.
- scope_creep: something that nobody asked for.
- must_have: something that the person insists on was weakened, put off or made optional.
- consistency: two statements contradict each other, or a section says what belongs elsewhere.
- operational_detail: a target without a number, or a critical part without a word on what happens when it \
fails.

A change takes statements out by their ids, puts others in, or both, in one section. To reword a statement, \
take it out and put the new one in. What the person confirmed must still be stated and still name its \
decision. The whole stays below 6,000 characters. If nothing is wrong, change nothing.
"""

_PRODUCT: Mapping[str, str] = {
    "profile": PROFILE,
    "summary": SUMMARY,
    "draft": DRAFT,
    "chart": CHART,
    "simulate": SIMULATE,
    "update": UPDATE,
    "predict": PREDICT,
    "synthesis": SYNTHESIS,
    "review": REVIEW,
}
STAGES = tuple(_PRODUCT)
"""Every stage of Buddy, in the order of its work."""


def instruction(stage: str, own: Mapping[str, str], simulator: int = 0) -> str:
    """What a stage is told: the study's own words, or the product's.

    What sets the simulated users apart follows in either case; without it there would be one, three times.
    """
    told = own.get(stage) or _PRODUCT[stage]
    return "\n\n".join(filter(None, (told.strip(), STANCES[simulator].strip() if simulator else "")))
