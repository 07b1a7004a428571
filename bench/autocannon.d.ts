/** The part of autocannon that the benchmark uses. The package has no types of its own. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events'

  interface Options {
    readonly url: string
    readonly connections: number
    /** Seconds. */
    readonly duration: number
    /** Seconds that an answer may take. */
    readonly timeout: number
    /** Milliseconds between two checks whether the duration has passed. */
    readonly sampleInt: number
    readonly method: 'GET' | 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
    /** Whether the body of an answer is as expected. */
    readonly verifyBody: (text: string) => boolean
  }

  interface Result {
    readonly errors: number
    readonly timeouts: number
    readonly non2xx: number
    /** Number of answers for which `verifyBody` returned false. */
    readonly mismatches: number
  }

  interface Run extends EventEmitter<{ response: [client: unknown, status: number, bytes: number, ms: number] }> {
    then: Promise<Result>['then']
  }

  export default function autocannon(options: Options): Run
}
