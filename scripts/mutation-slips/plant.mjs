// Makes a copy of the repository with slips in its sources, and builds it.
//
// One build has every slip in Swift: `a < b` becomes `a <^~ b`, a new operator that checks whether its slip is active.
// A file beside the copy has the number of the active slip. An environment variable would not work, because
// tests start programs with their own environment. A slip in JavaScript is written into the copy while it is active.
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync, existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { withSlip } from "./scan.mjs";

/// How often slips are removed from a target because it does not compile.
const mostRounds = 4;

export class Copy {
  constructor(root, folder) {
    this.root = root;
    this.folder = folder;
    this.tree = join(folder, "tree");
    this.build = join(folder, "build");
    this.numberFile = join(folder, "slip");
    this.rejectedFile = join(folder, "rejected.json");
    mkdirSync(this.tree, { recursive: true });
    this.rejected = new Set(existsSync(this.rejectedFile) ? JSON.parse(readFileSync(this.rejectedFile, "utf8")) : []);
  }

  /// Activates this slip in every process of the copy from now on; 0 activates no slip.
  choose(number) {
    writeFileSync(this.numberFile, `${number}\n`);
  }

  isRejected(slip) {
    return this.rejected.has(keyOf(slip));
  }

  reject(slips) {
    for (const slip of slips) this.rejected.add(keyOf(slip));
    writeFileSync(this.rejectedFile, JSON.stringify([...this.rejected].sort(), null, 1));
  }

  /// Copies all tracked and new files, except the sources of `targets`. Unchanged files are not written, so
  /// that few files are compiled again. The package of the copy has only these test targets.
  refresh(targets, testTargets) {
    const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: this.root });
    const paths = list.toString().split("\0").filter((path) => path && existsSync(join(this.root, path)));
    for (const path of paths) {
      if (path.endsWith(".swift") && targets.some((target) => path.startsWith(`Sources/${target}/`))) continue;
      const from = join(this.root, path);
      const to = join(this.tree, path);
      mkdirSync(dirname(to), { recursive: true });
      const found = lstatSync(from);
      if (found.isSymbolicLink()) {
        if (!lstatSync(to, { throwIfNoEntry: false })) symlinkSync(readlinkSync(from), to);
      } else {
        const bytes = readFileSync(from);
        const change = { "Package.swift": packageOfCopy, "scripts/bundle-page": bundlerOfCopy }[path];
        write(to, change ? Buffer.from(change(bytes.toString(), testTargets)) : bytes, found.mode);
      }
    }
    this.removeOthers(new Set(paths));
  }

  /// Copies the WebAssembly module that the tests of the scripts load. It has no slips.
  copyModule() {
    execFileSync("scripts/build-wasm", { cwd: this.root, stdio: "pipe" });
    cpSync(join(this.root, ".build", "wasm"), join(this.tree, ".build", "wasm"), { recursive: true });
  }

  /// Writes a script with a slip, or without one if `isActive` is false.
  plantScript(slip, isActive) {
    const source = readFileSync(join(this.root, slip.path), "utf8");
    const text = Buffer.from(isActive ? withSlip(source, slip) : source);
    write(join(this.tree, slip.path), text, 0o644);
    const copied = slip.path.replace("Clients/javascript/", ".build/wasm/caret/");
    if (existsSync(join(this.tree, copied))) write(join(this.tree, copied), text, 0o644);
  }

  /// Builds the server with the scripts of the copy, because browsers get them from the server.
  buildPage() {
    execFileSync("scripts/bundle-page", { cwd: this.tree, stdio: "pipe" });
    execFileSync("swift", ["build", "-c", "release", "--package-path", this.tree, "--scratch-path", this.build, "--product", "caretd"], { stdio: "pipe" });
  }

  removeOthers(paths) {
    const listed = execFileSync("find", [this.tree, "-path", join(this.tree, ".build"), "-prune", "-o", "(", "-type", "f", "-o", "-type", "l", ")", "-print0"]);
    for (const path of listed.toString().split("\0").filter(Boolean)) {
      const name = path.slice(this.tree.length + 1);
      if (!paths.has(name) && !name.endsWith("/Slip.swift")) rmSync(path);
    }
  }

  /// Writes the sources of a target with these slips.
  plant(target, sources, slips) {
    for (const path of sources) {
      const source = readFileSync(join(this.root, path), "utf8");
      const planted = withSlips(source, slips.filter((slip) => slip.path === path));
      // An inlinable function cannot call `slip`, so the attribute is removed.
      write(join(this.tree, path), Buffer.from(planted.replace(/@inlinable /g, "")), 0o644);
    }
    write(join(this.tree, "Sources", target, "Slip.swift"), Buffer.from(slipFile(this.numberFile, slips)), 0o644);
  }

  /// Plants the slips and builds the tests. Removes the slips that do not compile, until the build succeeds.
  /// Returns the other slips. Each plan has a target, the paths of its sources, and its slips.
  buildTests(plans) {
    const rounds = new Map();
    for (;;) {
      for (const { target, sources, slips } of plans) this.plant(target, sources, slips);
      const options = ["-c", "release", "--package-path", this.tree, "--scratch-path", this.build, "--product", "caretPackageTests"];
      const { status, signal, stdout, stderr } = spawnSync("swift", ["build", ...options], { encoding: "utf8", maxBuffer: 1 << 28 });
      if (status === 0) return plans;
      const output = stdout + stderr;
      let isStuck = true;
      plans = plans.map((plan) => {
        const round = rounds.get(plan.target) ?? 1;
        const wrong = wrongSlips(output, this.tree, plan.slips, round);
        if (wrong.length === 0 || round > mostRounds) return plan;
        isStuck = false;
        rounds.set(plan.target, round + 1);
        this.reject(wrong);
        console.log(`${plan.target}: ${wrong.length} of ${plan.slips.length} slips do not compile`);
        return { ...plan, slips: plan.slips.filter((slip) => !wrong.includes(slip)) };
      });
      if (isStuck) throw new Error(`the copy does not build (${signal ?? status}):\n${output.slice(-4000)}`);
    }
  }
}

const keyOf = (slip) => `${slip.path} | ${slip.kind} | ${slip.original}`;

function packageOfCopy(text, testTargets) {
  return text
    .replace(/^ {8}\.testTarget\(\s*name: "(\w+)"[^]*?\),\n(?= {8}\.| {4}\])/gm, (block, name) => (testTargets.includes(name) ? block : ""))
    // A slip may cause a warning about an unused value, so warnings must not be errors.
    .replace(/ *\.treatAllWarnings\(.*\n/, "");
}

/// A slip may make the page larger.
function bundlerOfCopy(text) {
  return text.replace(/^limit=.*$/m, "limit=$((1 << 30))");
}

function write(path, bytes, mode) {
  if (existsSync(path) && readFileSync(path).equals(bytes)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes, { mode });
}

/// The slips that the compiler rejects. The compiler may report an error in a line without a slip, such as a
/// missing `return`. In the first two rounds, the nearest slip before this line counts as rejected. From the
/// third round on, all slips of the file count as rejected.
function wrongSlips(output, tree, slips, round) {
  const wrong = new Set();
  for (const [, path, text] of output.matchAll(/^(\S+\.swift):(\d+):\d+: error:/gm)) {
    if (!path.startsWith(tree)) continue;
    const line = Number(text);
    const near = slips.filter((slip) => slip.path === path.slice(tree.length + 1));
    const here = near.filter((slip) => slip.line <= line && line <= slip.last);
    const before = near.filter((slip) => slip.line <= line && line - slip.line < 60).sort((a, b) => b.line - a.line);
    const found = round > 2 && here.length === 0 ? near : here.length > 0 ? here : before.slice(0, 1);
    (found.length > 0 ? found : near).forEach((slip) => wrong.add(slip));
  }
  return [...wrong];
}

function withSlips(source, slips) {
  return [...slips]
    .sort((left, right) => right.from - left.from)
    .reduce((text, slip) => text.slice(0, slip.from) + filled(slip.text, slip) + text.slice(slip.to), source);
}

const filled = (text, slip) => text.replace("$n", slip.number).replace("$o", () => operatorOf(slip));

/// A unique operator for a slip: the original operator, then the slip's number in base 4, with `%^~|` as its
/// digits.
const operatorOf = ({ form, number }) =>
  (form.infix ?? form.prefix) + [...number.toString(4)].map((digit) => "%^~|"[digit]).join("");

function slipFile(numberFile, slips) {
  return `import Glibc

private let madeSlip: Int = {
    let file = Glibc.open(${JSON.stringify(numberFile)}, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 0 }
    defer { Glibc.close(file) }
    var digits: [UInt8] = Array(repeating: 0, count: 16)
    let count = Glibc.read(file, &digits, 16)
    return digits.prefix(count).reduce(0) { $1 >= 48 && $1 < 58 ? $0 * 10 + Int($1) - 48 : $0 }
}()
@inline(__always) func slip(_ number: Int) -> Bool { madeSlip == number }
extension Bool {
    @inline(__always) func slipped(_ number: Int) -> Bool { slip(number) ? !self : self }
}
extension BidirectionalCollection {
    @inline(__always) func firstSlipped(_ number: Int) -> Element? { slip(number) ? last : first }
    @inline(__always) func lastSlipped(_ number: Int) -> Element? { slip(number) ? first : last }
    @inline(__always) func prefixSlipped(_ number: Int, _ count: Int) -> SubSequence {
        slip(number) ? suffix(count) : prefix(count)
    }
    @inline(__always) func suffixSlipped(_ number: Int, _ count: Int) -> SubSequence {
        slip(number) ? prefix(count) : suffix(count)
    }
}
${slips.map(declaration).join("")}`;
}

/// The declaration that the slip of an operator or a function needs in the slip file.
function declaration(slip) {
  const { form, number } = slip;
  if (form?.extremum) {
    return `@inline(__always) func ${form.extremum}Slip${number}<T: Comparable>(_ a: T, _ b: T) -> T {
    slip(${number}) ? Swift.${form.other}(a, b) : Swift.${form.extremum}(a, b)
}
`;
  }
  if (form?.prefix) {
    const name = operatorOf(slip);
    return `prefix operator ${name}
@inline(__always) prefix func ${name} (a: Bool) -> Bool { slip(${number}) ? a : !a }
`;
  }
  if (!form) return "";
  const name = operatorOf(slip);
  const head = `infix operator ${name}: ${form.precedence}\n@inline(__always) func ${name}`;
  const choice = (made, meant) => `slip(${number}) ? ${made} : ${meant}`;
  const meant = `a ${form.infix} b`;
  const made = form.other === "none" ? "a" : `a ${form.other} b`;
  if (form.precedence.startsWith("Logical")) {
    const value = `slip(${number}) ? try (${made.replace(" b", " b()")}) : try (${meant.replace(" b", " b()")})`;
    return `${head} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool { ${value} }\n`;
  }
  if (form.precedence === "AdditionPrecedence") {
    return `${head} <T: AdditiveArithmetic>(a: T, b: T) -> T { ${choice(made, meant)} }\n`;
  }
  if (form.infix !== "==" && form.infix !== "!=") {
    return `${head} <T: Comparable>(a: T, b: T) -> Bool { ${choice(made, meant)} }\n`;
  }
  return `${head} <T: Equatable>(a: T, b: T) -> Bool { ${choice(made, meant)} }
@inline(__always) func ${name} <T>(a: T?, b: _OptionalNilComparisonType) -> Bool { ${choice(made, meant)} }
`;
}
