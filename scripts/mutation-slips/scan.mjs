// Finds places in Swift sources where a slip can be planted.
//
// A slip is a small plausible mistake: `<` for `<=`, a dropped call, a condition that is never true. `candidates` finds
// them with regular expressions, after comments and strings are blanked. It does not know types. The compiler rejects
// slips that do not fit, and `plant.mjs` removes them.

/// The source with spaces for comments and underscores for strings. Offsets and lines do not change.
export function masked(source) {
  const out = source.split("");
  const blank = (from, to, letter) => {
    for (let i = from; i < to; i += 1) if (out[i] !== "\n") out[i] = letter;
  };
  let at = 0;
  while (at < source.length) {
    const comment = endOfComment(source, at);
    const end = comment ?? endOfString(source, at) ?? at;
    blank(at, end, comment === undefined ? "_" : " ");
    at = Math.max(end, at + 1);
  }
  return out.join("");
}

function endOfComment(source, at) {
  if (source.startsWith("//", at)) {
    const end = source.indexOf("\n", at);
    return end < 0 ? source.length : end;
  }
  if (!source.startsWith("/*", at)) return undefined;
  let depth = 1;
  let end = at + 2;
  while (depth > 0 && end < source.length) {
    if (source.startsWith("/*", end)) (depth += 1), (end += 2);
    else if (source.startsWith("*/", end)) (depth -= 1), (end += 2);
    else end += 1;
  }
  return end;
}

/// The end of the string or regular expression that begins at this offset; undefined if none begins there.
function endOfString(source, at) {
  const head = /^(#*)("""|"|\/)/.exec(source.slice(at, at + 12));
  if (!head || (head[2] === "/" && head[1] === "")) return undefined;
  const [, hashes, quote] = head;
  const escape = "\\" + hashes;
  let end = at + head[0].length;
  while (end < source.length) {
    if (source.startsWith(quote + hashes, end)) return end + quote.length + hashes.length;
    if (source.startsWith(escape + "(", end)) end = endOfInterpolation(source, end + escape.length + 1);
    else if (source.startsWith(escape, end)) end += escape.length + 1;
    else end += 1;
  }
  return end;
}

function endOfInterpolation(source, at) {
  let depth = 1;
  let end = at;
  while (depth > 0 && end < source.length) {
    const string = endOfString(source, end);
    if (string !== undefined) {
      end = string;
      continue;
    }
    if (source[end] === "(") depth += 1;
    if (source[end] === ")") depth -= 1;
    end += 1;
  }
  return end;
}

// Lines that get no slip, because they only check invariants, write the log, or make something faster.
const leftAlone =
  /\b(precondition\w*|assert\w*|fatalError|dispatchPrecondition|check(?:ed)?Invariants|invariantsHold|reserveCapacity|keepingCapacity|isTraced|LogEvent|log\.write|availableCapacity|minimumCapacity|_fastPath|_slowPath|unsafe\w*)\b/i;
const declaration =
  /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:package|public|private|fileprivate|internal|static|mutating|final|override|nonisolated|indirect|convenience|prefix|postfix|infix)\s+)*(?:func|init[?(<]|subscript|struct|class|enum|protocol|extension|actor|typealias|associatedtype|import|where|operator|precedencegroup|#)/;
const leftAloneFunction = /\bfunc (?:checkInvariants|hash|reserveCapacity)\b/;
const leftAloneFile = /Invariants?\.swift$/;

const comparisons = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==" };

// For each kind: the pattern of a line, and the slip for a match. `text` replaces the match, and `show` describes the
// slip. `$n` is the number of the slip, `$o` its operator.
const kinds = {
  comparison: {
    pattern: /(?<= )(<|<=|>|>=|==|!=)(?= )/g,
    slip: (found) => operator(found, comparisons[found[1]], "ComparisonPrecedence"),
  },
  logic: {
    pattern: /(?<= |^)(&&|\|\|)(?= )/g,
    slip: (found) =>
      found[1] === "&&"
        ? operator(found, "||", "LogicalConjunctionPrecedence")
        : operator(found, "&&", "LogicalDisjunctionPrecedence"),
  },
  one: {
    pattern: /(?<= )([+-])(?= 1\b(?![.\w]))/g,
    slip: (found) => ({ ...operator(found, "none", "AdditionPrecedence"), show: `${found[1]} 1 dropped` }),
  },
  sign: {
    pattern: /(?<= )([+-])(?= (?!1\b)[\w(.])/g,
    slip: (found) => operator(found, found[1] === "+" ? "-" : "+", "AdditionPrecedence"),
  },
  negation: {
    pattern: /(?<=[ (])!(?=[\w(.])/g,
    slip: (found) => ({ text: "$o", form: { prefix: "!" }, show: "! dropped" }),
  },
  extremum: {
    pattern: /(?<![.\w])(max|min)(?=\()/g,
    slip: (found) => {
      const other = found[1] === "max" ? "min" : "max";
      return { text: `${found[1]}Slip$n`, form: { extremum: found[1], other }, show: `${found[1]} → ${other}` };
    },
  },
  literal: {
    pattern: /(?<![.\w@])(true|false)\b/g,
    excludes: /\bwhile\b|\bcase\b|@/,
    slip: (found) => ({
      text: found[1] === "true" ? "(!slip($n))" : "slip($n)",
      show: `${found[1]} → ${found[1] === "true" ? "false" : "true"}`,
    }),
  },
  isEmpty: {
    pattern: /(?<=[\w)\]?]\.isEmpty)\b(?!\()/g,
    slip: () => ({ text: ".slipped($n)", show: "isEmpty negated" }),
  },
  end: {
    pattern: /(?<=[\w)\]?])\.(first|last)\b(?!\(|\s*\{|\?? = )/g,
    slip: (found) => ({
      text: `.${found[1]}Slipped($n)`,
      show: found[1] === "first" ? "first → last" : "last → first",
    }),
  },
  portion: {
    pattern: /(?<=[\w)\]?])\.(prefix|suffix)\((?!while|upTo|through|from)/g,
    slip: (found) => ({
      text: `.${found[1]}Slipped($n, `,
      show: found[1] === "prefix" ? "prefix → suffix" : "suffix → prefix",
    }),
  },
  tie: {
    pattern: /(?<=\btie: )\.(otherFirst|selfFirst)\b/g,
    slip: (found) => {
      const other = found[1] === "otherFirst" ? "selfFirst" : "otherFirst";
      return { text: `(slip($n) ? .${other} : .${found[1]})`, show: `${found[1]} → ${other}` };
    },
  },
  guard: {
    pattern: /(?<=^\s*guard )(?!.*\b(?:let|var|case|try|await)\b|[^(]*,)(.*)(?= else \{)/g,
    // The condition is still evaluated, because it may have side effects.
    slip: (found) => ({ text: `(${found[1]}) || slip($n)`, keeps: true, show: `guard ${found[1]} dropped` }),
  },
  condition: {
    pattern: /(?<=(?:^\s*|\belse |[=(] )if )(?=\S)(?!#)/g,
    slip: () => ({ text: "!slip($n), ", show: "if never taken" }),
  },
};

function operator(found, other, precedence) {
  return { text: "$o", form: { infix: found[1], other, precedence }, show: `${found[1]} → ${other}` };
}

/// All slips of a file, at most one of a kind in a line: {path, line, last, column, kind, from, to, text, show,
/// original}.
export function candidates(path, source) {
  if (leftAloneFile.test(path)) return [];
  const blanked = masked(source);
  const lines = blanked.split("\n");
  const originals = source.split("\n");
  const skipped = linesLeftAlone(lines);
  const found = [];
  let offset = 0;
  lines.forEach((line, index) => {
    const start = offset;
    offset += line.length + 1;
    if (skipped.has(index) || !line.trim() || declaration.test(line) || leftAlone.test(line)) return;
    for (const [kind, { pattern, excludes, slip }] of Object.entries(kinds)) {
      if (excludes?.test(line)) continue;
      const matches = [...line.matchAll(pattern)];
      if (matches.length === 0) continue;
      const match = matches[(index * 7) % matches.length];
      const planted = slip(match);
      const from = start + match.index;
      const to = from + match[0].length;
      if (planted.keeps) {
        // Copy the condition from the source, because its strings are blanked in the match.
        planted.text = planted.text.replace(match[1], () => source.slice(from, to));
        planted.show = planted.show.replace(match[1], () => source.slice(from, to));
      }
      found.push({ path, line: index + 1, last: index + 1, kind, from, to, ...planted });
    }
  });
  return found.concat(statements(path, source, lines, skipped)).map((slip) => ({
    ...slip,
    column: slip.from - blanked.lastIndexOf("\n", slip.from - 1),
    original: originals[slip.line - 1].trim(),
  }));
}

/// The lines that get no slip: the bodies of functions that only check or hash, and the further lines of a
/// statement that is left alone.
function linesLeftAlone(lines) {
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

const call = /^(?:try |await )*(?:_ = )?(?!return\b|throw\b|if\b|guard\b|let\b|var\b|switch\b|case\b|for\b|while\b|super\b|init\b|defer\b|self\.init\b)[\w.]+(?:[?!])?(?:[.\w?!]|\[[^\]]*\])*\([^{]*\)$/s;
const assignment = /^(?!let\b|var\b|case\b|return\b|if\b|for\b|guard\b)[\w.?!]+(?:\[[^\]=]*\])?[\w.?!]* (?:[-+|&^*]?=) [^{}]*$/s;
const leaving = /^(?:return|continue|throw [^{}]*)$/s;

/// Slips that each drop a statement. Only statements that share their lines with no other code get such a
/// slip.
function statements(path, source, lines, skipped) {
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
      if (kind && !isContinued && !leftAlone.test(whole) && !isNeeded(kind, lines, index)) {
        const from = start + line.indexOf(text);
        const to = start + lines.slice(index, last + 1).join("\n").length;
        const shown = source.slice(from, to).replace(/\s+/g, " ").trim();
        found.push({
          path, line: index + 1, last: last + 1, kind, from, to,
          text: `if !slip($n) { ${source.slice(from, to).trim()} }`,
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

/// Whether the code cannot compile without this statement: the initial value of a property, or the statement
/// that leaves a `guard`.
function isNeeded(kind, lines, index) {
  const depth = (line) => /^\s*/.exec(line)[0].length;
  let inside = depth(lines[index]);
  for (let above = index - 1; above >= 0; above -= 1) {
    const line = lines[above];
    if (!line.trim() || depth(line) >= inside) continue;
    inside = depth(line);
    if (kind === "leaving") return /\bguard\b|^\s*else \{$|[^}] else \{$/.test(line);
    if (kind !== "assignment") return false;
    if (/\b(?:func|subscript|var)\b|\bin$/.test(line)) return false;
    if (/\binit[?(<]/.test(line)) return true;
  }
  return false;
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
