"""What the line front ends say of a step beside its fields: why a question is asked, how the sheet stands."""

from __future__ import annotations

from studies.steps import Field, Material, Step


def asked(step: Step, field: Field) -> str:
    """A field's text with what belongs to it: why a question of an interview is asked, and the section that
    may be rewritten."""
    if step.interview is not None and field is step.fields[0]:
        which = f"Question {step.interview.round} of at most {step.interview.budget}."
        return f"{field.text}\n\n{which} Why it is asked: {step.interview.why}"
    if step.sheet is not None and field.name in step.sheet.texts:
        return f"{field.text}. It says now:\n\n{step.sheet.texts[field.name] or 'Nothing.'}"
    return field.text


def says_more(step: Step) -> bool:
    """Whether the step's own words say more than its first field does."""
    return bool(step.body) and step.interview is None and bool(step.fields) and step.fields[0].kind != "info"


def material_of(step: Step) -> Material | None:
    """What the step shows, the sheet that is edited included."""
    if step.sheet is None:
        return step.material
    from studies.specification.sheet import markdown

    return Material(markdown(step.sheet.title, step.sheet.texts), title="Your sheet", markdown=True)
