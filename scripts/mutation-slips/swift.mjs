// Where slips can be planted in Swift. scan.mjs looks for them. The compiler rejects slips that do not fit, and plant.mjs
// removes them.

const comparisons = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==" };

/// For each kind the pattern of a line, and the slip for a match: `text` replaces the match, `show` describes the slip.
/// `$n` is the number of the slip, `$o` its operator.
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

export const swift = {
  endOfString,
  nestsComments: true,
  kinds,
  /// Lines that get no slip, because they only check invariants, write the log, or make something faster.
  leftAlone:
    /\b(precondition\w*|assert\w*|fatalError|dispatchPrecondition|check(?:ed)?Invariants|invariantsHold|reserveCapacity|keepingCapacity|isTraced|LogEvent|log\.write|availableCapacity|minimumCapacity|_fastPath|_slowPath|unsafe\w*)\b/i,
  declaration:
    /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:package|public|private|fileprivate|internal|static|mutating|final|override|nonisolated|indirect|convenience|prefix|postfix|infix)\s+)*(?:func|init[?(<]|subscript|struct|class|enum|protocol|extension|actor|typealias|associatedtype|import|where|operator|precedencegroup|#)/,
  leftAloneFunction: /\bfunc (?:checkInvariants|hash|reserveCapacity)\b/,
  leftAloneFile: /Invariants?\.swift$/,
  call: /^(?:try |await )*(?:_ = )?(?!return\b|throw\b|if\b|guard\b|let\b|var\b|switch\b|case\b|for\b|while\b|super\b|init\b|defer\b|self\.init\b)[\w.]+(?:[?!])?(?:[.\w?!]|\[[^\]]*\])*\([^{]*\)$/s,
  assignment: /^(?!let\b|var\b|case\b|return\b|if\b|for\b|guard\b)[\w.?!]+(?:\[[^\]=]*\])?[\w.?!]* (?:[-+|&^*]?=) [^{}]*$/s,
  leaving: /^(?:return|continue|throw [^{}]*)$/s,
  isNeeded,
  dropped: (statement) => `if !slip($n) { ${statement} }`,
};

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
