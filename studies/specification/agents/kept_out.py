"""What no dimension may be about: technology, phasing, pricing, budget, timeline (Buddy, Appendix C.3).

A list of words decides it. It is short on purpose: words that are as common in another sense (`library`,
`server`, `react`, `deadline`) are not on it, and a word that the person's own proposal uses never counts,
for then it is what they talk about.
"""

from __future__ import annotations

import re

_ANYWHERE = {
    "technology": r"""
        frameworks? | programming\ languages? | tech(nology)?[ ]stack | databases? | sql | no-?sql
        | postgres(ql)? | mysql | sqlite | mongo ?db | redis | firebase | back-?end | front-?end
        | javascript | typescript | python | java | kotlin | php | golang | node\.?js | react\.?js | vue\.?js
        | react\ native | flutter | django | kubernetes | docker | micro-?services? | serverless | apis?
        | graphql | webhooks? | aws | azure | google\ cloud | (cloud|hosting)\ providers? | web\ hosting
        | (code|software)\ librar(y|ies) | software\ architecture | ci/cd | encryption\ algorithms?
        """,
    "phasing": r"""
        mvp | minimum\ viable\ product | phase\ (\d|one|two|three) | phas(ed|ing) | roadmaps? | milestones?
        | roll-?out | release\ (plan|order|schedule|phase)s?
        | (build|built|ship|shipped|launch|launched)\ first
        | (later|next|second)\ (version|phase|release)s? | version\ (two|2)
        """,
    "pricing": r"""
        pricing | paywall | freemium | monetis\w+ | monetiz\w+ | (free|paid|premium|price)\ (tier|plan)s?
        | paid\ version | subscription\ (fee|price|tier|plan)s? | licen[cs]e\ fees?
        """,
    "budget": r"""
        project\ budget | (development|running|hosting|maintenance)\ costs?
        | how\ much\ .{0,40}\b(spend|spent)\ on\ (building|developing)
        """,
    "timeline": r"""
        (project|build|development|delivery|launch)\ (timeline|deadline|schedule|date)s? | time\ to\ market
        | go\ live
        | how\ (long|soon|many\ (weeks|months))\ .{0,40}\b(build|built|develop|developed|delivered)
        """,
}
_ASKED = {"budget": "budgets?", "timeline": "timelines?"}
"""Words that count only in what is asked: in an answer, a timeline may be a way to show things."""


def _compiled(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.VERBOSE)


_FOUND = {topic: _compiled(words) for topic, words in _ANYWHERE.items()}
_FOUND_ASKED = {topic: _compiled(words) for topic, words in _ASKED.items()}


def kept_out(asked: str, answers: str, proposal: str) -> tuple[str, str] | None:
    """The topic that a dimension may not be about, and the word that shows it; None where it is about none.

    Args:
        asked: its key and question.
        answers: its alternatives.
        proposal: the person's own; what it mentions is never kept out.
    """
    own = _plain(proposal)
    for patterns, text in ((_FOUND, f"{asked}\n{answers}"), (_FOUND_ASKED, asked)):
        for topic, pattern in patterns.items():
            for match in pattern.finditer(_plain(text)):
                if not re.search(rf"(?<!\w){re.escape(match[0].removesuffix('s'))}", own):
                    return topic, match[0]
    return None


def _plain(text: str) -> str:
    return " ".join(text.replace("_", " ").casefold().split())
