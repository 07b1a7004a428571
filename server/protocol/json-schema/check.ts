import type { Work } from '../work.js'
import type { Evaluated } from './evaluated.js'

/**
 * The place of a value: its key, and the place of the object or array that contains it. Undefined for the outermost
 * value.
 */
export type Place = { readonly holder: Place; readonly key: string | number } | undefined

/** A violation and its place. */
export interface Fault {
  readonly place: Place
  readonly keyword: string
  readonly message: string
}

/**
 * Checks a value by a schema, or by one of its keywords.
 *
 * @param seen records which members and elements a keyword has evaluated, if the caller asks for them
 * @returns whether the value is valid. `run.faults` receives the violations; inner violations come before the violation they cause
 */
export type Check = (value: unknown, place: Place, run: Run, seen: Evaluated | undefined) => boolean

/** Makes the check of a schema that is part of another schema. */
export type CheckOf = (schema: unknown) => Check

/** Limit of schemas that are applied within each other: each takes a part of the call stack. */
const MAX_DEPTH = 600
const UNITS_OF_A_FAULT = 5
/** Cost of looking up a name. */
export const UNITS_OF_A_NAME = 4

/** The state of one check of a value: the violations so far, and the work budget. */
export class Run {
  readonly faults: Fault[] = []
  #depth = 0

  /** @param all whether the check continues after the first violation */
  constructor(
    readonly work: Work,
    readonly all: boolean,
  ) {}

  /** @throws WorkExceededError if the work budget is too small, or too many schemas are applied within each other. */
  enter(units: number): void {
    this.#depth += 1
    this.work.spend(this.#depth > MAX_DEPTH ? Number.POSITIVE_INFINITY : units)
  }

  leave(): void {
    this.#depth -= 1
  }

  /** @returns false, so that a check can end with it. */
  fail(place: Place, keyword: string, message: string): false {
    this.work.spend(UNITS_OF_A_FAULT)
    this.faults.push({ place, keyword, message })
    return false
  }

  /** Keeps the first `beyond` violations and removes the others. */
  forget(beyond: number): void {
    this.faults.length = beyond
  }

  /** The names of an object's members. */
  namesOf(value: object): string[] {
    const names = Object.keys(value)
    this.work.spend(names.length * UNITS_OF_A_NAME)
    return names
  }
}

/**
 * Whether a value passes every check. After the first violation, the remaining checks run only if the caller wants all
 * violations.
 */
export function every<Item>(items: readonly Item[], run: Run, holds: (item: Item, index: number) => boolean): boolean {
  let valid = true
  let index = 0
  for (const item of items) {
    if (!holds(item, index)) {
      valid = false
      if (!run.all) break
    }
    index += 1
  }
  return valid
}
