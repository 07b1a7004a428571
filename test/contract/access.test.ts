import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RouteAccess } from '../../server/api/contract.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'
import { askOnce } from './ask-once.js'
import { allProcedures, type ContractedProcedure, calledProcedures } from './procedures.js'

const CALLERS = ['nobody', 'user', 'other user', 'admin', 'other admin', 'client', 'wrong client', 'forged'] as const
type Caller = (typeof CALLERS)[number]

/** The outcome of the access check of a request. The check comes before the validation of the input. */
type Outcome = 'answered' | 'Unauthorized' | 'Insufficient role.' | 'Access to holder denied.' | 'forged' | 'wallet'

const TOKENS: readonly Caller[] = ['user', 'other user', 'admin', 'other admin']
const ADMINS: readonly Caller[] = ['admin', 'other admin']

const withToken = (caller: Caller): Outcome | undefined => {
  if (caller === 'forged') return 'forged'
  return TOKENS.includes(caller) ? undefined : 'Unauthorized'
}
const withSecret = (caller: Caller): Outcome | undefined => (caller === 'client' ? undefined : 'Unauthorized')
const withRole = (caller: Caller): Outcome | undefined =>
  withToken(caller) ?? (ADMINS.includes(caller) ? undefined : 'Insufficient role.')

/** The rules of the interface's section Authentication. Undefined means no refusal. */
const RULES: Readonly<Record<RouteAccess, (caller: Caller) => Outcome | undefined>> = {
  public: () => undefined,
  issuerClient: withSecret,
  verifierClient: withSecret,
  clientOrIssuer: (caller) => (caller === 'client' ? undefined : withToken(caller)),
  clientOrVerifier: (caller) => (caller === 'client' ? undefined : withToken(caller)),
  clientOrEither: (caller) => (caller === 'client' ? undefined : withToken(caller)),
  clientOrUser: (caller) => (caller === 'client' ? undefined : withToken(caller)),
  operator: (caller) => (caller === 'client' ? undefined : withRole(caller)),
  issuerOperator: (caller) => (caller === 'client' ? undefined : withRole(caller)),
  verifierOperator: (caller) => (caller === 'client' ? undefined : withRole(caller)),
  eitherOperator: (caller) => (caller === 'client' ? undefined : withRole(caller)),
  ownerOrIssuer: (caller) => (caller === 'client' ? undefined : withToken(caller)),
  user: withToken,
  issuer: withToken,
  verifier: withToken,
  admin: withRole,
  holder: (caller) => withRole(caller) ?? (caller === 'admin' ? undefined : 'Access to holder denied.'),
  // A caller needs no credentials, but wrong credentials are refused.
  optional: (caller) => (caller === 'forged' ? 'forged' : caller === 'wrong client' ? 'Unauthorized' : undefined),
  // Accepts only tokens of this service's own token endpoint.
  wallet: () => 'wallet',
  // Callers of this test have no console session. test/contract/console-access.test.ts tests sessions.
  console: () => undefined,
}

let service: TestService
let headers: Record<Caller, Record<string, string>>
/** A holder that `admin` created. */
let holderId: string

beforeAll(async () => {
  service = await startService()
  const token = async (sub: string, ...roles: string[]) => ({ authorization: await service.bearer(sub, { roles }) })
  const admin = await token('root', 'admin')
  headers = {
    nobody: {},
    user: await token('alice', 'user'),
    'other user': await token('bob'),
    admin,
    'other admin': await token('toor', 'admin'),
    client: { 'x-client-secret': CLIENT_SECRET },
    'wrong client': { 'x-client-secret': 'wrong' },
    forged: { authorization: `${(await token('root', 'admin')).authorization.slice(0, -8)}AAAAAAAA` },
  }
  const holder = await service.request('POST', '/agent/holder', { headers: admin, body: { method: 'key' } })
  holderId = holder.json.id
})
afterAll(() => service.close())

interface Answered {
  readonly status: number
  readonly message: unknown
}

function outcomeOf({ status, message }: Answered): Outcome {
  if (status === 401)
    return message === 'Invalid access token.' ? 'forged' : message === 'Unauthorized' ? message : 'wallet'
  if (status === 403 && (message === 'Insufficient role.' || message === 'Access to holder denied.')) return message
  return 'answered'
}

const pathOf = ({ meta }: ContractedProcedure) =>
  (meta?.openapi?.path ?? '').replace('{holderId}', holderId).replaceAll(/\{\w+\}/g, crypto.randomUUID())

async function byPath(procedure: ContractedProcedure, caller: Caller): Promise<Answered> {
  const { method = 'GET' } = procedure.meta?.openapi ?? {}
  const { status, json } = await askOnce(service, method, pathOf(procedure), { headers: headers[caller] })
  return { status, message: json?.message ?? json?.error }
}

async function byName({ name, type }: ContractedProcedure, caller: Caller): Promise<Answered> {
  const input = { json: { holderId } }
  const answer =
    type === 'mutation'
      ? await service.request('POST', `/trpc/${name}`, { headers: headers[caller], body: input })
      : await askOnce(service, 'GET', `/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`, {
          headers: headers[caller],
        })
  // A refused subscription has already begun to stream.
  const [, streamed = 'null'] = /^event: serialized-error\ndata: (.*)$/m.exec(answer.text) ?? []
  const shape = answer.json?.error?.json ?? JSON.parse(streamed)?.json
  return { status: shape?.data?.httpStatus ?? answer.status, message: shape?.message }
}

const accessOf = ({ name, meta }: ContractedProcedure): RouteAccess => {
  if (meta?.rest === undefined) throw new Error(`${name} does not say who may call it.`)
  return meta.rest.access
}

const table = (procedures: readonly ContractedProcedure[]) =>
  procedures.map((procedure) => [procedure.name, accessOf(procedure), procedure] as const)

const expected = (access: RouteAccess) =>
  Object.fromEntries(CALLERS.map((caller) => [caller, RULES[access](caller) ?? 'answered']))

async function observed(ask: (caller: Caller) => Promise<Answered>): Promise<Record<string, Outcome>> {
  const outcomes = await Promise.all(CALLERS.map(async (caller) => [caller, outcomeOf(await ask(caller))] as const))
  return Object.fromEntries(outcomes)
}

describe('ISSUER_ROLE and VERIFIER_ROLE', () => {
  const [issuer, verifier, admin, other] = ['credence-issuer', 'credence-verifier', 'admin', 'other']
  const ROLES = [issuer, verifier, admin, other]

  /** The roles that each suffice where both roles are set. The role `admin` includes both. */
  const SUFFICIENT: Partial<Record<RouteAccess, readonly string[]>> = {
    user: ROLES,
    clientOrUser: ROLES,
    clientOrEither: [issuer, verifier, admin],
    ownerOrIssuer: ROLES,
    issuer: [issuer, admin],
    clientOrIssuer: [issuer, admin],
    issuerOperator: [issuer, admin],
    verifier: [verifier, admin],
    clientOrVerifier: [verifier, admin],
    verifierOperator: [verifier, admin],
    eitherOperator: [issuer, verifier, admin],
    operator: [admin],
    admin: [admin],
  }
  const withBearer = allProcedures.filter((procedure) => accessOf(procedure) in SUFFICIENT)

  let strict: TestService

  beforeAll(async () => {
    const { databaseUrl, identityProvider } = service
    strict = await startService({
      databaseUrl,
      identityProvider,
      env: { ISSUER_ROLE: issuer, VERIFIER_ROLE: verifier },
    })
  })
  afterAll(() => strict.close())

  it('apply to procedures of each kind', () => {
    expect(new Set(withBearer.map(accessOf))).toEqual(new Set(Object.keys(SUFFICIENT)))
  })

  it.each(table(withBearer))('%s: %s', async (_, access, procedure) => {
    const { method = 'GET' } = procedure.meta?.openapi ?? {}
    for (const role of ROLES) {
      const authorization = await strict.bearer('alice', { roles: [role] })
      const { status, json } = await askOnce(strict, method, pathOf(procedure), { headers: { authorization } })
      const outcome = SUFFICIENT[access]?.includes(role) ? 'answered' : 'Insufficient role.'
      expect([role, outcomeOf({ status, message: json?.message })]).toEqual([role, outcome])
    }
  })

  it.each(table(withBearer.filter((procedure) => accessOf(procedure).endsWith('Operator'))))(
    'have no effect if they are not set, %s: %s',
    async (_, __, procedure) => {
      const authorization = await service.bearer('alice', { roles: [issuer, verifier] })
      const { method = 'GET' } = procedure.meta?.openapi ?? {}
      const { status, json } = await askOnce(service, method, pathOf(procedure), { headers: { authorization } })
      expect(outcomeOf({ status, message: json?.message })).toBe('Insufficient role.')
    },
  )

  it('do not apply to a client secret', async () => {
    const answer = await strict.request('GET', `/verification-sessions/${crypto.randomUUID()}/result`, { client: true })
    expect(answer.status).toBe(500)
  })
})

describe('access by path', () => {
  it.each(table(allProcedures))('%s: %s', async (_, access, procedure) => {
    expect(await observed((caller) => byPath(procedure, caller))).toEqual(expected(access))
  })
})

describe('access by name', () => {
  it.each(table(calledProcedures))('%s: %s', async (_, access, procedure) => {
    expect(await observed((caller) => byName(procedure, caller))).toEqual(expected(access))
  })
})
