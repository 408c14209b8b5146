// Finds places where a slip can be planted.
//
// A slip is a small plausible mistake: `<` for `<=`, a dropped call, a condition that is never true. `candidates` finds
// them with regular expressions, after comments and strings are blanked. It does not know types. swift.mjs and
// javascript.mjs have what differs between the languages.
import { javascript } from "./javascript.mjs";
import { swift } from "./swift.mjs";

export const languageOf = (path) => (path.endsWith(".swift") ? swift : javascript);

/// The source with spaces for comments and underscores for strings. Offsets and lines do not change.
export function masked(source, language) {
  const out = source.split("");
  const blank = (from, to, letter) => {
    for (let i = from; i < to; i += 1) if (out[i] !== "\n") out[i] = letter;
  };
  let at = 0;
  while (at < source.length) {
    const comment = endOfComment(source, at, language);
    const end = comment ?? language.endOfString(source, at) ?? at;
    blank(at, end, comment === undefined ? "_" : " ");
    at = Math.max(end, at + 1);
  }
  return out.join("");
}

function endOfComment(source, at, { nestsComments }) {
  if (source.startsWith("//", at)) {
    const end = source.indexOf("\n", at);
    return end < 0 ? source.length : end;
  }
  if (!source.startsWith("/*", at)) return undefined;
  let depth = 1;
  let end = at + 2;
  while (depth > 0 && end < source.length) {
    if (nestsComments && source.startsWith("/*", end)) (depth += 1), (end += 2);
    else if (source.startsWith("*/", end)) (depth -= 1), (end += 2);
    else end += 1;
  }
  return end;
}

export const withSlip = (source, slip) => source.slice(0, slip.from) + slip.text + source.slice(slip.to);

/// All slips of a file, at most one of a kind in a line: {path, line, last, column, kind, from, to, text, show,
/// original}.
export function candidates(path, source) {
  const language = languageOf(path);
  if (language.leftAloneFile.test(path)) return [];
  const blanked = masked(source, language);
  const lines = blanked.split("\n");
  const originals = source.split("\n");
  const skipped = linesLeftAlone(lines, language);
  const found = [];
  let offset = 0;
  lines.forEach((line, index) => {
    const start = offset;
    offset += line.length + 1;
    if (skipped.has(index) || !line.trim() || language.declaration.test(line) || language.leftAlone.test(line)) return;
    for (const [kind, { pattern, excludes, slip }] of Object.entries(language.kinds)) {
      if (excludes?.test(line)) continue;
      const matches = [...line.matchAll(pattern)];
      if (matches.length === 0) continue;
      const match = matches[(index * 7) % matches.length];
      const planted = slip(match);
      const from = start + match.index;
      const to = planted.takesCondition ? endOfBracket(blanked, from) : from + match[0].length;
      if (planted.keeps) {
        // Copy the condition from the source, because its strings are blanked in the match.
        planted.text = planted.text.replace(match[1], () => source.slice(from, to));
        planted.show = planted.show.replace(match[1], () => source.slice(from, to));
      }
      found.push({ path, line: index + 1, last: index + 1, kind, from, to, ...planted });
    }
  });
  return found.concat(statements(path, source, lines, skipped, language)).map((slip) => ({
    ...slip,
    column: slip.from - blanked.lastIndexOf("\n", slip.from - 1),
    original: originals[slip.line - 1].trim(),
  }));
}

/// The offset of the bracket that closes the one before this offset.
function endOfBracket(blanked, at) {
  let depth = 1;
  let end = at;
  for (; end < blanked.length; end += 1) {
    if ("({[".includes(blanked[end])) depth += 1;
    else if (")}]".includes(blanked[end])) depth -= 1;
    if (depth === 0) break;
  }
  return end;
}

/// The lines that get no slip: the bodies of functions that only check or hash, and the further lines of a
/// statement that is left alone.
function linesLeftAlone(lines, { leftAlone, leftAloneFunction }) {
  const skipped = new Set();
  let end;
  lines.forEach((line, index) => {
    if (end === undefined && leftAloneFunction.test(line) && /\{$/.test(line)) end = /^\s*/.exec(line)[0] + "}";
    if (end !== undefined) skipped.add(index);
    if (line === end) end = undefined;
    if (leftAlone.test(line) && /[({[]$/.test(line)) {
      const indent = /^\s*/.exec(line)[0].length;
      for (let next = index + 1; next < lines.length; next += 1) {
        skipped.add(next);
        if (/^\s*/.exec(lines[next])[0].length <= indent && lines[next].trim()) break;
      }
    }
  });
  return skipped;
}

/// Slips that each drop a statement. Only statements that share their lines with no other code get such a
/// slip.
function statements(path, source, lines, skipped, language) {
  const { leftAlone, declaration, leaving, call, assignment } = language;
  const found = [];
  const open = [];
  let offset = 0;
  let previous = "";
  lines.forEach((line, index) => {
    const start = offset;
    offset += line.length + 1;
    const text = line.trim();
    const begins = open.at(-1) === "{" && (/[{};)\]\w"?!_]$/.test(previous) || /\bin$|:$/.test(previous)) && !/^[.?:&|+=,)\]}-]/.test(text);
    if (text && begins && !skipped.has(index) && !leftAlone.test(line) && !declaration.test(line)) {
      const last = lastLine(lines, index);
      const whole = lines.slice(index, last + 1).join("\n").trim();
      const kind = leaving.test(whole) ? "leaving" : call.test(whole) ? "call" : assignment.test(whole) ? "assignment" : undefined;
      const isContinued = /^\s*[.?:&|+]/.test(lines[last + 1] ?? "") || /[=,:(]$|&&$|\|\|$/.test(previous);
      if (kind && !isContinued && !leftAlone.test(whole) && !language.isNeeded(kind, lines, index)) {
        const from = start + line.indexOf(text);
        const to = start + lines.slice(index, last + 1).join("\n").length;
        const shown = source.slice(from, to).replace(/\s+/g, " ").trim();
        found.push({
          path, line: index + 1, last: last + 1, kind, from, to,
          text: language.dropped(source.slice(from, to).trim()),
          show: `dropped: ${shown.length > 60 ? shown.slice(0, 59) + "…" : shown}`,
        });
      }
    }
    for (const letter of line) {
      if ("({[".includes(letter)) open.push(letter);
      else if (")}]".includes(letter)) open.pop();
    }
    if (text) previous = text;
  });
  return found;
}

/// The last line of the statement that begins on this line: the line that closes all its brackets.
function lastLine(lines, first) {
  let depth = 0;
  for (let index = first; index < Math.min(lines.length, first + 12); index += 1) {
    for (const letter of lines[index]) {
      if ("({[".includes(letter)) depth += 1;
      else if (")}]".includes(letter)) depth -= 1;
    }
    if (depth <= 0) return index;
  }
  return first;
}
