"""The JSON of an answer to the page."""

from starlette.responses import JSONResponse

from ..files.browser_json import write_json


class JsonAnswer(JSONResponse):
    """An answer with numbers that a browser holds."""

    def render(self, content: object) -> bytes:
        """Writes it."""
        return write_json(content)
