"""Three themes: dark, light and high contrast. None of them says with colour what words do not say."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="capa-dark",
    primary="#8ab8e6",
    secondary="#a8b4c2",
    accent="#e6bf73",
    warning="#e6bf73",
    error="#f0938a",
    success="#97cf9b",
    foreground="#dfe3e8",
    background="#15181d",
    surface="#1c2027",
    panel="#262b34",
    dark=True,
    variables={"block-cursor-text-style": "bold", "footer-key-foreground": "#e6bf73"},
)

LIGHT = Theme(
    name="capa-light",
    primary="#1c5a99",
    secondary="#4a5766",
    accent="#8a4a00",
    warning="#8a4a00",
    error="#a3261d",
    success="#1f6b2b",
    foreground="#1b2129",
    background="#fbfaf6",
    surface="#f3f1ea",
    panel="#e8e5db",
    dark=False,
    variables={"block-cursor-text-style": "bold", "footer-key-foreground": "#8a4a00"},
)

CONTRAST = Theme(
    name="capa-contrast",
    primary="#ffffff",
    secondary="#ffffff",
    accent="#ffff00",
    warning="#ffff00",
    error="#ffffff",
    success="#ffffff",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#000000",
    dark=True,
    text_alpha=1.0,
    variables={"block-cursor-text-style": "bold", "footer-key-foreground": "#ffff00"},
)

THEMES = {"dark": DARK, "light": LIGHT, "contrast": CONTRAST}
"""By the word a person uses."""
