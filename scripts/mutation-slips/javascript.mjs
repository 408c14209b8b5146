// Where slips can be planted in the JavaScript of the client and the page. scan.mjs looks for them.
import { execFileSync } from "node:child_process";

const comparisons = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===" };
const ends = { ".at(-1)": ".at(0)", ".shift()": ".pop()", ".pop()": ".shift()", ".push(": ".unshift(", ".unshift(": ".push(" };
const searches = { ".some(": ".every(", ".every(": ".some(", ".find(": ".findLast(", ".findLast(": ".find(" };

const change = (from, to) => ({ text: to, show: `${from.trim()} → ${to.trim()}` });

/// For each kind the pattern of a line, and the slip for a match: `text` replaces the match, `show` describes the slip.
const kinds = {
  comparison: {
    pattern: /(?<= )(<|<=|>|>=|===|!==)(?= )/g,
    slip: ([found]) => change(found, comparisons[found]),
  },
  logic: {
    pattern: /(?<= |^)(&&|\|\|)(?= )/g,
    slip: ([found]) => change(found, found === "&&" ? "||" : "&&"),
  },
  one: {
    pattern: / [+-] 1\b(?![.\w])/g,
    slip: ([found]) => ({ text: "", show: `${found.trim()} dropped` }),
  },
  sign: {
    // Strings are underscores here, and joined strings are not a sum.
    pattern: /(?<=[a-zA-Z0-9)\]] )([+-])(?= (?!1\b)[a-zA-Z0-9(.])/g,
    slip: ([found]) => change(found, found === "+" ? "-" : "+"),
  },
  negation: {
    pattern: /(?<=[ (])!(?=[\w(.])/g,
    slip: () => ({ text: "", show: "! dropped" }),
  },
  extremum: {
    pattern: /\bMath\.(max|min)(?=\()/g,
    slip: ([found]) => change(found, found === "Math.max" ? "Math.min" : "Math.max"),
  },
  literal: {
    pattern: /(?<![.\w@])(true|false)\b/g,
    excludes: /\bwhile\b/,
    slip: ([found]) => change(found, found === "true" ? "false" : "true"),
  },
  end: {
    pattern: /\.at\(-1\)|\.shift\(\)|\.pop\(\)|\.push\((?!\.\.\.)|\.unshift\((?!\.\.\.)/g,
    slip: ([found]) => change(found, ends[found]),
  },
  search: {
    pattern: /\.(?:some|every|find|findLast)\(/g,
    slip: ([found]) => change(found, searches[found]),
  },
  condition: {
    pattern: /(?<=(?:^\s*|\belse |\} )if \()(?=\S)/g,
    slip: () => ({ text: "false", takesCondition: true, show: "if never taken" }),
  },
};

const keywords = "return|throw|if|else|let|const|var|switch|case|for|while|do|super|import|export|class|function|yield";

export const javascript = {
  endOfString,
  nestsComments: false,
  kinds,
  leftAlone: /\b(?:console\.|performance\.mark|requestIdleCallback)/,
  leftAloneFunction: /$^/,
  leftAloneFile: /$^/,
  declaration:
    /^\s*(?:import\b|export (?:\{|\*|default|class|function|async)|class\b|(?:async )?function\b|(?:static )?(?:async |get |set |\*)?(?!if\b|for\b|while\b|switch\b|catch\b)[#\w]+\([^)]*\) \{$)/,
  call: new RegExp(`^(?:await )?(?!(?:${keywords})\\b)[\\w.#]+(?:[.\\w?#]|\\[[^\\]]*\\])*\\([^{]*\\)$`, "s"),
  assignment: new RegExp(`^(?!(?:${keywords})\\b)[\\w.#]+(?:\\[[^\\]=]*\\])?[\\w.#]*(?: (?:[-+|&^*?]*=) [^{}]*|\\+\\+|--)$`, "s"),
  leaving: /^(?:return|continue|break|throw [^{}]*)$/s,
  isNeeded: () => false,
  dropped: () => ";",
};

/// The end of the string, template or regular expression that begins at this offset; undefined if none begins there.
function endOfString(source, at) {
  const quote = source[at];
  if (quote === "/") return beginsExpression(source, at) ? endOfExpression(source, at) : undefined;
  if (!["'", '"', "`"].includes(quote)) return undefined;
  let end = at + 1;
  while (end < source.length) {
    if (source[end] === quote) return end + 1;
    if (source[end] === "\\") end += 2;
    else if (quote === "`" && source.startsWith("${", end)) end = endOfPlaceholder(source, end + 2);
    else end += 1;
  }
  return end;
}

function endOfPlaceholder(source, at) {
  let depth = 1;
  let end = at;
  while (depth > 0 && end < source.length) {
    const string = endOfString(source, end);
    if (string !== undefined) {
      end = string;
      continue;
    }
    if (source[end] === "{") depth += 1;
    if (source[end] === "}") depth -= 1;
    end += 1;
  }
  return end;
}

/// Whether a slash begins a regular expression. After a value, it divides.
function beginsExpression(source, at) {
  return !/^[/*]/.test(source.slice(at + 1, at + 2)) && /(?:^|[(,=:[!&|?{};+*%<>~^\n]|\breturn|=>)[ \t]*$/.test(source.slice(Math.max(0, at - 40), at));
}

function endOfExpression(source, at) {
  let isInSet = false;
  for (let end = at + 1; end < source.length && source[end] !== "\n"; end += 1) {
    if (source[end] === "\\") end += 1;
    else if (source[end] === "[") isInSet = true;
    else if (source[end] === "]") isInSet = false;
    else if (source[end] === "/" && !isInSet) return end + 1;
  }
  return undefined;
}

/// Whether this is JavaScript. Without this check, a test would notice the slip only because the
/// file cannot be loaded.
export function parses(source) {
  try {
    execFileSync("esbuild", ["--format=esm", "--log-level=silent"], { input: source, stdio: ["pipe", "ignore", "ignore"] });
    return true;
  } catch {
    return false;
  }
}
