// Evaluates the network for all games in one of them. `alquerque_env/bots/network/family.py` says what it computes, and
// names its weights; the views of a game are those of its `graph_data`.

const ROLES = 4;
const DECIMALS = 1e9; // to which logits are rounded, as in Python

// The tensors of a safetensors file: the length of a header, the header, and numbers.
function readTensors(buffer) {
  const start = 8 + Number(new DataView(buffer).getBigUint64(0, true));
  const { __metadata__: _, ...header } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, start - 8)));
  const read = ({ data_offsets: [first, end] }) => new Float32Array(buffer.slice(start + first, start + end));
  return Object.fromEntries(Object.entries(header).map(([name, tensor]) => [name, read(tensor)]));
}

// Adds `factor` times the numbers to the sums.
function add(sums, numbers, factor = 1) {
  for (let at = 0; at < sums.length; at += 1) sums[at] += factor * numbers[at];
  return sums;
}

const relu = (numbers) => numbers.map((number) => Math.max(number, 0));

// Mean and maximum over the points.
function pool(seen) {
  const mean = seen.reduce((sums, point) => add(sums, point, 1 / seen.length), new Float64Array(seen[0].length));
  const most = seen.reduce((found, point) => found.map((number, at) => Math.max(number, point[at])));
  return [...mean, ...most];
}

export class FamilyNetwork {
  // `gains` has the two search features of each code.
  constructor(weights, { views, gains }) {
    this.tensors = readTensors(weights);
    this.views = views;
    this.gains = gains;
    this.rounds = Object.keys(this.tensors).filter((name) => name.endsWith(".from_links")).map((name) => name.slice(0, -11));
    this.half = this.tensors["policy.weight"].length;
  }

  // The policy, for the legal actions, and the value, from what `plain_inputs` returns.
  evaluate(player, points, links, codes, counts, actions) {
    const view = this.views[player];
    const facts = [...view.rules, ...counts];
    const start = this.apply("globals", facts);
    const hidden = points.map((now, at) => add(this.apply("input", [...now, ...view.points[at]]), start));
    for (const round of this.rounds) {
      const seen = hidden.map(relu);
      const sent = this.judgeLinks(round, seen, view, links, links.keys());
      const fixed = add(this.apply(`${round}.pool`, pool(seen)), this.apply(`${round}.rules`, facts));
      for (const [at, point] of hidden.entries()) {
        const inner = add(this.apply(`${round}.self`, seen[at]), fixed);
        for (let role = 0; role < ROLES; role += 1) {
          const heard = new Float64Array(this.half);
          for (const link of view.to_points[role * points.length + at]) add(heard, sent.get(link), points.length / links.length);
          this.multiply(inner, `${round}.from_links`, heard, role);
        }
        add(point, this.apply(`${round}.second`, relu(inner)));
      }
    }
    const seen = hidden.map(relu);
    const whole = [...pool(seen), ...facts];
    const last = this.judgeLinks("last", seen, view, links, actions.filter((action) => action < links.length));
    const logits = actions.map((action) => {
      const [logit] = last.has(action) ? this.apply("policy", last.get(action)) : this.head("stop", whole);
      return Math.round((logit + (this.tensors.worth?.[codes[action]] ?? 0)) * DECIMALS) / DECIMALS;
    });
    const shares = logits.map((logit) => Math.exp(logit - Math.max(...logits)));
    const total = shares.reduce((sum, share) => sum + share);
    return [shares.map((share) => share / total), Math.tanh(this.head("value", whole)[0])];
  }

  // Some links of a round.
  judgeLinks(block, seen, view, links, chosen) {
    const heard = Array.from({ length: ROLES }, (_, role) =>
      seen.map((point) => this.multiply(new Float64Array(this.half), `${block}.to_links`, point, role))).flat();
    const kinds = view.kinds.map((facts) => this.apply(`${block}.kind`, facts));
    return new Map(Array.from(chosen, (link) => {
      const sum = kinds[view.kind[link]].slice();
      const [legal, enemyLegal, code] = links[link];
      this.multiply(sum, `${block}.dyn`, [legal, enemyLegal, ...this.gains[code]]);
      for (const row of view.to_links[link]) add(sum, heard[row]);
      return [link, relu(sum)];
    }));
  }

  head(name, whole) {
    return this.apply(`${name}.second`, relu(this.apply(`${name}.first`, whole)));
  }

  // A layer, whose weight is `[outputs, inputs]`.
  apply(layer, inputs) {
    const weight = this.tensors[`${layer}.weight`];
    return Float64Array.from(this.tensors[`${layer}.bias`], (sum, output) => {
      for (let at = 0; at < inputs.length; at += 1) sum += weight[output * inputs.length + at] * inputs[at];
      return sum;
    });
  }

  // Adds to the sums what the part of a tensor `[parts, inputs, outputs]` makes of the inputs.
  multiply(sums, name, inputs, part = 0) {
    const weight = this.tensors[name];
    for (let at = 0; at < inputs.length; at += 1) {
      const first = (part * inputs.length + at) * sums.length;
      if (inputs[at] !== 0) for (let to = 0; to < sums.length; to += 1) sums[to] += weight[first + to] * inputs[at];
    }
    return sums;
  }
}
