import { RE2JS, RE2JSException, RE2Set } from 're2js'
import type { Work } from '../work.js'
import type { PatternReader } from './applicable.js'
import { instructionsIn } from './pattern-size.js'

/** Limits: characters of a pattern, and instructions of a compiled pattern. */
const MAX_PATTERN_LENGTH = 1_000
const MAX_INSTRUCTIONS = 5_000

/** Memory limit for the states that the engine caches while it reads texts. */
const AUTOMATON_BYTES = 64 * 1024
const BYTES_OF_AN_INSTRUCTION = 500

/** Cost of compiling a pattern: a base, and a part for each instruction. A Unicode class adds hundreds of ranges to an instruction. */
const UNITS_TO_COMPILE = 5_000
const UNITS_OF_AN_INSTRUCTION = 400
const UNITS_OF_A_UNICODE_INSTRUCTION = 3_000

/**
 * Cost of a character. A pattern that is not deterministic costs more: each instruction is paid for at each character.
 */
const UNITS_OF_A_CHARACTER = 2
const UNITS_OF_A_STEP = 2.5

/** Thrown for a pattern that the linear-time engine does not support. The message completes "pattern …". */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/**
 * A regular expression that matches in time linear to its input, so that no pattern can hang the service. The engine is RE2:
 * ECMA-262 syntax without backreferences and lookaround, repetitions up to 1,000, and `\s` is ASCII white space.
 */
export class LinearRegExp {
  /** Instructions of the compiled pattern. */
  readonly size: number
  /** Maximum of memory that the pattern may use. */
  readonly bytes: number
  readonly #deterministic: boolean
  readonly #automaton: RE2Set

  /**
   * @param whole whether the pattern must match the whole text, not only a part of it
   * @param work the budget for compiling
   * @throws PatternError when the pattern is too long or not supported
   */
  constructor(source: string, work: Work, whole = false) {
    if (source.length > MAX_PATTERN_LENGTH) {
      throw new PatternError(`must not be longer than ${MAX_PATTERN_LENGTH} characters`)
    }
    // The size is estimated before compiling, since a few characters can produce a million instructions.
    const instructions = instructionsIn(source)
    if (instructions > 2 * MAX_INSTRUCTIONS) throw new PatternError('is too complex')
    const unicode = /\\[pP]/.test(source)
    work.spend(UNITS_TO_COMPILE + instructions * (unicode ? UNITS_OF_A_UNICODE_INSTRUCTION : UNITS_OF_AN_INSTRUCTION))
    const { size, deterministic, automaton } = compile(source, whole)
    if (size > MAX_INSTRUCTIONS) throw new PatternError('is too complex')
    this.size = size
    this.bytes = AUTOMATON_BYTES + size * BYTES_OF_AN_INSTRUCTION
    this.#deterministic = deterministic
    this.#automaton = automaton
  }

  /** Whether the text matches. Spends units of `work`. */
  test(text: string, work: Work): boolean {
    const { length } = text
    work.spend(
      this.#deterministic ? UNITS_OF_A_CHARACTER * (length + this.size) : UNITS_OF_A_STEP * (length + 1) * this.size,
    )
    return this.#automaton.match(text).length > 0
  }
}

function compile(source: string, whole: boolean): { size: number; deterministic: boolean; automaton: RE2Set } {
  try {
    const translated = RE2JS.translateRegExp(source)
    const program = RE2JS.compile(translated)
    const automaton = new RE2Set(whole ? RE2Set.ANCHOR_BOTH : RE2Set.UNANCHORED, 0, AUTOMATON_BYTES)
    automaton.add(translated)
    return { size: program.programSize(), deterministic: program.re2Input.onepass !== null, automaton }
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new PatternError('is not a regular expression that can be matched in linear time', { cause: error })
  }
}

/** The PatternReader for walks over a schema: compiles a pattern with the linear-time engine. */
export const linearPattern: PatternReader = (source, work) => new LinearRegExp(source, work)
