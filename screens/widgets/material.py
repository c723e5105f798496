"""What is to be judged: the request, and the dialogue before it where there was one."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from screens.widgets.panes import Pane
from screens.widgets.text import PlainText, plain
from studies.steps import Material

ROLES = {"user": "user", "assistant": "ai"}
"""How the sides of a dialogue are called on screen."""


class MaterialPanes(Container):
    """Two panes: above (or left, where it is wide) what came before, then the request."""

    DEFAULT_CSS = """
    MaterialPanes {
        width: 100%; height: 100%;
        & #context { height: auto; max-height: 50%; }
        & #messages { height: auto; }
        & .role { color: $primary; }
        & .message { padding-left: 2; margin-bottom: 1; }
        & #request { height: 1fr; min-height: 5; }
    }
    .-wide MaterialPanes.-dialogue {
        layout: horizontal;
        & #context { width: 1fr; height: 1fr; max-height: 100%; }
        & #request { width: 1fr; }
    }
    """

    def compose(self) -> ComposeResult:
        """The panes."""
        with Pane("Before", id="context"):
            yield Container(id="messages")
        with Pane("The request", id="request"):
            yield PlainText(id="request-text")

    @property
    def request(self) -> Pane:
        """Where the request is."""
        return self.query_one("#request", Pane)

    def show(self, material: Material | None) -> None:
        """Show an item from its top."""
        context = self.query_one("#context", Pane)
        messages = material.context if material else ()
        context.display = bool(messages)
        self.set_class(bool(messages), "-dialogue")
        holder = self.query_one("#messages")
        holder.remove_children()
        for one in messages:
            role = ROLES.get(one.role, one.role)
            holder.mount(PlainText(Content.assemble(plain(role, "bold")), classes="role"))
            holder.mount(PlainText(one.text, classes="message"))
        self.query_one("#request-text", PlainText).update(material.request if material else "")
        context.renew()
        self.request.renew()
