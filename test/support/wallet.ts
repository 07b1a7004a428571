import type { Answer, TestService } from './service.js'

/** Lets every service in the wallet tests reach the independent parties on the loopback interface. */
export const LOOPBACK = { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' }

/** A hosted wallet and the admin who made it. */
export interface HostedWallet {
  readonly id: string
  readonly did: string
  readonly authorization: string
  process(uri: string, more?: Readonly<Record<string, unknown>>): Promise<Answer>
  get(path: string): Promise<Answer>
  request(method: string, path: string, body?: unknown): Promise<Answer>
}

/** Makes a holder through the API. */
export async function newWallet(
  service: TestService,
  sub = 'alice',
  method: 'key' | 'web' = 'key',
): Promise<HostedWallet> {
  const authorization = await service.bearer(sub, { roles: ['admin'] })
  const created = await service.request('POST', '/agent/holder', { authorization, body: { method } })
  if (created.status !== 201) throw new Error(`No holder: ${created.text}`)
  const { id, did }: { id: string; did: string } = created.json
  const request = (verb: string, path: string, body?: unknown) =>
    service.request(verb, `/holders/${id}${path}`, { authorization, ...(body === undefined ? {} : { body }) })
  return {
    id,
    did,
    authorization,
    process: (uri, more = {}) => request('POST', '/process', { uri, ...more }),
    get: (path) => request('GET', path),
    request,
  }
}
