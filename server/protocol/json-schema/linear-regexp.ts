import { RE2JS, RE2JSException } from 're2js'
import { LruMap } from '../jose/lru-map.js'
import type { Work } from './work.js'

/** Longest pattern, in characters, and most instructions of one compiled pattern. */
const MAX_PATTERN_LENGTH = 1_000
const MAX_PROGRAM_SIZE = 5_000

/** Steps (instructions times characters) that make one unit of work. */
const STEPS_PER_UNIT = 8

/** The engine remembers automaton states of what it has read; a program that has taken this many steps is compiled anew. */
const MAX_REMEMBERED_STEPS = 100_000
const MAX_PROGRAMS = 256

const programs = new LruMap<string, { readonly program: RE2JS; steps: number }>(MAX_PROGRAMS)

/** A pattern that the linear-time engine does not take. The message completes "pattern …". */
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

  /** @throws PatternError when the pattern is too long or not supported */
  constructor(readonly source: string) {
    if (source.length > MAX_PATTERN_LENGTH) {
      throw new PatternError(`must not be longer than ${MAX_PATTERN_LENGTH} characters`)
    }
    this.size = programOf(source, 0).programSize()
    if (this.size > MAX_PROGRAM_SIZE) throw new PatternError('is too complex')
  }

  /** Whether any part of the input matches. `work` pays for it. */
  test(input: string, work: Work): boolean {
    return this.#programFor(input, work).test(input)
  }

  /** Whether the whole input matches. `work` pays for it. */
  testWhole(input: string, work: Work): boolean {
    return this.#programFor(input, work).testExact(input)
  }

  #programFor(input: string, work: Work): RE2JS {
    const steps = (input.length + 1) * this.size
    work.spend(1 + steps / STEPS_PER_UNIT)
    return programOf(this.source, steps)
  }
}

function programOf(source: string, steps: number): RE2JS {
  const known = programs.get(source)
  if (known !== undefined && known.steps + steps <= MAX_REMEMBERED_STEPS) {
    known.steps += steps
    return known.program
  }
  const program = compile(source)
  if (program.programSize() <= MAX_PROGRAM_SIZE) programs.set(source, { program, steps })
  return program
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source))
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new PatternError('is not a regular expression that can be matched in linear time', { cause: error })
  }
}
