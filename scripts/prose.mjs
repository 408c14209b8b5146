#!/usr/bin/env node
// Counts avoided words in the repository, or draws sentences from it at random.
//
//   scripts/prose.mjs words [FOLDER]         counts the words that the project avoids, for each target and for the docs
//   scripts/prose.mjs sentences SEED         draws 60 sentences at random: 20 from docs, 20 from comments, 20 from messages;
//                                            each with what a reader sees above it: the heading, or the declaration
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// CONTRIBUTING.md says how we write instead.
const avoided = {
  pronouns: /\b(whoever|whom|whomever|whichever|he|his|him)\b/gi,
  archaic: /\b(anew|bears?|dear(er|est|ly)?|thereof|therein|whereof|wherein|hitherto|ere|lest|nought|henceforth)\b/gi,
  negatives: /\b(is|are|be|was) (none|no \w+|nothing)\b/gi,
  riddles: /\b(of which|as else|but for|of one's own|that there (is|are)|what (is|was|has|there|they|it|has) \w+)\b/gi,
  "tell and ask": /\b(tells?|told|asks?|asked|says?|said|knows?|known)\b/gi,
  "take and settle": /\b(takes?|taken|took|settles?|settled|judges?|judged|hands?|handed)\b/gi,
  "stand and lie": /\b(stands?|stood|lies|lay)\b/gi,
  "behind and beside": /\b(behind|beside)\b/gi,
};

const root = process.argv[3] && process.argv[2] === "words" ? process.argv[3] : dirname(dirname(fileURLToPath(import.meta.url)));
const paths = execFileSync("git", ["-C", root, "ls-files"], { encoding: "utf8" }).split("\n").filter(Boolean);
const read = (path) => readFileSync(join(root, path), "utf8");

/// The paragraphs and list items of a page, each with the heading above it. Leaves out blocks and tables.
function paragraphsOfPage(page) {
  const paragraphs = [];
  let [paragraph, inBlock, context] = ["", false, ""];
  const end = () => {
    if (paragraph.trim()) paragraphs.push({ text: paragraph.trim(), context });
    paragraph = "";
  };
  for (const line of page.split("\n")) {
    if (line.startsWith("```")) inBlock = !inBlock;
    if (inBlock || /^(```|#|\||>|!|<)/.test(line) || !line.trim()) {
      end();
      if (!inBlock && line.startsWith("#")) context = line.replace(/^#+ /, "");
      continue;
    }
    if (/^\s*([-*]|\d+\.) /.test(line)) end();
    paragraph += ` ${line.trim().replace(/^([-*]|\d+\.) /, "")}`;
  }
  end();
  return paragraphs;
}

/// The comments of a file, each with its line of code. Consecutive lines of comments are joined.
function commentsOf(file, mark) {
  const comments = [];
  let last = -2;
  for (const [index, line] of file.split("\n").entries()) {
    const found = line.match(mark);
    if (last === index - 1 && comments.length > 0 && !found) comments[comments.length - 1].context ||= line.trim();
    if (!found) continue;
    const text = (found[1] ?? "").trim();
    if (last === index - 1 && comments.length > 0) comments[comments.length - 1].text += ` ${text}`;
    else comments.push({ text, context: line.slice(0, found.index).trim() });
    last = index;
  }
  return comments.filter(({ text }) => /[a-z] [a-z]/.test(text) && !text.startsWith("MARK"));
}

/// String literals for people: they have several words, and are neither SQL nor JSON.
function messagesOf(text) {
  const code = text.split("\n").filter((line) => !/^\s*\/\//.test(line)).join("\n");
  return [...code.matchAll(/(?<!#)"""\n([\s\S]*?)"""|(?<![#"])"((?:[^"\\\n]|\\.)*)"/g)]
    .map((match) => (match[1] ?? match[2]).replace(/\s+/g, " ").trim())
    .filter((words) => /^[a-z`\\(][^{}<>;=]*$/i.test(words) && words.split(" ").filter((word) => /^[a-z,'.]+$/i.test(word)).length >= 4)
    .filter((words) => !/^(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WITH|ALTER|DROP)\b/.test(words));
}

/// A citation of rules, such as "Rules D7 and E2.", is no sentence.
const isCitation = (text) => /^Rules? [A-Z]\d+((,| and|, and) [A-Z]\d+)*\.$/.test(text);

const sentences = (paragraph) =>
  paragraph.split(/(?<=[.!?])\s+(?=[A-Z`*“"])/).filter((text) => text.split(" ").length >= 4 && !isCitation(text));

const isPage = (path) => path.endsWith(".md") && !path.startsWith("docs/report/") && path !== "CHANGELOG.md";
const isCode = (path) => /^(Sources|Tests|Benchmarks)\/.*\.(swift|c|h)$/.test(path);
const isScript = (path) => /^scripts\/[^.]*$|\.mjs$|^\.ci\/|\.sql$|\.json5$/.test(path);

const prose = { docs: [], comments: [], messages: [] };
for (const path of paths) {
  if (isPage(path)) for (const found of paragraphsOfPage(read(path))) prose.docs.push({ path, ...found });
  if (isCode(path)) {
    for (const found of commentsOf(read(path), /(?:^|\s)\/\/\/?(?:\s(.*))?$/)) prose.comments.push({ path, ...found });
    if (path.startsWith("Sources/")) for (const text of messagesOf(read(path))) prose.messages.push({ path, text, context: "" });
    else {
      const context = read(path).match(/@Suite\(\s*"([^"]*)"/)?.[1] ?? "";
      for (const found of read(path).matchAll(/@(?:Test|Suite)\(\s*"([^"]*)"/g)) prose.messages.push({ path, text: found[1], context });
    }
  }
  if (isScript(path)) for (const found of commentsOf(read(path), /^\s*(?:#|\/\/\/?|--) (.*)$/)) prose.comments.push({ path, ...found });
}

function printWords() {
  const target = (path) => (isPage(path) ? "docs" : path.split("/").slice(0, path.includes("/") ? 2 : 1).join("/"));
  const counts = new Map();
  const kinds = Object.keys(avoided);
  for (const { path, text } of [...prose.docs, ...prose.comments, ...prose.messages]) {
    const row = counts.get(target(path)) ?? { words: 0, ...Object.fromEntries(kinds.map((kind) => [kind, 0])) };
    row.words += text.split(/\s+/).length;
    for (const kind of kinds) row[kind] += [...text.matchAll(avoided[kind])].length;
    counts.set(target(path), row);
  }
  const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const total = rows.reduce((sum, [, row]) => Object.fromEntries(Object.keys(row).map((key) => [key, (sum[key] ?? 0) + row[key]])), {});
  const cells = [["", "words", ...kinds], ...[...rows, ["all", total]].map(([name, row]) => [name, row.words, ...kinds.map((kind) => row[kind])])];
  for (const row of cells) console.log(row.map((cell, index) => (index === 0 ? String(cell).padEnd(32) : String(cell).padStart(index === 1 ? 8 : kinds[index - 2].length + 2))).join(""));
}

function printSentences(seed) {
  let state = seed >>> 0;
  // mulberry32
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  for (const [kind, all] of Object.entries(prose)) {
    const split = ({ path, text, context }) =>
      sentences(text).map((text, index, all) => ({ path, text, context: index > 0 ? `${context} | ${all[index - 1]}` : context }));
    const pool = kind === "messages" ? all : all.flatMap(split);
    console.log(`\n${kind} (20 of ${pool.length})`);
    for (let count = 1; count <= 20; count++) {
      const [{ path, text, context }] = pool.splice(Math.floor(random() * pool.length), 1);
      console.log(`${String(count).padStart(2)}  ${text}\n      ${path}${context ? `: ${context}` : ""}`);
    }
  }
}

const [, , order, argument] = process.argv;
if (order === "words") printWords();
else if (order === "sentences" && /^\d+$/.test(argument ?? "")) printSentences(Number(argument));
else {
  console.error("usage: scripts/prose.mjs words [FOLDER] | sentences SEED");
  process.exit(2);
}
