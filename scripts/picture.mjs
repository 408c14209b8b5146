#!/usr/bin/env node
// Draws docs/picture.svg: two people edit one document, recorded from a run of the real server.
//
//   scripts/picture.mjs            draws the picture
//   scripts/picture.mjs --check    fails if docs/picture.svg differs from what it would draw
//
// The script starts .build/release/caretd with a temporary data folder and speaks the protocol as two people. After
// each step it asks the server for the text and everyone's selections. The picture shows only those answers. Each step
// waits for its answer, so every run draws the same picture.
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

/// The server, with a temporary data folder.
class Server {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "caret-"));
    const options = ["--data", join(this.folder, "data"), "--listen", "127.0.0.1:0"];
    this.process = spawn(join(root, ".build/release/caretd"), options, { stdio: ["ignore", "ignore", "pipe"] });
    // `close` comes even if the server cannot be started.
    this.gone = new Promise((resolve) => this.process.once("close", resolve));
    this.process.once("error", (error) => console.error(error.message));
  }

  /// The port at which the server listens, once it is ready.
  async port() {
    let port, lastLine;
    for await (const line of createInterface({ input: this.process.stderr })) {
      lastLine = line;
      port = /listening transport=tcp address=.*:(\d+)$/.exec(line)?.[1] ?? port;
      if (line.endsWith("event=ready")) return Number(port);
    }
    throw new Error(`the server did not start: ${lastLine ?? "build it with swift build -c release --product caretd"}`);
  }

  /// Waits for the server to end before removing its folder, because it writes there until then.
  async stop() {
    this.process.kill();
    this.process.stderr.resume();
    await this.gone;
    rmSync(this.folder, { recursive: true });
  }
}

/// One connection, and the document as its messages describe it.
class Person {
  constructor(name, port) {
    this.name = name;
    this.socket = connect(port, "127.0.0.1");
    this.lines = createInterface({ input: this.socket })[Symbol.asyncIterator]();
    this.seq = 0;
  }

  send(message) {
    this.socket.write(JSON.stringify(message) + "\n");
  }

  /// The next message; it must have this type.
  async receive(type) {
    const message = JSON.parse((await this.lines.next()).value);
    if (message.type !== type) throw new Error(`${this.name} expected ${type} and received ${JSON.stringify(message)}`);
    return message;
  }

  async join(doc) {
    this.doc = doc;
    this.send({ type: "hello", protocol: 1, client: `${this.name}-client`, info: { name: this.name } });
    await this.receive("welcome");
    return this.open();
  }

  async open() {
    this.send({ type: "open", doc: this.doc, create: true });
    const opened = await this.receive("opened");
    ({ text: this.text, rev: this.rev, epoch: this.epoch } = opened);
    return opened;
  }

  /// Applies a commit from an ack or a change. An ack without edits commits the pushed edits as they were sent.
  apply({ rev, edits }, pushed) {
    for (const { range, text } of [...(edits ?? pushed)].reverse()) {
      this.text = this.text.slice(0, range[0]) + text + this.text.slice(range[1]);
    }
    this.rev = rev;
  }
}

/// Both people, and an observer that reads the state from the server.
class Recording {
  frames = [];

  async begin(port) {
    this.ann = new Person("Ann", port);
    this.bob = new Person("Bob", port);
    this.observer = new Person("observer", port);
    for (const person of [this.ann, this.bob]) await person.join("agenda");
    await this.observer.join("agenda");
    this.leave(this.observer);
    await this.observer.receive("closed");
  }

  leave(person) {
    person.send({ type: "close", doc: person.doc });
  }

  other(person) {
    return person === this.ann ? this.bob : this.ann;
  }

  /// Selects a word, or puts the caret before or after it.
  async select(person, word, where = "on") {
    const start = person.text.indexOf(word);
    const end = start + word.length;
    await this.selectRange(person, where === "after" ? end : start, where === "before" ? start : end);
  }

  async selectRange(person, anchor, head) {
    person.send({ type: "select", doc: person.doc, rev: person.rev, selections: [[anchor, head]] });
    await this.other(person).receive("peer");
    person.caret = head;
  }

  async push(person, message, edits) {
    person.seq += 1;
    const { doc, epoch, rev, seq } = { ...person };
    person.send({ type: "push", doc, epoch, base: rev, seq, ...message });
    person.apply(await person.receive("ack"), edits);
    const other = this.other(person);
    other.apply(await other.receive("change"));
    if (other.text !== person.text) throw new Error(`the texts differ: ${other.text} ${person.text}`);
  }

  /// Types at the caret; each frame adds this many letters.
  async type(person, text, caption, letters = 1) {
    for (let at = 0; at < text.length; at += letters) {
      const piece = text.slice(at, at + letters);
      const edits = [{ range: [person.caret, person.caret], text: piece }];
      await this.push(person, { edits }, edits);
      await this.selectRange(person, person.caret + piece.length, person.caret + piece.length);
      await this.show(caption, at + letters < text.length ? 0.16 : 1.2);
    }
  }

  /// Adds a frame that shows the server's state for this many seconds.
  async show(caption, seconds) {
    const { text, rev, peers } = await this.observer.open();
    const marks = peers.map(({ info, selections }) => ({ name: info.name, range: selections[0] }));
    this.frames.push({ text, rev, marks: marks.sort((a, b) => (a.name < b.name ? -1 : 1)), caption, seconds });
    this.leave(this.observer);
    await this.observer.receive("closed");
  }
}

async function play(recording) {
  const { ann, bob } = recording;
  const before = "# Agenda\n\nReview budget proposals together\nand pick a date.\n";
  const after = [
    "# Agenda", "Monday, 10:00", "", "Review the new budget proposals,", "then pick a date and a place.", "",
  ].join("\n");
  await recording.push(ann, { text: before }, [{ range: [0, 0], text: before }]);
  await recording.select(ann, "budget");
  await recording.select(bob, "Agenda", "after");
  await recording.show("Ann has selected a word.", 2);
  await recording.select(bob, "budget", "before");
  await recording.show("Bob types in front of it.", 0.8);
  await recording.type(bob, "the ", "Bob types in front of it.");
  await recording.select(bob, "Agenda", "after");
  await recording.show("Bob adds a line above: Ann’s selection stays on its word.", 0.8);
  await recording.type(bob, "\nMonday, 9:00", "Bob adds a line above: Ann’s selection stays on its word.");
  await recording.select(bob, "Monday");
  await recording.select(ann, "date", "after");
  await recording.show("Ann types: Bob’s selection stays too.", 0.8);
  await recording.type(ann, " and place", "Ann types: Bob’s selection stays too.");
  await recording.select(ann, "budget");
  await recording.show("Now Bob’s editor saves a whole new text …", 2);
  await recording.push(bob, { text: after });
  await recording.show("… and both selections are still on their words.", 4);
}

// --- The picture ---

const cell = { width: 8.4, height: 30 };
const window = { width: 430, height: 232, left: 16, top: 16, gap: 16 };
const picture = { width: 2 * window.width + window.gap + 2 * window.left, height: window.height + 74 };
const inset = { x: 44, y: 44 };
const colors = { Ann: "#ffb454", Bob: "#59c2ff" };

const escaped = (text) => text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);
const number = (value) => String(Math.round(value * 100) / 100);

/// The line and column of an offset.
function position(text, offset) {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length - 1, column: lines.at(-1).length };
}

function rows(text) {
  return text.trimEnd().split("\n").map((line, index) => {
    const y = inset.y + index * cell.height + 21;
    // `textLength` makes each letter as wide as its cell, with any font.
    const content = line && `<text x="${inset.x}" y="${y}" textLength="${number(line.length * cell.width)}">${escaped(line)}</text>`;
    return `<text class="faint" x="${inset.x - 14}" y="${y}" text-anchor="end">${index + 1}</text>${content}`;
  }).join("");
}

/// A caret, or a selection with its caret; another person's has a name tag.
function mark(text, { name, range }, labelled) {
  const [start, end] = [position(text, Math.min(...range)), position(text, Math.max(...range))];
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
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  let elapsed = 0;
  const keys = frames.map(({ seconds }, index) => {
    const [from, to] = [elapsed, elapsed + seconds].map((time) => number((time / total) * 100) + "%");
    elapsed += seconds;
    const start = index === 0 ? `0%{visibility:visible}` : `0%{visibility:hidden}${from}{visibility:visible}`;
    return `@keyframes f${index}{${start}${to === "100%" ? "" : `${to}{visibility:hidden}`}}`;
  });
  // Readers who prefer no motion, and viewers without animation, get the last frame.
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${picture.width} ${picture.height}" width="${picture.width}" height="${picture.height}" role="img">`,
    "<title>Two people edit one text, and their selections stay on their words</title>",
    "<style>",
    "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d6dbe5;white-space:pre}",
    ".faint{fill:#66707f}.small{font-size:12px}.tag{font-size:10px;fill:#0b0e14;font-weight:700}",
    ".caption{font:15px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}",
    `.frame{visibility:hidden;animation:${number(total)}s step-end infinite}.frame:last-of-type{visibility:visible}`,
    "@media (prefers-reduced-motion:reduce){.frame{animation:none}}",
    ...keys,
    "</style>",
    `<rect width="${picture.width}" height="${picture.height}" rx="12" fill="#0b0e14"/>`,
    view("Ann", window.left), view("Bob", window.left + window.width + window.gap),
    ...frames.map(frame),
    "</svg>", "",
  ].join("\n");
}

// --- The command line ---

const checks = process.argv[2] === "--check";
if (process.argv.length > (checks ? 3 : 2)) {
  console.error("usage: scripts/picture.mjs [--check]");
  process.exit(2);
}
const server = new Server();
const recording = new Recording();
try {
  await recording.begin(await server.port());
  await play(recording);
} finally {
  for (const person of [recording.ann, recording.bob, recording.observer]) person?.socket.destroy();
  await server.stop();
}
const drawn = draw(recording.frames);
if (!checks) {
  writeFileSync(file, drawn);
  console.log(`docs/picture.svg: ${recording.frames.length} frames, ${drawn.length} bytes`);
} else if (readFileSync(file, "utf8") !== drawn) {
  console.error("docs/picture.svg differs from what scripts/picture.mjs draws now. Run scripts/picture.mjs and look at the picture.");
  process.exit(1);
} else {
  console.log("docs/picture.svg matches a run of the server.");
}
