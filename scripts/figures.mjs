#!/usr/bin/env node
// Prints figures about the structure of the code, to compare them before and after a change.
//
//   scripts/figures.mjs            for this checkout
//   scripts/figures.mjs FOLDER     for another one
//
// `swift format` formats the sources, so a body ends at the closing brace with the indentation of its head.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));

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
  ["StoreCall", "Sources/CaretRooms/Store/StoreCall.swift"],
  ["AppendOutcome", "Sources/CaretLog/Append.swift"],
  ["StoreAnswer", "Sources/CaretRooms/Store/StoreCall.swift"],
  ["Committed", "Sources/CaretRooms/Room/Log/LogWindow.swift"],
  ["PendingAck", "Sources/CaretRooms/Room/Pushes/PendingAck.swift"],
  ["Ack", "Sources/CaretWire/Messages/Made/ServerMessage.swift"],
  ["RoomOutput", "Sources/CaretRooms/Room/RoomAction.swift"],
  ["ConnectionJob", "Sources/CaretServer/Serving/Jobs.swift"],
  ["Payload", "Sources/CaretServer/Net/Payload.swift"],
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

console.log("target                        files   lines  functions  median  p90  p99  longest");
let all = [];
for (const target of targets()) {
  const files = swiftFiles(join(root, target));
  if (files.length === 0) continue;
  const lines = files.reduce((sum, path) => sum + linesOf(path).length - 1, 0);
  const found = files.flatMap(bodies);
  if (target.startsWith("Sources")) all = all.concat(found);
  const lengths = found.map((body) => body.length).sort((left, right) => left - right);
  const row = lengths.length
    ? [lengths.length, percentile(lengths, 0.5), percentile(lengths, 0.9), percentile(lengths, 0.99), lengths.at(-1)]
    : [0, "-", "-", "-", "-"];
  const widths = [11, 8, 5, 5, 9];
  console.log(
    target.padEnd(28) + String(files.length).padStart(7) + String(lines).padStart(8)
      + row.map((value, index) => String(value).padStart(widths[index])).join(""),
  );
}

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
  const isDeclared = !/^[A-Z]/.test(shape) || new RegExp(`\\b(?:struct|enum|class) ${shape}\\b`).test(readFileSync(join(root, path), "utf8"));
  if (!isDeclared) throw new Error(`${shape} is not declared in ${path}: update the list in scripts/figures.mjs`);
  console.log(`${shape.padEnd(21)}${path}`);
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
