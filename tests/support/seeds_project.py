"""A project about sharing seeds, with recorded-shape answers to every stage of Buddy, and a session alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from studies.answers import read_answer
from studies.events import Event, Payload, to_ascii_json
from studies.replies import ChatMessage
from studies.specification import payloads as said
from studies.specification.agents.agent import Agent, Brief, Conversation, Request
from studies.specification.agents.buddy import Buddy
from studies.specification.materials import ChecklistQuestion
from studies.specification.projects import Projects, Session, fold_projects
from studies.specification.sections import LETTERS, SECTIONS

PROPOSAL = (
    "I want a page where the members of our allotment club offer seeds to each other. "
    "Whoever needs some can see what is there and arrange to collect it.\n"
    "It has to work for Agnes, who is 84 and has never had an account anywhere."
)
TALK = Conversation(
    "walks",
    (
        ChatMessage("user", "I need a list of walks for our group. No sign-up, people just leave again."),
        ChatMessage("assistant", "I could add a login so that members can rate the walks."),
        ChatMessage("user", "No ratings please. “Keep it plain”, that's what I always tell the others."),
    ),
)
ASSUMPTIONS = (
    ("A1", "Offers of seeds are seen by members of the club only.", ["core_features"], "high"),
    ("A2", "Seeds are collected in person at the allotment.", ["user_experience"], "medium"),
    ("A3", "An offer goes away once somebody has collected it.", ["core_features"], "low"),
)
PROFILE: dict[str, Any] = {
    "attributes": [
        {
            "category": "design_preferences",
            "attribute": "plain_pages",
            "value": "Wants plain pages without anything to rate or decorate.",
            "type": "hard_constraint",
            "confidence": 0.9,
            "evidence": [{"kind": "quote", "text": '"keep it plain"'}],
            "reasoning": "They say that they always say so.",
        },
        *(
            {
                "category": "decision_rules",
                "attribute": f"rule_{number}",
                "value": f"Turns down what keeps people out, example {number}.",
                "type": "soft_preference",
                "confidence": 0.6,
                "evidence": [{"kind": "paraphrase", "text": "They turned a login down."}],
                "reasoning": "It was a choice between two ways.",
            }
            for number in range(1, 5)
        ),
    ]
}
SUMMARY = {"summary": "Says little, turns extras down, thinks of whoever would be lost."}
DRAFT: dict[str, Any] = {
    "spec": {name: f"What the seed page says about {name.replace('_', ' ')}." for name in SECTIONS},
    "assumptions": [
        {"id": name, "text": text, "sections": sections, "importance": weight}
        for name, text, sections, weight in ASSUMPTIONS
    ],
    "open_questions": [
        {
            "id": "Q1",
            "text": "Whether seeds can be asked for as well as offered.",
            "sections": ["core_features"],
            "importance": "high",
        }
    ],
    "priority": {
        "question": "What matters most for the seed page?",
        "options": [
            "That Agnes can use it alone",
            "That no seed goes to waste",
            "That offers are always up to date",
            "That members get to know each other",
        ],
    },
}


def axis(
    key: str, question: str, alternatives: Sequence[str], boundary: bool = False, **more: Any
) -> dict[str, Any]:
    """A dimension as a model gives it."""
    return {
        "key": key,
        "section": "out_of_scope" if boundary else "core_features",
        "related_sections": ["user_experience"],
        "question": question,
        "description": "How members of the club share their seeds.",
        "assumed": 0,
        "why_it_matters": "It decides who takes part.",
        "alternatives": list(alternatives),
        "depends_on": [],
        "boundary": boundary,
        **more,
    }


CHART: dict[str, Any] = {
    "dimensions": [
        axis("who_sees", "Who can see the offers?", ["Members", "Invited guests", "The village", "Anybody"]),
        axis("getting_in", "How does a member get in?", ["A shared word", "A link", "By code", "Freely"]),
        axis("asking", "May members ask for seeds?", ["No", "On a list", "By a note", "Only neighbours"]),
        axis("collecting", "How are seeds handed over?", ["In person", "A box", "By post", "At meetings"]),
        axis("reading", "How large is what one reads?", ["Very large", "Large", "As set", "Small and dense"]),
        axis("old_offers", "What happens to old offers?", ["Vanish", "Turn grey", "Are asked about", "Stay"]),
        axis("no_talk", "Does it carry messages?", ["None", "One line", "Between two", "For all"], True),
        axis("no_plants", "What else is offered?", ["Only seeds", "Seedlings", "Tools", "Anything"], True),
    ]
}
KEYS = tuple(one["key"] for one in CHART["dimensions"])
VOTES: dict[str, Any] = {
    "who_sees": [0, 0, 0],
    "getting_in": [0, 1, 2],
    "asking": [1, 1, 0],
    "collecting": [0, 0, 0],
    "reading": [0, 0, 0],
    "old_offers": [0, 1, 1],
    "no_talk": [3, 2, 0],
    "no_plants": [0, 0, 0],
    "unsure": ["reading", "no_talk"],
}
CHECKLIST = tuple(
    ChecklistQuestion(id=name, question=f"What about {name}?", options=options)
    for name, options in (
        ("Q1", ("This way", "That way")),
        ("Q2", ("One", "Two", "Three")),
        ("Q3", ("One", "Two", "Three", "Four", "Five", "Six")),
        ("Q4", ("Yes", "No", "Both", "Neither")),
    )
)
CHECKLIST_VOTES: dict[str, Any] = {"Q1": [0, 1, 1], "Q2": [0, 1, 2], "Q3": [5, 5, 5], "Q4": [2, 2, 2]}
CHECKLIST_VOTES["unsure"] = ["Q4"]
SHEET_SCRIPT = {
    "profile": PROFILE,
    "summary": SUMMARY,
    "draft": DRAFT,
    "chart": CHART,
    "votes": VOTES,
}
CHECKLIST_SCRIPT = {"profile": PROFILE, "summary": SUMMARY, "votes": CHECKLIST_VOTES}


@dataclass
class Alone:
    """One session of an agent with a person, as the events would have it, without a runner."""

    task: said.Task = "sheet"
    budget: int = 5
    checkpoints: tuple[int, ...] = ()
    conversations: tuple[Conversation, ...] = (TALK,)
    script: Mapping[str, Any] | None = None
    dropout: float = 0.2
    seed: int = 7
    prompts: Mapping[str, str] = field(default_factory=dict)
    proposal: str = PROPOSAL
    agent: Agent = field(default_factory=Buddy)
    projects: Projects = field(default_factory=Projects, init=False)
    seq: int = field(default=10, init=False)
    asked: dict[str, Request] = field(default_factory=dict, init=False)
    """Every request, as it was made."""

    def __post_init__(self) -> None:
        opened = said.ProjectOpened(
            "s1", "seeds", 1, 1, self.task, "buddy", "buddy", "model", "rehearsal", self.budget, "before"
        )
        self.happen(opened)

    @property
    def session(self) -> Session:
        """The session as it stands."""
        return self.projects.sessions[0]

    @property
    def brief(self) -> Brief:
        """What the agent knows."""
        state, checklist = self.projects.of("seeds"), self.task == "checklist"
        script = self.script if self.script is not None else CHECKLIST_SCRIPT if checklist else SHEET_SCRIPT
        return Brief(
            seed=self.seed,
            slot=3,
            title="Seeds",
            base_proposal="The study's own wording.",
            proposal=state.proposal,
            proposal_seq=state.proposal_seq,
            task=self.task,
            checklist=CHECKLIST if checklist else (),
            conversations=self.conversations,
            budget=self.budget,
            checkpoints=self.checkpoints,
            dropout=self.dropout,
            session=self.session,
            prompts=self.prompts,
            script=script,
        )

    def happen(self, *payloads: Payload) -> None:
        """Events, read back from what would be stored."""
        for one in payloads:
            self.seq += 1
            body = to_ascii_json(one.to_json())
            read = type(one).from_json(json.loads(body))
            event = Event("x", self.seq, one.kind, "", body, None, "", "", "", read)
            self.projects = fold_projects(self.projects, event)

    def lock(self) -> None:
        """The person hands in their proposal."""
        self.happen(said.ProposalLocked("proposal", "seeds", self.proposal))

    def call(self, name: str, text: str | None = None) -> str:
        """Make a call; the reply is the script or a text. What is wrong with it; empty where nothing is."""
        request = self.agent.request(name, self.brief)
        self.asked[name] = request
        answer, trouble = read_answer(text or request.script, request.answer, request.check)
        dropped = request.dropped
        values = answer.model_dump(mode="json") if answer else None
        standing: said.Standing = "valid" if answer else "invalid"
        self.happen(
            said.AgentCalled("s1", "seeds", name, 1, "model", "rehearsal", {}, "", request.saw, dropped),
            said.AgentAnswered("s1", "seeds", name, 1, standing, values, trouble),
        )
        return trouble

    def rules(self) -> tuple[str, ...]:
        """Everything that follows by rule, to the end; the kinds of events."""
        kinds: list[str] = []
        while payloads := self.agent.follows(self.brief):
            self.happen(*payloads)
            kinds += [one.kind for one in payloads]
            assert len(kinds) < 20
        return tuple(kinds)

    def work(self) -> list[tuple[str, ...]]:
        """Do what can be done until the person is asked or nothing is left; the calls, wave by wave."""
        waves = []
        self.rules()
        while due := self.agent.due(self.brief):
            waves.append(due)
            for name in due:
                assert not self.call(name), name
            self.rules()
        return waves

    def say(self, *picked: str, own: str = "", unknown: bool = False) -> None:
        """Answer the open question."""
        asked = self.session.open_round
        assert asked is not None
        number = asked.put.round
        assert set(picked) <= set(LETTERS[: len(asked.put.options)])
        self.happen(said.RoundAnswered("step", "s1", "seeds", number, picked, own, unknown))
