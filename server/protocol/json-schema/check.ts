import type { Work } from '../work.js'
import type { Evaluated } from './evaluated.js'

/** Where a value stands: under a key of another one. Undefined for the value that is checked as a whole. */
export type Place = { readonly holder: Place; readonly key: string | number } | undefined

/** One thing that is wrong, and where. */
export interface Fault {
  readonly place: Place
  readonly keyword: string
  readonly message: string
}

/**
 * Checks a value by a schema, or by one of its keywords.
 *
 * @param seen takes down which members and elements a keyword has looked at, where somebody asks for that
 * @returns whether the value is valid; what is wrong is in `run.faults`, what failed within before what failed by that
 */
export type Check = (value: unknown, place: Place, run: Run, seen: Evaluated | undefined) => boolean

/** Makes the check of a schema within the one that a keyword stands in. */
export type CheckOf = (schema: unknown) => Check

/** Schemas that are applied within each other: each takes a part of the call stack. */
const MAX_DEPTH = 600
const UNITS_OF_A_FAULT = 5
/** What looking a name up costs. */
export const UNITS_OF_A_NAME = 4

/** One check of one value. */
export class Run {
  readonly faults: Fault[] = []
  #depth = 0

  /** @param all whether the check goes on after the first thing that is wrong */
  constructor(
    readonly work: Work,
    readonly all: boolean,
  ) {}

  /** @throws WorkExceededError where the schema cannot be paid for, or stands within too many others. */
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

  /** Forgets what was wrong beyond so many faults: it does not count. */
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

/** Whether every check holds; after the first that does not the others are made only where all faults are wanted. */
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
