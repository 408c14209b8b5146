#!/usr/bin/env node
// Prints figures about the structure of the code, to compare them before and after a change.
//
//   scripts/figures.mjs                     for this checkout
//   scripts/figures.mjs FOLDER              for another one
//   scripts/figures.mjs --feature COMMIT    which files a commit has touched, by target
//
// `swift format` formats the sources, so a body ends at the closing brace with the indentation of its head.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const [option, commit] = process.argv.slice(2);
const root = option === "--feature" ? here : (option ?? here);

// The state machines, and the folders of their extensions.
const machines = [
  ["RoomState", "Sources/CaretRooms"],
  ["DocumentLog", "Sources/CaretRooms"],
  ["CatchUp", "Sources/CaretRooms"],
  ["StoreQueries", "Sources/CaretRooms"],
  ["KnownPushers", "Sources/CaretRooms"],
  ["PushPipeline", "Sources/CaretRooms"],
  ["SessionList", "Sources/CaretRooms"],
  ["RoomSession", "Sources/CaretRooms"],
  ["SessionStream", "Sources/CaretRooms"],
  ["SessionPresence", "Sources/CaretRooms"],
  ["PresenceBoard", "Sources/CaretRooms"],
  ["RoomPause", "Sources/CaretRooms"],
  ["HubState", "Sources/CaretRooms"],
  ["ConnectionState", "Sources/CaretRooms"],
  ["Replica", "Sources/CaretReplica"],
  ["ClientState", "Sources/CaretClient"],
];

// The types that carry a push from the socket to the ack, in this order, and where each is declared.
const shapesOfPush = [
  ["bytes of the socket", "Sources/CaretServer/Net/Connection.swift"],
  ["a line", "Sources/CaretWire/LineFramer.swift"],
  ["ClientMessage", "Sources/CaretWire/Messages/Made/ClientMessage.swift"],
  ["RoomPush", "Sources/CaretRooms/Room/Pushes/RoomPush.swift"],
  ["RoomEvent", "Sources/CaretRooms/Room/RoomEvent.swift"],
  ["ConnectionAction", "Sources/CaretRooms/Connection/ConnectionAction.swift"],
  ["RoomJob", "Sources/CaretServer/Serving/Jobs.swift"],
  ["RoomRequest", "Sources/CaretRooms/Room/RoomRequest.swift"],
  ["PendingPush", "Sources/CaretRooms/Room/Pushes/PendingPush.swift"],
  ["PushIntent", "Sources/CaretRooms/Room/Pushes/PendingPush.swift"],
  ["SegmentPlan", "Sources/CaretRooms/Room/Pushes/SegmentPlan.swift"],
  ["PushedChange", "Sources/CaretLog/LoggedChange.swift"],
  ["Append", "Sources/CaretLog/Append.swift"],
  ["StoreCall", "Sources/CaretLog/Store/StoreCall.swift"],
  ["AppendOutcome", "Sources/CaretLog/Append.swift"],
  ["StoreAnswer", "Sources/CaretLog/Store/StoreCall.swift"],
  ["Committed", "Sources/CaretRooms/Room/Log/LogWindow.swift"],
  ["PendingAck", "Sources/CaretRooms/Room/Pushes/PendingAck.swift"],
  ["Ack", "Sources/CaretWire/Messages/Made/ServerMessage.swift"],
  ["RoomOutput", "Sources/CaretRooms/Room/RoomAction.swift"],
  ["ConnectionJob", "Sources/CaretServer/Serving/Jobs.swift"],
  ["Payload", "Sources/CaretRooms/Connection/Payload.swift"],
];

// An example of a call to the store. The script prints the files that contain this call.
const sampleCall = "renewEpochs";

function swiftFiles(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return swiftFiles(path);
      return entry.name.endsWith(".swift") ? [path] : [];
    });
}

const linesOf = (path) => readFileSync(path, "utf8").split("\n");

/// Whether a script has made the file with this text.
const isMade = (text) => /^\/\/ Made by scripts\//.test(text);

/// The targets of Swift that `caretd` consists of.
function serverTargets() {
  const found = new Set();
  const manifest = readFileSync(join(root, "Package.swift"), "utf8");
  const declaration = /name: "(\w+)",\s*dependencies: \[([^\]]*)\]/g;
  const dependencies = new Map([...manifest.matchAll(declaration)].map(([, name, list]) => [name, list.match(/\w+/g) ?? []]));
  const add = (name) => {
    if (found.has(name)) return;
    found.add(name);
    dependencies.get(name)?.forEach(add);
  };
  add("caretd");
  return [...found].map((name) => join("Sources", name)).filter((target) => swiftFiles(join(root, target)).length > 0);
}

/// The files that a commit has touched, and the lines that it has added and removed.
function printFeature() {
  const git = (...words) => execFileSync("git", ["-C", root, ...words], { encoding: "utf8", maxBuffer: 1 << 28 });
  try {
    git("rev-parse", "--verify", "--quiet", `${commit}^`);
  } catch {
    console.error(`figures.mjs: there is no commit ${commit ?? ""} with a parent`);
    process.exit(2);
  }
  const targets = new Map();
  for (const line of git("diff", "--numstat", "--no-renames", `${commit}^`, commit).trim().split("\n")) {
    const [added, removed, path] = line.split("\t");
    const folders = path.split("/").slice(0, -1);
    const target = /^(Sources|Clients|Tests|Benchmarks)$/.test(folders[0]) ? folders.slice(0, 2) : folders.slice(0, 1);
    const exists = git("ls-tree", commit, path) !== "";
    const kind = isMade(git("show", `${exists ? commit : `${commit}^`}:${path}`)) ? "made" : "hand";
    const row = targets.get(target.join("/")) ?? { hand: [0, 0, 0], made: [0, 0, 0] };
    row[kind] = [1, Number(added) || 0, Number(removed) || 0].map((value, index) => row[kind][index] + value);
    targets.set(target.join("/"), row);
  }
  const sum = { hand: [0, 0, 0], made: [0, 0, 0] };
  const server = { hand: [0, 0, 0], made: [0, 0, 0] };
  const addTo = (total, row) => {
    for (const kind of ["hand", "made"]) total[kind] = total[kind].map((value, index) => value + row[kind][index]);
  };
  const print = (name, { hand, made }) => {
    const cells = [hand[0], `+${hand[1]}`, `-${hand[2]}`, made[0], `+${made[1]}`, `-${made[2]}`];
    const widths = [16, 8, 8, 13, 8, 8];
    console.log(name.padEnd(24) + cells.map((cell, index) => String(cell).padStart(widths[index])).join(""));
  };
  console.log("target                   files by hand   added removed   files made   added removed");
  for (const [target, row] of [...targets].sort(([left], [right]) => (left < right ? -1 : 1))) {
    print(target || "(top level)", row);
    addTo(sum, row);
    if (serverTargets().includes(target)) addTo(server, row);
  }
  print("the server", server);
  print("all", sum);
}

const words =
  "package|public|private|fileprivate|internal|static|mutating|override|required|convenience|nonisolated";
const functionHead = new RegExp(`^( *)(?:@\\w+(?:\\([^)]*\\))? )*(?:(?:${words}) )*(?:func|init|subscript)\\b`);
const propertyHead = /^ {4}(?:(?:package|public|private|fileprivate|internal)(?:\(set\))? )*(?:var|let) /;

/// The lengths of the bodies of functions, initializers and subscripts.
function bodies(path) {
  const lines = linesOf(path);
  const found = [];
  lines.forEach((line, start) => {
    const head = functionHead.exec(line);
    if (!head) return;
    let open = start;
    while (lines[open] && !/\{( .*)?$/.test(lines[open]) && !/\}$/.test(lines[open])) {
      open += 1;
      // A function without a body is a requirement of a protocol.
      if (functionHead.test(lines[open])) return;
    }
    if (!lines[open]) return;
    const end = /\}$/.test(lines[open]) ? open : lines.indexOf(`${head[1]}}`, open);
    const location = `${relative(root, path)}:${start + 1}`;
    found.push({ length: Math.max(1, end - open - 1), location });
  });
  return found;
}

function targets() {
  // In an older checkout the benchmarks are in Sources.
  const kinds = ["Sources", "Tests", "Benchmarks"].filter((kind) => existsSync(join(root, kind)));
  return kinds.flatMap((kind) =>
    readdirSync(join(root, kind))
      .filter((name) => !name.startsWith(".") && statSync(join(root, kind, name)).isDirectory())
      .map((name) => join(kind, name)),
  );
}

/// The number of stored properties in the declaration of a type.
function storedProperties(type, files) {
  for (const path of files) {
    const lines = linesOf(path);
    const start = lines.findIndex((line) => new RegExp(`^(?:package |public )?(?:struct|final class) ${type}\\b`).test(line));
    if (start < 0) continue;
    const end = lines.indexOf("}", start);
    return lines.slice(start, end).filter((line) => {
         const isComputed = /\{[^}]*\}?$/.test(line) && !/didSet/.test(line) && !/=/.test(line);
        return propertyHead.test(line) && !isComputed;
    }).length;
  }
  return 0;
}

const percentile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

if (option === "--feature") {
  printFeature();
  process.exit();
}

console.log("target                        files  by hand    made  functions  median  p90  p99  longest");
let all = [];
const server = { files: 0, hand: 0, made: 0 };
const ofServer = serverTargets();
for (const target of targets()) {
  const files = swiftFiles(join(root, target));
  if (files.length === 0) continue;
  const lines = { hand: 0, made: 0 };
  for (const path of files) {
    const text = readFileSync(path, "utf8");
    lines[isMade(text) ? "made" : "hand"] += text.split("\n").length - 1;
  }
  if (ofServer.includes(target)) {
    server.files += files.length;
    server.hand += lines.hand;
    server.made += lines.made;
  }
  const found = files.flatMap(bodies);
  if (target.startsWith("Sources")) all = all.concat(found);
  const lengths = found.map((body) => body.length).sort((left, right) => left - right);
  const row = lengths.length
    ? [lengths.length, percentile(lengths, 0.5), percentile(lengths, 0.9), percentile(lengths, 0.99), lengths.at(-1)]
    : [0, "-", "-", "-", "-"];
  const widths = [11, 8, 5, 5, 9];
  console.log(
    target.padEnd(28) + String(files.length).padStart(7) + String(lines.hand).padStart(9) + String(lines.made).padStart(8)
      + row.map((value, index) => String(value).padStart(widths[index])).join(""),
  );
}

console.log(`\nthe server: ${server.files} files, ${server.hand} lines by hand, ${server.made} made by scripts`);

console.log("\nlongest functions of the sources");
for (const body of all.sort((left, right) => right.length - left.length).slice(0, 5)) {
  console.log(`${String(body.length).padStart(5)}  ${body.location}`);
}

console.log("\nstate machine      stored properties  files that can touch them");
for (const [type, folder] of machines) {
  const files = swiftFiles(join(root, folder));
  const head = new RegExp(`^(?:package |public )?(?:extension|struct|final class) ${type}\\b`, "m");
  const touching = files.filter((path) => head.test(readFileSync(path, "utf8"))).length;
  const held = storedProperties(type, files);
  console.log(type.padEnd(19) + String(held).padStart(17) + String(touching).padStart(27));
}

console.log("\nthe types that carry a push, from the socket to the ack");
for (const [shape, path] of shapesOfPush) {
  const text = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
  const isDeclared = text !== "" && (!/^[A-Z]/.test(shape) || new RegExp(`\\b(?:struct|enum|class) ${shape}\\b`).test(text));
  // In another checkout, a type may be elsewhere.
  if (!isDeclared && root === here) throw new Error(`${shape} is not declared in ${path}: update the list in scripts/figures.mjs`);
  console.log(`${shape.padEnd(21)}${isDeclared ? path : "not in its file of today"}`);
}
console.log(`${shapesOfPush.length} types, declared in ${new Set(shapesOfPush.map(([, path]) => path)).size} files`);

console.log(`\nswitch cases for one call to the store: ${sampleCall}`);
for (const kind of ["Sources", "Tests"]) {
  for (const path of swiftFiles(join(root, kind))) {
    const cases = linesOf(path).filter((line) => new RegExp(`^ *case (?:.*, )?\\.?${sampleCall}\\b`).test(line)).length;
    if (cases) console.log(`${String(cases).padStart(3)}  ${relative(root, path)}`);
  }
}

const phases = join(root, ".build/logs/phases");
if (existsSync(phases)) console.log(`\nseconds of each phase in the last run of scripts/test\n${readFileSync(phases, "utf8")}`);
