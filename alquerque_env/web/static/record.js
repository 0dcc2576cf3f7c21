// The match as text: to copy, to save, and to load again.

import { ask } from "./api.js";

function download(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copy(field) {
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    field.select();
    document.execCommand("copy");
  }
}

export class RecordDialogue {
  // `current` gives what is played now; `onLoad` takes a match of a record with its headers.
  constructor(page, current, onLoad) {
    this.page = page;
    this.current = current;
    this.onLoad = onLoad;
    page["copy-record"].addEventListener("click", () => copy(page["record-text"]));
    page["copy-position"].addEventListener("click", () => copy(page.position));
    page["save-record"].addEventListener("click", () => {
      download(`${this.current().match.game}.pdn`, "text/plain", page["record-text"].value);
    });
    page["save-picture"].addEventListener("click", () => this.tried(() => this.savePicture()));
    page["load-record"].addEventListener("click", () => this.tried(() => this.load()));
    page["open-file"].addEventListener("change", () => this.tried(() => this.openFile()));
  }

  async open() {
    const { page } = this;
    const { match, names, resigned, position } = this.current();
    page["record-problem"].textContent = "";
    page.loaded.replaceChildren();
    page.position.value = position;
    page.record.showModal();
    await this.tried(async () => {
      const { text } = await ask("api/save", { match, south: names[0], north: names[1], resigned });
      page["record-text"].value = text;
    });
  }

  async tried(task) {
    this.page["record-problem"].textContent = "";
    try {
      await task();
    } catch (error) {
      this.page["record-problem"].textContent = error.message;
    }
  }

  async savePicture() {
    const { match, turned } = this.current();
    const { svg } = await ask("api/picture", { match, turned });
    download(`${match.game}.svg`, "image/svg+xml", svg);
  }

  async openFile() {
    const [file] = this.page["open-file"].files;
    this.page["open-file"].value = "";
    if (!file) return;
    this.page["record-text"].value = await file.text();
    await this.load();
  }

  async load() {
    const { page } = this;
    const { matches } = await ask("api/load", { text: page["record-text"].value });
    const take = (loaded) => {
      page.record.close();
      this.onLoad(loaded.match, loaded.headers);
    };
    if (matches.length === 1) {
      take(matches[0]);
      return;
    }
    page.loaded.replaceChildren(
      ...matches.map((loaded, number) => {
        const button = document.createElement("button");
        const { South = "?", North = "?", Date = "", Result = "" } = loaded.headers;
        button.type = "button";
        button.textContent = `${number + 1}. ${loaded.match.game}: ${South} – ${North} ${Result} ${Date}`;
        button.addEventListener("click", () => take(loaded));
        return button;
      }),
    );
  }
}
