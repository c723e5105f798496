"""The labels of CAPA's taxonomy (section Ambiguity Taxonomy) and the two escape codes beside them."""

MECHANISMS = ("DCP", "SLM", "CCM", "HCO", "SBM", "ICU")
"""Domain-cognitive polysemy, structural logic misalignment, conversational context misalignment, habitual
context omission, system-boundary misconception, implicit constraint under-specification."""

ESCAPES = ("NONE", "OTHER")
"""Not ambiguous; another kind of ambiguity, with a reason. They exclude additional labels."""

LABELS = MECHANISMS + ESCAPES
