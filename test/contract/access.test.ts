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
  clientOrVerifier: (caller) => (caller === 'client' ? undefined : withToken(caller)),
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
  let strict: TestService

  beforeAll(async () => {
    const { databaseUrl, identityProvider } = service
    const env = { ISSUER_ROLE: 'credence-issuer', VERIFIER_ROLE: 'credence-verifier' }
    strict = await startService({ databaseUrl, identityProvider, env })
  })
  afterAll(() => strict.close())

  const needed: Partial<Record<RouteAccess, string>> = {
    issuer: 'credence-issuer',
    verifier: 'credence-verifier',
    clientOrVerifier: 'credence-verifier',
  }
  const withBearer = allProcedures.filter((procedure) =>
    ['user', 'issuer', 'verifier', 'clientOrVerifier', 'admin'].includes(accessOf(procedure)),
  )

  it.each(table(withBearer))('%s: %s', async (_, access, procedure) => {
    const { method = 'GET' } = procedure.meta?.openapi ?? {}
    for (const roles of [['admin'], ['admin', 'credence-issuer'], ['admin', 'credence-verifier']]) {
      const authorization = await strict.bearer('alice', { roles })
      const { status, json } = await strict.request(method, pathOf(procedure), { authorization })
      const role = needed[access]
      const outcome = role === undefined || roles.includes(role) ? 'answered' : 'Insufficient role.'
      expect([roles, outcomeOf({ status, message: json?.message })]).toEqual([roles, outcome])
    }
  })

  it('do not apply to a client secret', async () => {
    const answer = await strict.request('GET', `/verification-sessions/${crypto.randomUUID()}/result`, { client: true })
    expect(answer.status).toBe(500)
  })
})

describe('an operator with only the role for issuing or for verifying', () => {
  const roles = { issuerOperator: 'ISSUER_ROLE', verifierOperator: 'VERIFIER_ROLE' } as const
  const operated = allProcedures.filter((procedure) => accessOf(procedure) in roles)

  let strict: TestService

  beforeAll(async () => {
    const { databaseUrl, identityProvider } = service
    const env = { ISSUER_ROLE: 'ISSUER_ROLE', VERIFIER_ROLE: 'VERIFIER_ROLE' }
    strict = await startService({ databaseUrl, identityProvider, env })
  })
  afterAll(() => strict.close())

  it('there are procedures of both halves', () => {
    expect(new Set(operated.map(accessOf))).toEqual(new Set(Object.keys(roles)))
  })

  it.each(table(operated))('%s: %s', async (_, access, procedure) => {
    for (const role of [...Object.values(roles), 'other']) {
      const authorization = await strict.bearer('alice', { roles: [role] })
      const { status, json } = await strict.request('GET', pathOf(procedure), { authorization })
      const outcome = role === roles[access as keyof typeof roles] ? 'answered' : 'Insufficient role.'
      expect([role, outcomeOf({ status, message: json?.message })]).toEqual([role, outcome])
      // The role has no effect if it is not set.
      const elsewhere = await service.request('GET', pathOf(procedure), { authorization })
      expect(outcomeOf({ status: elsewhere.status, message: elsewhere.json?.message })).toBe('Insufficient role.')
    }
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
