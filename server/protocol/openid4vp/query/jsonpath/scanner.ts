import type { Work } from '../../../work.js'

/** A path that is no JSONPath of RFC 9535 or exceeds the limits. The message completes "path …". */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError'
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '/': '/', '\\': '\\' }

const NAME = /[A-Za-z_\u0080-\uD7FF\uE000-\u{10FFFF}][A-Za-z0-9_\u0080-\uD7FF\uE000-\u{10FFFF}]*/uy
const INTEGER = /0|-?[1-9][0-9]*/y
const NUMBER = /(?:-?0|-?[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const FUNCTION_NAME = /[a-z][a-z0-9_]*(?=\()/y
const BLANKS = /[ \t\n\r]*/y
const LONE_SURROGATE = /\p{Surrogate}/u
const UNICODE_ESCAPE = /u([0-9A-Fa-f]{4})/y

/** Reads the tokens of RFC 9535 Appendix A, one after the other. */
export class Scanner {
  position = 0

  /** @param work the budget for patterns that are compiled from the text */
  constructor(
    readonly text: string,
    readonly work: Work,
  ) {}

  get atEnd(): boolean {
    return this.position >= this.text.length
  }

  /** Whether the text continues with this token. */
  sees(token: string): boolean {
    return this.text.startsWith(token, this.position)
  }

  /** Reads a token if the text continues with this token. Returns whether the token was read. */
  takes(token: string): boolean {
    if (!this.sees(token)) return false
    this.position += token.length
    return true
  }

  /** Reads a token, or refuses the path. */
  expect(token: string): void {
    if (!this.takes(token)) this.refuse()
  }

  skipBlanks(): void {
    this.#match(BLANKS)
  }

  /** A member name in shorthand notation (§2.5.1.1); undefined if there is none. */
  name(): string | undefined {
    return this.#match(NAME)
  }

  /** The name of a function, if `(` follows it (§2.4). */
  functionName(): string | undefined {
    return this.#match(FUNCTION_NAME)
  }

  /** An index or a bound of a slice (§2.3.3.1); undefined if there is none. */
  integer(): number | undefined {
    const digits = this.#match(INTEGER)
    if (digits === undefined) return undefined
    const value = Number(digits)
    // §2.1: integers lie within the range that I-JSON can express exactly.
    if (!Number.isSafeInteger(value)) throw new JsonPathError('has an integer beyond ±(2^53 − 1)')
    return value
  }

  /** A number literal (§2.3.5.1); undefined if there is none. */
  number(): number | undefined {
    const digits = this.#match(NUMBER)
    return digits === undefined ? undefined : Number(digits)
  }

  /** A string literal in single or double quotes (§2.3.1.1); undefined if there is none. */
  string(): string | undefined {
    const quote = this.sees("'") ? "'" : '"'
    if (!this.takes(quote)) return undefined
    let value = ''
    while (!this.takes(quote)) value += this.takes('\\') ? this.#escaped(quote) : this.#unescaped()
    if (LONE_SURROGATE.test(value)) this.refuse()
    return value
  }

  /** @throws JsonPathError that names the position where reading stopped */
  refuse(): never {
    throw new JsonPathError(`is no JSONPath of RFC 9535 at character ${this.position + 1}`)
  }

  #escaped(quote: string): string {
    const code = this.#match(UNICODE_ESCAPE)
    if (code !== undefined) return this.#unicode(Number.parseInt(code.slice(1), 16))
    const character = this.text[this.position] ?? this.refuse()
    this.position += 1
    if (character === quote) return quote
    return (Object.hasOwn(ESCAPES, character) ? ESCAPES[character] : undefined) ?? this.refuse()
  }

  /** A surrogate is written as a pair of escapes (§2.3.1.1). */
  #unicode(code: number): string {
    if (code < 0xd800 || code > 0xdfff) return String.fromCharCode(code)
    const low = code < 0xdc00 && this.takes('\\') ? this.#match(UNICODE_ESCAPE) : undefined
    const lowCode = low === undefined ? 0 : Number.parseInt(low.slice(1), 16)
    if (lowCode < 0xdc00 || lowCode > 0xdfff) this.refuse()
    return String.fromCharCode(code, lowCode)
  }

  #unescaped(): string {
    const character = this.text[this.position] ?? this.refuse()
    if (character < ' ') this.refuse()
    this.position += 1
    return character
  }

  #match(token: RegExp): string | undefined {
    token.lastIndex = this.position
    const found = token.exec(this.text)?.[0]
    if (found === undefined) return undefined
    this.position += found.length
    return found
  }
}
