import { isDeepStrictEqual } from 'node:util'
import { type CredenceClient, createCredenceClient } from '../../client/index.js'
import type { Fetch } from '../../client/request.js'
import { patient } from './patience.js'

export interface DemoOptions {
  /** Address of the service. */
  readonly url: string
  readonly accessToken?: string | undefined
  readonly clientSecret?: string | undefined
  /** Receives each printed line. */
  readonly print: (line: string) => void
}

/** Thrown if a step had an unexpected result. The message describes the result. */
export class Surprise extends Error {
  override readonly name = 'Surprise'
}

/** The parts that each scene uses: the service, functions that print steps, and functions that check results. */
export interface Stage {
  readonly url: string
  /** The typed client of the issuer's and verifier's backend, with an access token and the client secret. */
  readonly credence: CredenceClient
  /** A `fetch` without credentials, as a stranger has it. After a 429 it waits and repeats the request. */
  readonly fetch: Fetch
  /** Prints a sentence about the next action. */
  step(sentence: string): void
  /** Prints a result. Long values are cut. */
  saw(what: string, value: unknown): void
  /** Prints lines unchanged, for example a drawing. */
  show(lines: string): void
  /** Compares a result with the expected result. @throws {Surprise} if they differ */
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
