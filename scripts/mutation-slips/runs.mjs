// Runs tests in the copy until one of them notices the active slip.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const laws = ["RandomServerTests"];
/// A run of some tests. `few` runs a tenth of the cases of every randomized test; `seconds` is the time limit.
const run = (filter, seconds, { skip = [], few = false } = {}) => ({ filter, seconds, skip, few });
const inNode = { filter: "CaretPageTests", isNode: true, seconds: 240, skip: [], few: true };
const inBrowser = { filter: "BrowserTests", isBrowser: true, seconds: 1200, skip: [], few: false };

/// For each target the tests that should notice its slips, the fastest first. Targets with fast tests come first.
export const stagesOf = {
  CaretCore: [
    run("CaretCoreTests", 60, { few: true }),
    run("CaretReplicaTests", 60, { few: true }),
    run("CaretCoreTests", 180),
  ],
  CaretLog: [run("CaretLogTests", 30), run("CaretRoomsTests", 60, { skip: laws }), run("CaretStoreTests", 240, { few: true })],
  CaretWire: [
    run("CaretWireTests", 120, { few: true }),
    run("CaretRoomsTests", 60, { skip: laws }),
    run("CaretCommandTests.Assistant", 120),
    run("LiveTests", 180),
  ],
  CaretConfig: [run("CaretConfigTests", 60), run("LiveTests", 180)],
  CaretReplica: [
    run("CaretReplicaTests", 60, { few: true }),
    run("CaretReplicaTests", 120),
    run("ScenarioTests", 120, { few: true }),
  ],
  CaretRooms: [
    run("CaretRoomsTests", 60, { skip: laws }),
    run("CaretRoomsTests", 120, { few: true }),
    run("ScenarioTests", 120, { few: true }),
  ],
  CaretConcurrency: [
    run("CaretConcurrencyTests", 60),
    run("CaretServerTests", 120),
    run("ScenarioTests", 120, { few: true }),
    run("CaretStoreTests", 240, { few: true }),
  ],
  CaretSync: [
    run("CaretSyncTests", 120, { few: true }),
    run("CaretCommandTests.(Sync|LineDiff|MovedFile)", 180, { few: true }),
  ],
  CaretClient: [run("CaretClientTests", 180)],
  CaretTLS: [run("CaretTLSTests", 30)],
  CaretSignIn: [run("CaretSignInTests", 60)],
  CaretWeb: [run("CaretWebTests", 60)],
  CaretFormat: [run("CaretFormatTests", 60), run("CaretStoreTests", 240, { few: true })],
  CaretStore: [run("CaretStoreTests", 240, { few: true })],
  CaretServer: [
    run("CaretServerTests", 120),
    run("ScenarioTests", 120, { few: true }),
    run("LiveTests", 180, { few: true }),
  ],
  CaretCommand: [run("CaretCommandTests", 240, { few: true })],
  CaretPostgres: [run("CaretStoreTests", 240, { few: true }), run("ScenarioTests", 120, { few: true })],
  CaretViews: [run("CaretClientTests", 180)],
  caretd: [run("CaretConfigTests", 60), run("LiveTests", 180, { few: true })],
  "Clients/javascript": [inNode, inBrowser],
  "Sources/CaretPage/page": [inNode, inBrowser],
};

/// The test targets of the package that these stages run. The browser tests need the server, which others build.
export const testTargetsOf = (stages) => [
  ...new Set(stages.map((stage) => (stage.isNode || stage.isBrowser ? "CaretCommandTests" : stage.filter.split(".")[0]))),
];

/// Runs stages in a copy that is already built.
export class Runs {
  constructor(copy) {
    this.copy = copy;
    this.passesWithoutSlip = new Map();
  }

  /// Runs the stages until one fails: {noticedBy, seconds, isTimeout}; `noticedBy` is undefined if all pass.
  async noticed(slip, stages) {
    let answer = {};
    let seconds = 0;
    for (const stage of stages) {
      if (!(await this.isUsable(stage))) continue;
      const began = Date.now();
      this.activate(slip, stage, true);
      answer = await outcome(this.copy, stage, slip);
      this.activate(slip, stage, false);
      seconds += (Date.now() - began) / 1000;
      if (answer.noticedBy) break;
    }
    return { ...answer, seconds };
  }

  activate(slip, stage, isActive) {
    if (slip.path.endsWith(".swift")) return this.copy.choose(isActive ? slip.number : 0);
    this.copy.plantScript(slip, isActive);
    if (stage.isBrowser) this.copy.buildPage();
  }

  /// Whether the stage passes without a slip. If not, its failures prove nothing. A stage that
  /// fails is tried once more, because the machine may have been busy.
  async isUsable(stage) {
    const key = JSON.stringify(stage);
    if (!this.passesWithoutSlip.has(key)) {
      const began = Date.now();
      let { noticedBy } = await outcome(this.copy, stage);
      if (noticedBy) ({ noticedBy } = await outcome(this.copy, stage));
      const name = `${stage.filter}${stage.few ? ", few cases" : ""}${stage.skip.length > 0 ? ", without laws" : ""}`;
      const end = noticedBy ? `not used, because it fails: ${noticedBy}` : "passes";
      console.log(`without a slip: ${name}: ${end}, ${((Date.now() - began) / 1000).toFixed(1)} s`);
      this.passesWithoutSlip.set(key, !noticedBy);
    }
    return this.passesWithoutSlip.get(key);
  }
}

/// The program of a stage and its arguments.
function commandOf(copy, stage, slip) {
  const programs = join(copy.build, "release");
  if (stage.isNode) return ["node", "--experimental-websocket", "Tests/CaretPageTests/run.mjs", ".build/wasm/caret.wasm"];
  if (stage.isBrowser) return ["bash", "-c", 'program=$1; shift; printf "%s\\n" "$@" | xargs -P2 -n1 node Tests/BrowserTests/run.mjs "$program"', "-", programs, ...partsFor(copy, slip)];
  const names = ["--filter", stage.filter, ...stage.skip.flatMap((name) => ["--skip", name])];
  return [join(programs, "caretPackageTests.xctest"), "--testing-library", "swift-testing", ...names];
}

/// The parts of the browser tests. The parts that are named like the file of the slip come first.
function partsFor(copy, slip) {
  const parts = execFileSync("node", ["Tests/BrowserTests/run.mjs", "--list"], { cwd: copy.tree }).toString().trim().split("\n");
  const words = slip ? basename(slip.path, ".js").split("-") : [];
  const likeness = (part) => part.split("-").filter((word) => words.includes(word)).length;
  return parts.toSorted((left, right) => likeness(right) - likeness(left));
}

// How the tests report a failure and, for all of a run, success.
const failures = [/✘ Test .* recorded an issue.* at (\w+\.swift:\d+)/, /^FAILED (.*)/m, /^✘ (.*)/m];
const successes = [/Test run with (\d+) tests? .* passed/, /^(\d+) passed, 0 failed/m];

function outcome(copy, stage, slip) {
  const folder = mkdtempSync(join(tmpdir(), "caret-slip-"));
  // Some tests run programs as another user, who must reach their files here.
  chmodSync(folder, 0o755);
  const [program, ...words] = commandOf(copy, stage, slip);
  const environment = { ...process.env, TMPDIR: folder, NO_COLOR: "1" };
  // With a sanitizer, randomized tests run a tenth of their cases. The value `none` has the same effect
  // without a sanitizer.
  if (stage.few) Object.assign(environment, { CARET_SANITIZER: "none", CARET_EVENTS: "1000", CARET_BIN: join(copy.build, "release") });
  return new Promise((resolve) => {
    const child = spawn(program, words, {
      cwd: copy.tree, env: environment, detached: true, stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let answer;
    const end = (found) => {
      answer ??= found;
      kill(-child.pid);
    };
    const limit = setTimeout(() => end({ noticedBy: `${stage.filter}: no end`, isTimeout: true }), stage.seconds * 1000);
    const read = (bytes) => {
      output = (output + bytes).slice(-200_000);
      const issue = failures.map((failure) => failure.exec(output)).find(Boolean);
      // The first failure is enough to end the run.
      if (issue) end({ noticedBy: `${stage.filter} ${issue[1]}` });
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    // Waits for `exit`, not for `close`: a program that runs longer than the tests keeps their output open.
    child.on("exit", (status, signal) => {
      clearTimeout(limit);
      setTimeout(() => {
        endStrays(copy.folder, folder);
        child.stdout.destroy();
        child.stderr.destroy();
        // Some tests make folders whose paths are too long for rmSync.
        execFileSync("rm", ["-rf", folder]);
        const count = successes.map((success) => success.exec(output)?.[1]).find(Boolean);
        if (!answer && status === 0 && Number(count) > 0) answer = {};
        resolve(answer ?? { noticedBy: `${stage.filter}: ${crash(output, signal ?? status)}` });
      }, 50);
    });
  });
}

function crash(output, end) {
  const fatal = /(\w+\.swift:\d+: Fatal error[^\n]{0,60}|✘ Test "[^"]*" failed)/.exec(output);
  return fatal ? fatal[1] : `ended with ${end}`;
}

function kill(process_) {
  try {
    process.kill(process_, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

/// Ends the processes that the tests left running: all whose program or arguments are in these folders.
function endStrays(...folders) {
  for (const name of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (Number(name) === process.pid) continue;
    try {
      const words = readlinkSync(`/proc/${name}/exe`) + "\0" + readFileSync(`/proc/${name}/cmdline`, "utf8");
      if (folders.some((folder) => words.includes(folder + "/"))) kill(Number(name));
    } catch {
      // The process has ended, or it belongs to the kernel.
    }
  }
}
