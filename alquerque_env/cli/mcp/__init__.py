"""A language model plays matches over MCP, the Model Context Protocol."""

from ...errors import require

require("mcp", "mcp")
