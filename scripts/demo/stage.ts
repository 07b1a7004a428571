import { isDeepStrictEqual } from 'node:util'
import { type CredenceClient, createCredenceClient } from '../../client/index.js'
import type { Fetch } from '../../client/request.js'
import { patient } from './patience.js'

export interface DemoOptions {
  /** Where the service answers. */
  readonly url: string
  readonly accessToken?: string | undefined
  readonly clientSecret?: string | undefined
  /** Takes each line of the story as it happens. */
  readonly print: (line: string) => void
}

/** A step saw something unexpected, which the message names. */
export class Surprise extends Error {
  override readonly name = 'Surprise'
}

/** The place of a scene: the service, functions that report each step, and functions that check results. */
export interface Stage {
  readonly url: string
  /** The first party's side: the typed client, with both credentials. */
  readonly credence: CredenceClient
  /** `fetch` that waits out a 429, without credentials: a stranger's side. */
  readonly fetch: Fetch
  /** Who does what. */
  step(sentence: string): void
  /** Shows a result; long values are cut. */
  saw(what: string, value: unknown): void
  /** Lines as they are, a drawing for instance. */
  show(lines: string): void
  /** @throws {Surprise} where the two differ */
  mustBe(what: string, actual: unknown, expected: unknown): void
}

const LONGEST = 300

function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters)`
}

export function createStage({ url, accessToken, clientSecret, print }: DemoOptions): Stage {
  const fetch = patient((seconds) =>
    print(`    · the rate limit is reached: the demo waits ${seconds} s, then goes on by itself`),
  )
  return {
    url: url.replace(/\/+$/, ''),
    credence: createCredenceClient({ url, accessToken, clientSecret, fetch }),
    fetch,
    step: (sentence) => print(`  ▸ ${sentence}`),
    saw: (what, value) => print(`    ${what}: ${shortened(value)}`),
    show: (lines) => print(lines),
    mustBe: (what, actual, expected) => {
      if (isDeepStrictEqual(actual, expected)) return
      throw new Surprise(`${what} should be ${shortened(expected)}, but is ${shortened(actual ?? 'absent')}`)
    },
  }
}
