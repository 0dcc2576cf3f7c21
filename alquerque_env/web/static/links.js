// Links to matches: makes them, and opens the one in the address. Behind `&` a link has the players, the name of a match
// against a friend and the side that opens it, and a sum that shows whether it was changed on its way.

import { ask } from "./server.js";
import { FRIEND, PERSON, lost, newState } from "./play.js";
import { copyText } from "./clipboard.js";
import { keptMatch } from "./storage.js";
import { attempt } from "./tasks.js";
import { begins } from "./variations.js";
import { leave } from "./views.js";

const SIDES = ["south", "north"];
const MOST = 8192; // characters

// A text that cannot be decoded has been edited.
const decode = (text) => attempt(() => decodeURIComponent(text), text);

// The link in the address; an empty string if there is none.
export const linkInAddress = () => decode(location.hash.slice(1));

// The checksum FNV-1a.
function sumOf(text) {
  let sum = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) sum = Math.imul(sum ^ byte, 0x01000193);
  return (sum >>> 0).toString(36);
}

// The address of a match on this page, with what else is said of it.
async function addressOf({ game, options, start, steps }, said) {
  const { link } = await ask("link", { game, options, start, steps });
  const more = new URLSearchParams(Object.entries(said).filter(([, value]) => value));
  more.set("sum", sumOf(`${link}&${more}`));
  return new URL(`#${link}&${more}`, location.href).href;
}

// Copies a link to a match, which opens on this page.
export async function copyLink(match, button, [south, north] = []) {
  await copyText(await addressOf(match, { south, north }), button);
}

// Hands the link to a match against a friend to what the system shares by, or else copies it and returns a sentence.
export async function sendLink({ state, me, rules }) {
  const [south, north] = state.names;
  const resigned = state.ended && SIDES[["0-1", "1-0"].indexOf(state.ended.result)];
  const url = await addressOf(state.match, { south, north, to: SIDES[1 - me], match: state.id, resigned });
  if (url.length > MOST) throw new Error("The link has more than 8 kB: save the match as a file instead.");
  try {
    if (navigator.share) return await navigator.share({ title: "Your move", text: `Your move in ${rules.title}.`, url });
  } catch (error) {
    if (error.name === "AbortError") return null;
  }
  await copyText(url);
  return `The link is copied. Send it to ${state.names[1 - me] ?? "your friend"}.`;
}

// The link in the address, and what is said behind it.
function readLink() {
  const hash = location.hash.slice(1);
  const whole = hash.includes("&") ? hash : linkInAddress(); // some programs write `&` as `%26`
  const [link, ...rest] = whole.split("&");
  const said = new URLSearchParams(rest.join("&"));
  const sum = said.get("sum");
  said.delete("sum");
  if (rest.length > 0 && whole.length > MOST && said.has("to")) throw new Error("This link has more than 8 kB and is not opened.");
  if (rest.length > 0 && sum !== sumOf(`${decode(link)}&${said}`)) throw new Error("This link was changed on its way. Ask for it again.");
  return { link: decode(link), ...Object.fromEntries(said) };
}

// Opens the match of the link in the address; the match so far stays among the earlier ones. Afterwards the address is
// that of the page alone, so that a reloaded page goes on with the match. A wrong link is an error and changes nothing.
// `offer` is called with a sentence, and with the text and the task of a button.
export async function openLink(play, offer) {
  const { hash } = location;
  const { link, ...said } = readLink();
  const match = await ask("open-link", { link });
  const kept = said.match && said.match !== play.state.id ? keptMatch(said.match) : play.state;
  const mine = kept && newState(kept);
  const own = mine && (await ask("link", mine.match).then((found) => ask("open-link", found)).catch(() => null));
  const isSame = own && ["game", "options", "start"].every((key) => JSON.stringify(own[key]) === JSON.stringify(match[key]));
  const show = () => mine.id === play.state.id || play.begin(mine);
  const ended = SIDES.includes(said.resigned) ? lost(SIDES.indexOf(said.resigned), "resigned").ended : null;
  if (isSame && begins(own.steps, match.steps) && (said.match || match.steps.length > 0) && !ended) {
    if (match.steps.length === own.steps.length) {
      await show();
      play.tell(mine.seats[SIDES.indexOf(said.to)] === FRIEND ? "This link is for your friend." : "This link leads to the match that is shown.", "done");
    } else {
      const look = async () => (await show(), play.lookAt(match.steps.length));
      offer("This link is older than your match, which has gone on.", "Look at it", look);
    }
  } else if (isSame && said.match && begins(match.steps, own.steps)) {
    const names = mine.names.map((name, player) => name ?? said[SIDES[player]] ?? null); // by the friend
    await play.begin({ ...mine, match, names, ended, line: null, cursor: null });
  } else if (said.to) {
    await openFriend(play, offer, match, said, mine, ended);
  } else {
    await openShared(play, offer, match, said);
  }
  leave(null, hash);
}

// Opens a match against a friend that this browser does not have, or that went another way here.
async function openFriend(play, offer, match, said, mine, ended) {
  const names = SIDES.map((side) => said[side] ?? null);
  const { outcome } = await ask("match", match);
  if (outcome || ended) {
    const look = () => play.begin({ match, seats: [PERSON, PERSON], names, ended });
    return offer("The match of this link is over.", "Look at it", look);
  }
  const seats = said.to === "north" ? [FRIEND, PERSON] : [PERSON, FRIEND];
  await play.begin({ match, seats, names, ...(mine || !said.match ? {} : { id: said.match }) });
  if (mine) play.tell("Other moves were played in this match here. It stays among the earlier ones.", "done");
}

// Opens a match for two people, and offers to play on against the bots of it.
async function openShared(play, offer, match, said) {
  const { levels } = await ask("rules", { game: match.game, options: match.options });
  const bots = SIDES.map((side) => levels.find(({ spec }) => spec === said[side]));
  const names = SIDES.map((side, player) => (bots[player] ? null : (said[side] ?? null)));
  await play.begin({ match, seats: [PERSON, PERSON], names });
  const found = bots.filter(Boolean).map(({ name }) => name).join(" and ");
  if (!found || play.isOver) return;
  const seat = () => bots.forEach((bot, player) => bot && play.setPlayer(player, bot.spec));
  offer(`This match was played against a bot (${found}).`, "Play on against it", seat);
}
