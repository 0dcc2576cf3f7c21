// Offers to build the table that has the position, where none is there yet. The server builds it beside the match.

import { CAN_BUILD_TABLES, ask } from "./server.js";

const ASK_MS = 500;

export class TableOffer {
  // `onBuilt` is called when a table is ready.
  constructor(page, onBuilt) {
    this.page = page;
    this.onBuilt = onBuilt;
    this.match = null; // the position for which a table is offered
    this.offered = null;
    this.timer = null;
    page["build-table"].addEventListener("click", () => this.run(() => this.build()));
    page["stop-table"].addEventListener("click", () => this.run(() => ask("api/stop-table", {})));
  }

  // Offers a table for a match whose position has no exact values; null for none.
  async look(match) {
    this.match = match;
    if (!CAN_BUILD_TABLES) return;
    if (match === null) {
      this.page["table-offer"].hidden = true;
      return;
    }
    await this.run(async () => {
      const offered = await ask("api/table-offer", match);
      if (this.match === match) this.offered = offered;
      return ask("api/table-state", {});
    });
  }

  build() {
    const { game, options } = this.match;
    return ask("api/build-table", { game, options, pieces: this.offered.pieces });
  }

  // Runs a task that resolves to the state of the build.
  async run(task) {
    this.page["table-problem"].textContent = "";
    try {
      this.show(await task());
    } catch (error) {
      this.page["table-problem"].textContent = error.message;
    }
  }

  show({ game, pieces, share, is_running: isRunning, problem }) {
    const { page, offered } = this;
    if (this.match === null || offered === null) return;
    const building = `Building the table of ${pieces} pieces of ${game}: ${Math.floor(100 * share)} %. You can play meanwhile.`;
    page["table-about"].textContent = isRunning ? building : offered.about;
    page["table-progress"].hidden = !isRunning;
    page["table-progress"].value = share;
    page["build-table"].hidden = isRunning || !offered.pieces;
    page["build-table"].textContent = offered.label;
    page["stop-table"].hidden = !isRunning;
    page["table-offer"].hidden = !isRunning && !offered.about;
    if (problem) page["table-problem"].textContent = problem;
    clearTimeout(this.timer);
    if (isRunning) this.timer = setTimeout(() => this.run(() => this.askState()), ASK_MS);
  }

  async askState() {
    const state = await ask("api/table-state", {});
    if (!state.is_running && state.stage === "ready") this.onBuilt();
    if (!state.is_running && this.match) this.offered = await ask("api/table-offer", this.match);
    return state;
  }
}
