"""The page on file formats has the tables that the schemas generate. Run this file to write them into the page."""

import re
from pathlib import Path

from alquerque_env.files.schema import document
from alquerque_env.game.board import BoardFile
from alquerque_env.game.game_file import GameFile
from alquerque_env.game.options import Rules, vocabulary

PAGE = Path(__file__).parents[2] / "docs" / "file_formats.md"
TABLES = {
    "game file": document(GameFile),
    "rules": document(Rules, {name: entry.question for name, entry in vocabulary().items()}),
    "board file": document(BoardFile),
}


def filled(text: str) -> str:
    """The page with the generated tables between their marks."""
    for name, table in TABLES.items():
        mark = re.compile(rf"<!-- {name} -->\n.*?<!-- end -->", re.DOTALL)
        assert len(mark.findall(text)) == 1
        text = mark.sub(lambda _, name=name, table=table: f"<!-- {name} -->\n\n{table}\n<!-- end -->", text)
    return text


def test_the_page_has_the_tables_of_the_schemas() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert text == filled(text)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
