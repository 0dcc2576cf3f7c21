// What the first board does not need: `main.js` loads it behind the board.

export * from "./clipboard.js";
export * from "./exercise.js";
export * from "./hint.js";
export * from "./keys.js";
export * from "./links.js";
export * from "./match_file_dialog.js";
export * from "./new_game_dialog.js";
export * from "./read_board.js";
export * from "./rules_dialog.js";
export * from "./typed_move.js";
