import { randomUUID } from 'node:crypto'
import { routesOf } from '../../server/http/routes.js'
import { readEvents } from '../issuer/openid4vci/event-reader.js'
import { appRouter } from '../support/contracts.js'
import type { Answer, RequestOptions, TestService } from '../support/service.js'

/** Operations that create something. The tourist sends each of their requests twice, with one key. */
const IDEMPOTENT = new Set(
  routesOf(appRouter)
    .filter(({ rest }) => rest.idempotent === true)
    .map(({ method, template }) => `${method} ${template}`),
)

/** One correct request for an operation of the API. */
export interface Visit {
  readonly method: string
  /** The path as contracts write it, with parameters in braces. */
  readonly template: string
  readonly path: string
  readonly options: RequestOptions
}

/** A call with its answer. */
export type Visited = Visit & Answer

interface VisitOptions extends RequestOptions {
  /** Values for the parameters of the path. */
  readonly at?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
  /** If true, sends the call without credentials. */
  readonly anonymous?: true
}

/** A caller with all rights: an admin with the client secret. */
export class Tourist {
  readonly visited: Visited[] = []

  constructor(
    private readonly service: TestService,
    private readonly authorization: string,
    private readonly before: (visit: Visit) => Promise<void>,
  ) {}

  /** Makes a call. It must succeed. */
  async go(method: string, template: string, options: VisitOptions = {}): Promise<Answer['json']> {
    const { at = {}, query, form, anonymous, ...rest } = options
    const filled = template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(at[name] ?? ''))
    const path = query === undefined ? filled : `${filled}?${new URLSearchParams(query)}`
    const ofWallets = template.startsWith('/openid4v')
    const request: RequestOptions = {
      ...(ofWallets || anonymous === true ? {} : { authorization: this.authorization, client: true }),
      ...rest,
      headers: {
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(IDEMPOTENT.has(`${method} ${template}`) ? { 'idempotency-key': randomUUID() } : {}),
        ...rest.headers,
      },
      ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
    }
    const visit = { method, template, path, options: request }
    await this.before(visit)
    const answer = await this.ask(visit)
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    this.visited.push({ ...visit, ...answer })
    if (request.headers?.['idempotency-key'] !== undefined) await this.repeat(visit, answer)
    return answer.json ?? answer
  }

  /** Sends a request with a key again. The answer must be the same. */
  private async repeat(visit: Visit, first: Answer): Promise<void> {
    const { status, text, headers } = await this.ask(visit)
    if (status !== first.status || text !== first.text || headers.get('idempotency-replayed') !== 'true')
      throw new Error(`${visit.method} ${visit.path} is not repeated: ${status} ${text}`)
  }

  private async ask({ method, template, path, options }: Visit): Promise<Answer> {
    if (!template.endsWith('/events')) return this.service.request(method, path, options)
    const headers = { authorization: this.authorization }
    await using stream = await readEvents(this.service, path, headers)
    const text = Object.entries(await stream.next()).map(([name, value]) => `${name}: ${value}\n`)
    return { status: stream.status, headers: stream.headers, text: `${text.join('')}\n`, json: undefined }
  }
}
