// The variations of a match: lines of steps from its start, beside the steps that were played. Nothing here knows the
// rules; the server arranges the lines as branches.

const MOST_VARIATIONS = 200;
const MOST_STEPS = 20_000; // of all variations, so that a request stays small

export const begins = (line, steps) => line.length >= steps.length && steps.every((step, place) => line[place] === step);

// The part of a state that shows the position after these steps: on the main line where that has them, else on the first
// variation that has them.
export function lookingAt({ match, variations }, steps) {
  if (begins(match.steps, steps)) return { line: null, cursor: steps.length === match.steps.length ? null : steps.length };
  return { line: variations.find((line) => begins(line, steps)) ?? steps, cursor: steps.length };
}

// The variations with one more, which goes on from a variation that ends where it does.
export function withLine({ match, variations }, steps) {
  if ([match.steps, ...variations].some((line) => begins(line, steps))) return variations;
  const place = variations.findIndex((line) => line.length < steps.length && begins(steps, line));
  const kept = place < 0 ? [...variations, steps] : variations.with(place, steps);
  const isTooLong = kept.length > MOST_VARIATIONS || kept.reduce((sum, line) => sum + line.length, 0) > MOST_STEPS;
  if (isTooLong) throw new Error("No further variation can be kept: delete one of this match first.");
  return kept;
}

// The place of the branch with the position after these steps, -1 on the main line.
export function branchAt(branches, match, steps) {
  if (begins(match.steps, steps)) return -1;
  const isThere = ({ start, steps: line }) => steps.length > start && begins(line, steps);
  return branches.findLastIndex(isThere);
}

// The steps that the lines of a branch have and no others.
const rootOf = ({ steps, turns }) => steps.slice(0, turns[0].steps);

export const withoutBranch = (variations, branch) => variations.filter((line) => !begins(line, rootOf(branch)));

// The variations with a branch before the one that it leaves, which then leaves it.
export function withBranchFirst(variations, branch) {
  const root = rootOf(branch);
  const [own, others] = [true, false].map((wanted) => variations.filter((line) => begins(line, root) === wanted));
  const place = others.findIndex((line) => begins(line, branch.steps.slice(0, branch.start)) && line.length > branch.start);
  return place < 0 ? [...others, ...own] : others.toSpliced(place, 0, ...own);
}

// The numbers of steps at the ends of the turns of a branch and of the lines that lead to it; of the main line for -1.
export function momentsOf(branches, place, turns) {
  if (place < 0) return [0, ...turns.map((turn) => turn.steps)];
  const { parent, start, turns: own } = branches[place];
  const before = momentsOf(branches, parent ?? -1, turns).filter((steps) => steps <= start);
  return [...before, ...own.map((turn) => turn.steps)];
}
