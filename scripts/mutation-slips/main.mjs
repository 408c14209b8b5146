import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Copy } from "./plant.mjs";
import { Runs, stagesOf, testTargetsOf } from "./runs.mjs";
import { parses } from "./javascript.mjs";
import { candidates, withSlip } from "./scan.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const targets = Object.keys(stagesOf);
const leastOfTarget = 8;
const usage = "usage: scripts/mutation [--seed N] [--count N] [--target T]... [--only ID,ID] [--list]";

function options(words) {
  const chosen = { seed: 1, count: 200, targets: [], only: undefined, list: false };
  for (let at = 0; at < words.length; at += 1) {
    const value = () => words[(at += 1)] ?? fail(usage);
    if (words[at] === "--seed") chosen.seed = whole(value());
    else if (words[at] === "--count") chosen.count = whole(value());
    else if (words[at] === "--target") chosen.targets.push(value());
    else if (words[at] === "--only") chosen.only = new Set(value().split(",").map(whole));
    else if (words[at] === "--list") chosen.list = true;
    else fail(usage);
  }
  const unknown = chosen.targets.find((target) => !targets.includes(target));
  if (unknown) fail(`there is no target ${unknown}; the targets are ${targets.join(", ")}`);
  if (chosen.targets.length === 0) chosen.targets = targets;
  return chosen;
}

function whole(text) {
  return /^\d+$/.test(text) ? Number(text) : fail(`${text} is not a whole number`);
}

function fail(message) {
  console.error(message);
  process.exit(2);
}

/// Random numbers from 0 (inclusive) to 1 (exclusive). The same seed and target give the same numbers.
function random(seed, target) {
  let state = [...target].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16777619), 2166136261 ^ seed);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled(list, chance) {
  const rest = [...list];
  return rest.map((_, index) => {
    const other = index + Math.floor(chance() * (rest.length - index));
    [rest[index], rest[other]] = [rest[other], rest[index]];
    return rest[index];
  });
}

/// The candidates in the order in which they are planted. The kinds take turns, so that rare kinds are tried too.
function drawn(found, chance) {
  const kinds = new Map();
  for (const slip of shuffled(found, chance)) kinds.set(slip.kind, [...(kinds.get(slip.kind) ?? []), slip]);
  const order = [];
  while (order.length < found.length) {
    for (const slips of shuffled([...kinds.values()], chance)) {
      if (slips.length > 0) order.push(slips.shift());
    }
  }
  return order;
}

const isScripts = (target) => target.includes("/");

const filesOf = (target) =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", `${isScripts(target) ? target : `Sources/${target}`}/*.${isScripts(target) ? "js" : "swift"}`], { cwd: root })
    .toString().split("\n").filter(Boolean).sort();

/// Whether this slip is known not to compile. The scripts are not compiled, so they are tried here.
function isRejected(copy, slip) {
  if (copy.isRejected(slip)) return true;
  if (slip.path.endsWith(".swift") || parses(withSlip(readFileSync(join(root, slip.path), "utf8"), slip))) return false;
  copy.reject([slip]);
  return true;
}

/// How many slips each target gets: in proportion to its lines, but never less than 8.
function shares(lines, chosen, count) {
  const all = chosen.reduce((sum, target) => sum + lines[target], 0);
  return Object.fromEntries(
    chosen.map((target) => [target, Math.max(leastOfTarget, Math.round((count * lines[target]) / all))]));
}

/// The slips of every target. The plan has more slips than the script will run, because some slips do not
/// compile. When those slips are removed, the other slips keep their numbers.
function plan(copy, { seed, count, targets: chosen }) {
  const sources = Object.fromEntries(targets.map((target) => [target, filesOf(target)]));
  const texts = (target) => sources[target].map((path) => readFileSync(join(root, path), "utf8"));
  const lines = Object.fromEntries(targets.map((target) => [target, texts(target).join("").split("\n").length]));
  const wanted = { ...shares(lines, targets, 200), ...shares(lines, chosen, count) };
  return targets.map((target, index) => {
    const found = sources[target].flatMap((path) => candidates(path, readFileSync(join(root, path), "utf8")));
    const slips = [];
    const taken = new Set();
    for (const [order, slip] of drawn(found, random(seed, target)).entries()) {
      const around = Array.from({ length: slip.last - slip.line + 1 }, (_, line) => `${slip.path}:${slip.line + line}`);
      if (around.some((line) => taken.has(line)) || isRejected(copy, slip)) continue;
      around.forEach((line) => taken.add(line));
      slips.push({ ...slip, target, number: (index + 1) * 10_000 + order });
      if (slips.length >= Math.ceil(wanted[target] * 1.5)) break;
    }
    return { target, sources: sources[target], slips, wanted: wanted[target] };
  });
}

const describe = (slip) => `${String(slip.number).padStart(6)}  ${slip.path}:${slip.line}:${slip.column}  ${slip.show}`;

function table(results) {
  const row = (name, found) => {
    const seen = found.filter((result) => result.noticedBy);
    const percent = found.length > 0 ? `${((100 * seen.length) / found.length).toFixed(0)} %` : "-";
    const late = found.filter((result) => result.isTimeout).length;
    return [name.padEnd(18), String(found.length).padStart(8), String(seen.length).padStart(8), percent.padStart(6), String(late).padStart(10)].join("");
  };
  const names = targets.filter((target) => results.some(({ slip }) => slip.target === target));
  return [
    "target             planted noticed      %  time-outs",
    ...names.map((name) => row(name, results.filter(({ slip }) => slip.target === name))),
    row("all", results),
  ];
}

async function main() {
  const chosen = options(process.argv.slice(2));
  const folder = join(root, ".build", "mutation");
  mkdirSync(folder, { recursive: true });
  const copy = new Copy(root, folder);
  let plans = plan(copy, chosen);
  if (!chosen.list) {
    copy.refresh(targets.filter((target) => !isScripts(target)), testTargetsOf(chosen.targets.flatMap((target) => stagesOf[target])));
    copy.choose(0);
    if (chosen.targets.some(isScripts)) copy.copyModule();
    plans = [...copy.buildTests(plans.filter(({ target }) => !isScripts(target))), ...plans.filter(({ target }) => isScripts(target))];
  }
  const slips = plans
    .filter(({ target }) => chosen.targets.includes(target))
    .flatMap(({ slips, wanted }) => (chosen.only ? slips.filter((slip) => chosen.only.has(slip.number)) : slips.slice(0, wanted)));
  if (chosen.list) return slips.forEach((slip) => console.log(describe(slip)));
  const report = [`seed ${chosen.seed}`, ""];
  const say = (line) => {
    console.log(line);
    report.push(line);
    writeFileSync(join(root, ".build", "mutation.txt"), report.join("\n") + "\n");
  };
  const results = [];
  const runs = new Runs(copy);
  for (const slip of slips) {
    const result = { slip, ...(await runs.noticed(slip, stagesOf[slip.target])) };
    results.push(result);
    say(`${describe(slip)}  ${result.noticedBy ?? "SURVIVED"}  ${result.seconds.toFixed(1)} s`);
    if (!result.noticedBy) say(`        ${slip.original}`);
  }
  ["", ...table(results)].forEach(say);
}

await main();
