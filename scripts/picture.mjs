#!/usr/bin/env node
// Draws docs/picture.svg: two people in one document, from a run of the real server.
//
//   scripts/picture.mjs            draws it
//   scripts/picture.mjs --check    fails where it is not what is drawn now
//
// It starts .build/release/caretd with a folder of its own, speaks the protocol as two people do, and asks the server
// after each step what the text is and where everybody is. The picture shows those answers and nothing else; a step is
// awaited before the next one, so that it is the same picture every time.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const file = join(root, "docs/picture.svg");

// --- The run ---

/// The server, with a folder of its own.
class Server {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "caret-"));
    const options = ["--data", join(this.folder, "data"), "--listen", "127.0.0.1:0"];
    this.process = spawn(join(root, ".build/release/caretd"), options, { stdio: ["ignore", "ignore", "pipe"] });
    // Of one that cannot be started, too.
    this.gone = new Promise((resolve) => this.process.once("close", resolve));
    this.process.once("error", (error) => console.error(error.message));
  }

  /// The port at which it listens, once it is ready.
  async port() {
    let port, said;
    for await (const line of createInterface({ input: this.process.stderr })) {
      said = line;
      port = /listening transport=tcp address=.*:(\d+)$/.exec(line)?.[1] ?? port;
      if (line.endsWith("event=ready")) return Number(port);
    }
    throw new Error(`the server did not start: ${said ?? "swift build -c release --product caretd"}`);
  }

  /// Waits until it is gone, since it writes to its folder until then.
  async end() {
    this.process.kill();
    this.process.stderr.resume();
    await this.gone;
    rmSync(this.folder, { recursive: true });
  }
}

/// A connection, with what its document is by what the server said to it.
class Person {
  constructor(name, port) {
    this.name = name;
    this.socket = connect(port, "127.0.0.1");
    this.lines = createInterface({ input: this.socket })[Symbol.asyncIterator]();
    this.seq = 0;
  }

  say(message) {
    this.socket.write(JSON.stringify(message) + "\n");
  }

  /// The next message, which must be of this type.
  async hear(type) {
    const message = JSON.parse((await this.lines.next()).value);
    if (message.type !== type) throw new Error(`${this.name} wants ${type} and hears ${JSON.stringify(message)}`);
    return message;
  }

  async join(doc) {
    this.doc = doc;
    this.say({ type: "hello", protocol: 1, client: `${this.name}-client`, info: { name: this.name } });
    await this.hear("welcome");
    return this.open();
  }

  async open() {
    this.say({ type: "open", doc: this.doc, create: true });
    const opened = await this.hear("opened");
    ({ text: this.text, rev: this.rev, epoch: this.epoch } = opened);
    return opened;
  }

  /// What was committed, as an ack or a change tells it.
  take({ rev, edits }, own) {
    for (const { range, text } of [...(edits ?? own)].reverse()) {
      this.text = this.text.slice(0, range[0]) + text + this.text.slice(range[1]);
    }
    this.rev = rev;
  }
}

/// Both people, and one who looks at what the server has of them.
class Stage {
  frames = [];

  async begin(port) {
    this.ann = new Person("Ann", port);
    this.bob = new Person("Bob", port);
    this.looker = new Person("looker", port);
    for (const person of [this.ann, this.bob]) await person.join("agenda");
    await this.looker.join("agenda");
    this.leave(this.looker);
    await this.looker.hear("closed");
  }

  leave(person) {
    person.say({ type: "close", doc: person.doc });
  }

  other(person) {
    return person === this.ann ? this.bob : this.ann;
  }

  /// Selects a word, or puts the caret in front of or behind it.
  async select(person, word, place = "on") {
    const start = person.text.indexOf(word);
    const end = start + word.length;
    await this.selectRange(person, place === "behind" ? end : start, place === "before" ? start : end);
  }

  async selectRange(person, anchor, head) {
    person.say({ type: "select", doc: person.doc, rev: person.rev, selections: [[anchor, head]] });
    await this.other(person).hear("peer");
    person.caret = head;
  }

  async push(person, message, edits) {
    person.seq += 1;
    const { doc, epoch, rev, seq } = { ...person };
    person.say({ type: "push", doc, epoch, base: rev, seq, ...message });
    person.take(await person.hear("ack"), edits);
    const other = this.other(person);
    other.take(await other.hear("change"));
    if (other.text !== person.text) throw new Error(`they differ: ${other.text} ${person.text}`);
  }

  /// Types at the caret, so many letters a frame.
  async type(person, text, caption, letters = 1) {
    for (let at = 0; at < text.length; at += letters) {
      const piece = text.slice(at, at + letters);
      const edits = [{ range: [person.caret, person.caret], text: piece }];
      await this.push(person, { edits }, edits);
      await this.selectRange(person, person.caret + piece.length, person.caret + piece.length);
      await this.show(caption, at + letters < text.length ? 0.16 : 1.2);
    }
  }

  /// A frame of so many seconds, as the server has it now.
  async show(caption, seconds) {
    const { text, rev, peers } = await this.looker.open();
    const marks = peers.map(({ info, selections }) => ({ name: info.name, range: selections[0] }));
    this.frames.push({ text, rev, marks: marks.sort((a, b) => (a.name < b.name ? -1 : 1)), caption, seconds });
    this.leave(this.looker);
    await this.looker.hear("closed");
  }
}

async function play(stage) {
  const { ann, bob } = stage;
  const before = "# Agenda\n\nWatch Bugger attack videos together\nand discuss strategy.\n";
  const after = [
    "# Agenda", "Monday, 10:00", "", "Watch the new Bugger attack videos,", "then discuss strategy and eat well.", "",
  ].join("\n");
  await stage.push(ann, { text: before }, [{ range: [0, 0], text: before }]);
  await stage.select(ann, "Bugger");
  await stage.select(bob, "Agenda", "behind");
  await stage.show("Ann has selected a word.", 2);
  await stage.select(bob, "Bugger", "before");
  await stage.show("Bob types in front of it.", 0.8);
  await stage.type(bob, "the ", "Bob types in front of it.");
  await stage.select(bob, "Agenda", "behind");
  await stage.show("And adds a line above: her selection stays on its word.", 0.8);
  await stage.type(bob, "\nMonday, 9:00", "And adds a line above: her selection stays on its word.");
  await stage.select(bob, "Monday");
  await stage.select(ann, "strategy", "behind");
  await stage.show("Ann types: what Bob has selected stays selected.", 0.8);
  await stage.type(ann, " and eat", "Ann types: what Bob has selected stays selected.");
  await stage.select(ann, "Bugger");
  await stage.show("Now Bob’s editor saves a whole new text …", 2);
  await stage.push(bob, { text: after });
  await stage.show("… and both still have selected what they had.", 4);
}

// --- The picture ---

const cell = { width: 8.4, height: 30 };
const window = { width: 430, height: 232, left: 16, top: 16, gap: 16 };
const picture = { width: 2 * window.width + window.gap + 2 * window.left, height: window.height + 74 };
const inset = { x: 44, y: 44 };
const colors = { Ann: "#ffb454", Bob: "#59c2ff" };

const escaped = (text) => text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);
const number = (value) => String(Math.round(value * 100) / 100);

/// Line and column of an offset.
function place(text, offset) {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length - 1, column: lines.at(-1).length };
}

function rows(text) {
  return text.trimEnd().split("\n").map((line, index) => {
    const y = inset.y + index * cell.height + 21;
    // Whatever font is there, a letter is as wide as its cell.
    const words = line && `<text x="${inset.x}" y="${y}" textLength="${number(line.length * cell.width)}">${escaped(line)}</text>`;
    return `<text class="faint" x="${inset.x - 14}" y="${y}" text-anchor="end">${index + 1}</text>${words}`;
  }).join("");
}

/// A caret, or a selection with its caret, and whose it is.
function mark(text, { name, range }, labelled) {
  const [start, end] = [place(text, Math.min(...range)), place(text, Math.max(...range))];
  const [x, y] = [inset.x + start.column * cell.width, inset.y + start.line * cell.height];
  const width = (end.column - start.column) * cell.width;
  const color = colors[name];
  const body = width && `<rect x="${number(x)}" y="${y + 6}" width="${number(width)}" height="21" rx="3" fill="${color}" fill-opacity=".3"/>`;
  const caret = `<rect x="${number(x + width - 1)}" y="${y + 6}" width="2" height="21" fill="${color}"/>`;
  if (!labelled) return (body || "") + caret;
  const tag = `<rect x="${number(x + width - 1)}" y="${y - 4}" width="27" height="12" rx="3" fill="${color}"/>`
    + `<text class="tag" x="${number(x + width + 3)}" y="${y + 5.5}">${name}</text>`;
  return (body || "") + caret + tag;
}

function view(name, left) {
  return `<g transform="translate(${left} ${window.top})">`
    + `<rect width="${window.width}" height="${window.height}" rx="8" fill="#11151c" stroke="#2a313c"/>`
    + `<circle cx="20" cy="20" r="5" fill="${colors[name]}"/><text x="34" y="25">${name}</text>`
    + `<text class="faint" x="${window.width - 16}" y="25" text-anchor="end">agenda</text>`
    + `<path d="M0 38.5H${window.width}" stroke="#2a313c"/></g>`;
}

function frame({ text, rev, marks, caption }, index) {
  const windows = ["Ann", "Bob"].map((name, side) => {
    const left = window.left + side * (window.width + window.gap);
    return `<g transform="translate(${left} ${window.top})">`
      + marks.map((each) => mark(text, each, each.name !== name)).join("") + rows(text)
      + `<text class="faint small" x="${window.width - 16}" y="${window.height - 14}" text-anchor="end">revision ${rev}</text></g>`;
  });
  return `<g class="frame" style="animation-name:f${index}">${windows.join("")}`
    + `<text class="caption" x="${picture.width / 2}" y="${picture.height - 22}" text-anchor="middle">${escaped(caption)}</text></g>`;
}

function draw(frames) {
  const whole = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  let past = 0;
  const keys = frames.map(({ seconds }, index) => {
    const [from, to] = [past, past + seconds].map((time) => number((time / whole) * 100) + "%");
    past += seconds;
    const start = index === 0 ? `0%{visibility:visible}` : `0%{visibility:hidden}${from}{visibility:visible}`;
    return `@keyframes f${index}{${start}${to === "100%" ? "" : `${to}{visibility:hidden}`}}`;
  });
  // Who wants no motion, and what knows none, is shown the last frame.
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${picture.width} ${picture.height}" width="${picture.width}" height="${picture.height}" role="img">`,
    "<title>Two people edit one text, and their selections stay on their words</title>",
    "<style>",
    "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d6dbe5;white-space:pre}",
    ".faint{fill:#66707f}.small{font-size:12px}.tag{font-size:10px;fill:#0b0e14;font-weight:700}",
    ".caption{font:15px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}",
    `.frame{visibility:hidden;animation:${number(whole)}s step-end infinite}.frame:last-of-type{visibility:visible}`,
    "@media (prefers-reduced-motion:reduce){.frame{animation:none}}",
    ...keys,
    "</style>",
    `<rect width="${picture.width}" height="${picture.height}" rx="12" fill="#0b0e14"/>`,
    view("Ann", window.left), view("Bob", window.left + window.width + window.gap),
    ...frames.map(frame),
    "</svg>", "",
  ].join("\n");
}

// --- What it is called for ---

const checks = process.argv[2] === "--check";
if (process.argv.length > (checks ? 3 : 2)) {
  console.error("usage: scripts/picture.mjs [--check]");
  process.exit(2);
}
const server = new Server();
const stage = new Stage();
try {
  await stage.begin(await server.port());
  await play(stage);
} finally {
  for (const person of [stage.ann, stage.bob, stage.looker]) person?.socket.destroy();
  await server.end();
}
const drawn = draw(stage.frames);
if (!checks) {
  writeFileSync(file, drawn);
  console.log(`docs/picture.svg: ${stage.frames.length} frames, ${drawn.length} bytes`);
} else if (readFileSync(file, "utf8") !== drawn) {
  console.error("docs/picture.svg is not what scripts/picture.mjs draws; run it, and look at it.");
  process.exit(1);
} else {
  console.log("docs/picture.svg is what the server does.");
}
