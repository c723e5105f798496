"""The nine sections of a spec sheet (SpecBench, Appendix B.3), and the words that go with them."""

from __future__ import annotations

from typing import Literal

Section = Literal[
    "project_overview",
    "core_features",
    "non_functional_requirements",
    "technical_decisions",
    "user_experience",
    "out_of_scope",
    "success_metrics",
    "milestones_and_priorities",
    "constraints",
]

TITLES: dict[Section, str] = {
    "project_overview": "Project overview",
    "core_features": "Core features",
    "non_functional_requirements": "Non-functional requirements",
    "technical_decisions": "Technical decisions",
    "user_experience": "User experience",
    "out_of_scope": "Out of scope",
    "success_metrics": "Success metrics",
    "milestones_and_priorities": "Milestones and priorities",
    "constraints": "Constraints",
}
"""What each section is called, in the order of a sheet."""
SECTIONS: tuple[Section, ...] = tuple(TITLES)

ABOUT: dict[Section, str] = {
    "project_overview": "What it is, what it is for, and who will use it.",
    "core_features": "What it must be able to do.",
    "non_functional_requirements": "How fast, how reliable, how safe, how private it must be.",
    "technical_decisions": "Which devices and other programs it has to work with, and what it is built on.",
    "user_experience": "How it looks, how it feels to use, and what makes it accessible.",
    "out_of_scope": "What it will not do, at least not in this version.",
    "success_metrics": "How you will know that it works.",
    "milestones_and_priorities": "What comes first and what can wait.",
    "constraints": "What cannot be changed: money, time, people, rules.",
}
"""What each section is about, for a participant."""

CRITERIA: dict[str, str] = {
    "coverage": "It holds what I want.",
    "precision": "It holds nothing that I do not want.",
    "consistency": "Its parts fit together.",
    "insight": "It brings useful things that I had not thought of.",
    "readability": "It is clear, short and well ordered.",
}
"""The five criteria of a rating from 1 to 5 (SpecBench, Appendix B.5), as a participant reads them."""

CATEGORIES = (
    "working_style",
    "priorities",
    "design_preferences",
    "technical_fluency",
    "domain_background",
    "decision_rules",
)
"""What an item of a user profile can be about (Buddy, Appendix C.1)."""

LETTERS = "ABCDEF"
"""What alternatives and options are called, in their order."""
