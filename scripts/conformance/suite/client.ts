import { z } from 'zod'
import type { Ask } from '../trusting-fetch.js'

const zVariant = z.record(z.string(), z.string())

/** The values that select a variant of a plan or of a module. */
export type Variant = z.infer<typeof zVariant>

const zModule = z.object({ testModule: z.string(), variant: zVariant.nullish() })

const zPlan = z.object({ id: z.string(), modules: z.array(zModule) })

/** A plan that the suite made, with its modules in their order. */
export type Plan = z.infer<typeof zPlan>
export type PlannedModule = z.infer<typeof zModule>

const zInfo = z.object({ status: z.string(), result: z.string().nullish() })

/** `status` CREATED, CONFIGURED, RUNNING, WAITING, FINISHED or INTERRUPTED; `result` PASSED, WARNING, REVIEW, FAILED, SKIPPED or UNKNOWN. */
export type Info = z.infer<typeof zInfo>

const zState = z.object({
  exposed: z.record(z.string(), z.unknown()).nullish(),
  browser: z.object({ urls: z.array(z.string()) }).nullish(),
})

/** The content that a module shows to its user: values, and addresses to open. */
export interface Shown {
  readonly exposed: Readonly<Record<string, unknown>>
  readonly urls: readonly string[]
}

const zLogEntry = z.looseObject({
  _id: z.string(),
  src: z.string().nullish(),
  msg: z.string().nullish(),
  time: z.number().nullish(),
  result: z.string().nullish(),
  upload: z.string().nullish(),
})

/** One entry of a module's log; `upload` is the placeholder of a screenshot that is still missing. */
export type LogEntry = z.infer<typeof zLogEntry>

const zCreated = z.object({ id: z.string() })
const zServer = z.object({ version: z.string(), revision: z.string().nullish() })

/** The parts of the suite's REST interface that a run needs. */
export interface Suite {
  /** Address without a slash at its end. */
  readonly url: string
  /** @returns version and commit, such as `5.2.4` and `12f2a4d` */
  version(): Promise<{ readonly version: string; readonly revision: string }>
  createPlan(name: string, variant: Variant, configuration: object): Promise<Plan>
  /** @returns the id of the module's run */
  createModule(plan: string, module: PlannedModule): Promise<string>
  /** Starts a module that does not start on its own. */
  start(id: string): Promise<void>
  info(id: string): Promise<Info>
  /** Resolves with undefined if the module has ended. */
  shown(id: string): Promise<Shown | undefined>
  /** Reads the log. @param since only entries of this time (milliseconds) and later */
  log(id: string, since?: number): Promise<LogEntry[]>
  /** Reports that an address was opened, so that it is no longer shown. */
  visited(id: string, url: string): Promise<void>
  /** @param image a data URI of PNG or JPEG */
  uploadImage(id: string, placeholder: string, image: string): Promise<void>
  /** Ends a module. */
  cancel(id: string): Promise<void>
}

/** Thrown if the suite gave an unexpected answer. The message describes the answer. */
export class SuiteError extends Error {
  override readonly name = 'SuiteError'
}

const LONGEST_ANSWER_SHOWN = 500

/**
 * The client of a suite.
 *
 * @param url address of the suite, such as `https://localhost:8443`
 * @param ask sends requests to the suite. There is no login: with `fintechlabs.devmode=true` the suite needs none
 */
export function suiteAt(url: string, ask: Ask): Suite {
  const base = url.replace(/\/+$/, '')

  function unreachable(thrown: unknown): never {
    const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown
    throw new Error(`The suite at ${base} does not answer. Start it, or name its address with --suite.`, { cause })
  }

  async function call(method: string, path: string, query: Readonly<Record<string, string>>, body?: string) {
    const search = new URLSearchParams(query).toString()
    const address = `${base}/api/${path}${search === '' ? '' : `?${search}`}`
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const answer = await ask(address, { method, headers, ...(body === undefined ? {} : { body }) }).catch(unreachable)
    return { status: answer.status, text: await answer.text(), what: `${method} /api/${path}` }
  }

  type Answer = Awaited<ReturnType<typeof call>>

  const refused = ({ status, text, what }: Answer) =>
    new SuiteError(`The suite answered ${what} with ${status}: ${text.slice(0, LONGEST_ANSWER_SHOWN)}`)

  function read<Shape extends z.ZodType>(shape: Shape, answer: Answer): z.output<Shape> {
    if (answer.status < 200 || answer.status > 299) throw refused(answer)
    const found = shape.safeParse(parsed(answer))
    if (found.success) return found.data
    throw new SuiteError(`The suite answered ${answer.what} in another shape: ${z.prettifyError(found.error)}`)
  }

  function parsed(answer: Answer): unknown {
    try {
      return JSON.parse(answer.text)
    } catch {
      throw new SuiteError(`The suite answered ${answer.what} without JSON.`)
    }
  }

  /**
   * Waits for an answer about a module. If the module has ended meanwhile, the suite answers that it is unknown. This
   * is no error.
   */
  async function unlessEnded(answer: Promise<Answer>): Promise<void> {
    const received = await answer
    if (received.status !== 404 && received.status > 299) throw refused(received)
  }

  return {
    url: base,
    version: async () => {
      const { version, revision } = read(zServer, await call('GET', 'server', {}))
      return { version, revision: revision ?? '' }
    },
    createPlan: async (planName, variant, configuration) => {
      const query = { planName, variant: JSON.stringify(variant) }
      return read(zPlan, await call('POST', 'plan', query, JSON.stringify(configuration)))
    },
    createModule: async (plan, { testModule, variant }) => {
      const query = { test: testModule, plan, ...(variant ? { variant: JSON.stringify(variant) } : {}) }
      return read(zCreated, await call('POST', 'runner', query)).id
    },
    start: (id) => unlessEnded(call('POST', `runner/${id}`, {})),
    info: async (id) => read(zInfo, await call('GET', `info/${id}`, {})),
    shown: async (id) => {
      const answer = await call('GET', `runner/${id}`, {})
      if (answer.status === 404) return undefined
      const { exposed, browser } = read(zState, answer)
      return { exposed: exposed ?? {}, urls: browser?.urls ?? [] }
    },
    log: async (id, since) =>
      read(z.array(zLogEntry), await call('GET', `log/${id}`, since === undefined ? {} : { since: String(since) })),
    visited: (id, address) => unlessEnded(call('POST', `runner/browser/${id}/visit`, { url: address })),
    uploadImage: async (id, placeholder, image) => {
      const answer = await call('POST', `log/${id}/images/${encodeURIComponent(placeholder)}`, {}, image)
      if (answer.status > 299) throw refused(answer)
    },
    cancel: (id) => unlessEnded(call('DELETE', `runner/${id}`, {})),
  }
}
