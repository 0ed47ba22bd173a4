// Regular expressions whose time is proportional to the lengths of the text and of the expression.
//
// The browser's take exponential time for some, and a page cannot interrupt them. This one knows neither references
// back nor assertions about what surrounds a match, other than `^ $ \b \B`.

/** The size of an expression, and of what is remembered about it, in instructions. */
const LIMITS = { instructions: 2000, remembered: 1 << 20 };
/** The steps to find out whether a text matches, and to find all matches: a character is one, an instruction several. */
const STEPS = { test: 8 << 20, matches: 1 << 20, instruction: 8 };
const TOKENS = [
  /\(\?:|\(\?<\w+>|\(\?|[()|^$]/, /[*+?]\??|\{\d+(?:,\d*)?\}\??/, /\[(?:\\.|[^\]\\])*\]/,
  /\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|p\{[^}]*\}|c[a-z]|k<\w+>|\d+|.)/, /[^]/];
const TOKEN = new RegExp(TOKENS.map(token => token.source).join("|"), "giu");
const QUANTIFIER = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})(\??)$/;
const isWord = character => /^\w$/.test(character);

/**
 * An expression that searches and matches like a `RegExp` with the flags `giu`. Its instructions `{ next }` continue
 * with any of the next ones, in order of preference: at once, if an `assertion` holds, or after a character that a
 * `pattern` matches. One without `next` ends a match.
 */
export class Automaton {
  #tokens;
  #instructions = [];
  #first;
  #states = new Map();
  #rememberedCount = 0;
  /** Whether the latest test ended before the text. */
  isCut = false;

  /** Throws an error that says why the source is invalid. */
  constructor(source) {
    try {
      new RegExp(source, "iu");
    } catch ({ message }) {
      throw new Error(message.replace(/^Invalid regular expression: (?:\/.*\/\w*: )?/s, ""));
    }
    this.#tokens = (source.match(TOKEN) ?? []).toReversed();
    this.#first = this.#parse()(this.#add({}));
  }

  /** Whether a text contains a match. */
  test(text) {
    const budget = { steps: STEPS.test };
    const isMatch = this.#run(text, 0, true, budget) >= 0;
    this.isCut = budget.steps < 0;
    return isMatch;
  }

  [Symbol.search](text) {
    return this[Symbol.matchAll](text).next().value?.index ?? -1;
  }

  /** The matches in order. Stops early if they take many steps to find. */
  *[Symbol.matchAll](text) {
    const budget = { steps: STEPS.matches };
    if (this.#run(text, 0, true, budget) < 0) return;
    for (let index = 0; index <= text.length && budget.steps > 0;) {
      const end = this.#run(text, index, false, budget);
      if (end > index) yield { 0: text.slice(index, end), index };
      index = Math.max(end, index + (text.codePointAt(index) > 0xffff ? 2 : 1));
    }
  }

  // MARK: Compiling. A part is a function that adds instructions before `next`, and returns the first one.

  #add(instruction) {
    if (this.#instructions.length === LIMITS.instructions) throw new Error("It is too long");
    return this.#instructions.push(instruction) - 1;
  }

  #parse() {
    const options = [[]];
    for (let token; (token = this.#tokens.pop()) !== undefined && token !== ")";) {
      if (token === "|") options.push([]);
      else options.at(-1).push(this.#quantified(this.#part(token)));
    }
    const sequence = parts => next => parts.reduceRight((next, part) => part(next), next);
    return next => this.#add({ next: options.map(parts => sequence(parts)(next)) });
  }

  #part(token) {
    if (token === "(?") throw new Error("Only groups of the form (?: or (?<name> are supported");
    if (/^\\(?:[1-9]|k)/.test(token)) throw new Error(`${token} is not supported`);
    if (token[0] === "(") return this.#parse();
    const isAssertion = ["^", "$", "\\b", "\\B"].includes(token);
    const test = isAssertion ? { assertion: token } : { pattern: new RegExp(`^${token}$`, "iu") };
    return next => this.#add({ ...test, next: [next] });
  }

  #quantified(part) {
    const match = QUANTIFIER.exec(this.#tokens.at(-1) ?? "");
    if (!match) return part;
    this.#tokens.pop();
    const [, sign, digits, comma, most, lazy] = match;
    const least = sign ? Number(sign === "+") : Number(digits);
    const maximum = sign ? (sign === "?" ? 1 : Infinity) : most ? Number(most) : comma ? Infinity : least;
    const inOrder = next => (lazy ? next.reverse() : next);
    return next => {
      let first = next;
      if (maximum === Infinity) {
        first = this.#add({});
        this.#instructions[first].next = inOrder([part(first), next]);
      } else {
        for (let count = least; count < maximum; count += 1) first = this.#add({ next: inOrder([part(first), next]) });
      }
      for (let count = 0; count < least; count += 1) first = part(first);
      return first;
    };
  }

  // MARK: Running

  /** The end of a match that begins at an index, or if `isAnywhere`, of any match after it; -1 without a match. */
  #run(text, start, isAnywhere, budget) {
    let code = start ? text.codePointAt(start - 1) : undefined;
    let state = this.#state([this.#first], start ? isWord(String.fromCodePoint(code)) : undefined, isAnywhere);
    let last = -1;
    for (let index = start; state.threads.length; index += code > 0xffff ? 2 : 1) {
      code = text.codePointAt(index);
      let move = state.moves.get(code);
      if (!move) {
        state.moves.set(code, move = this.#move(state, code, isAnywhere));
        budget.steps -= STEPS.instruction * this.#instructions.length;
      }
      if (move.isMatch) last = index;
      budget.steps -= 1;
      if (code === undefined || (isAnywhere && move.isMatch) || budget.steps < 0) break;
      state = move.state;
    }
    return last;
  }

  /** A state: the instructions to try in order of preference, and whether the character before is of a word. */
  #state(threads, isAfterWord, isAnywhere) {
    const key = `${threads} ${isAfterWord} ${isAnywhere}`;
    if (!this.#states.has(key)) this.#states.set(key, { threads, isAfterWord, moves: new Map() });
    return this.#states.get(key);
  }

  #move({ threads, isAfterWord }, code, isAnywhere) {
    const character = code === undefined ? "" : String.fromCodePoint(code);
    const isBeforeWord = isWord(character);
    const isBoundary = Boolean(isAfterWord) !== isBeforeWord;
    const holds = { "^": isAfterWord === undefined, $: code === undefined, "\\b": isBoundary, "\\B": !isBoundary };
    const following = new Set();
    const seen = new Set();
    const stack = threads.toReversed();
    let isMatch = false;
    while (stack.length && !isMatch) {
      const place = stack.pop();
      if (seen.has(place)) continue;
      seen.add(place);
      const { pattern, assertion, next } = this.#instructions[place];
      if (!next) isMatch = true;
      else if (pattern?.test(character)) following.add(next[0]);
      else if (!pattern && (!assertion || holds[assertion])) stack.push(...next.toReversed());
    }
    if (isAnywhere) following.add(this.#first);
    this.#rememberedCount += seen.size;
    if (this.#rememberedCount > LIMITS.remembered) {
      this.#states.clear();
      this.#rememberedCount = 0;
    }
    return { isMatch, state: this.#state([...following], isBeforeWord, isAnywhere) };
  }
}
