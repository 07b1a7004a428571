import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RouteAccess } from '../../server/api/contract.js'
import { type Browser, type ConsoleService, logIn, OF_CONSOLE, startConsole } from '../console/actors.js'
import { askOnce } from './ask-once.js'
import { allProcedures, type ContractedProcedure, calledProcedures } from './procedures.js'

/** Roles of users with a session, and invalid sessions. */
const SESSIONS = ['admin', 'issuer', 'verifier', 'ended', 'forged', 'foreign page'] as const
type Session = (typeof SESSIONS)[number]
type Outcome = 'answered' | 'Insufficient role.' | 'Access to holder denied.' | 'ended' | 'unknown' | 'wallet'

const ROLES: Readonly<Partial<Record<Session, readonly string[]>>> = {
  admin: ['admin'],
  issuer: ['credence-issuer'],
  verifier: ['credence-verifier'],
}

let open: ConsoleService
let headers: Record<Session, Record<string, string>>

const cookieOf = (browser: Browser) => browser.cookies(open.service.url)

beforeAll(async () => {
  open = await startConsole({
    env: { ISSUER_ROLE: 'credence-issuer', VERIFIER_ROLE: 'credence-verifier' },
    maintenance: false,
  })
  const session = async (sub: string, roles: readonly string[]) => {
    open.provider.user = { sub, roles }
    const { browser } = await logIn(open)
    return { ...OF_CONSOLE, cookie: cookieOf(browser) }
  }
  const [admin, issuer, verifier, ended] = [
    await session('root', ROLES.admin ?? []),
    await session('ida', ROLES.issuer ?? []),
    await session('vera', ROLES.verifier ?? []),
    await session('gone', ['admin']),
  ]
  await open.service.request('POST', '/console/logout', { headers: ended, body: {} })
  headers = {
    admin,
    issuer,
    verifier,
    ended,
    forged: { ...OF_CONSOLE, cookie: `console=${'A'.repeat(43)}.${'A'.repeat(43)}` },
    'foreign page': { ...admin, 'sec-fetch-site': 'cross-site' },
  }
})
afterAll(() => open[Symbol.asyncDispose]())

/** The outcome of a call with each kind of session. */
function expected(access: RouteAccess, session: Session): Outcome {
  if (access === 'public') return 'answered'
  if (access === 'wallet') return 'wallet'
  if (session === 'foreign page') return access === 'optional' ? 'answered' : 'unknown'
  // A sign-out ends the session, so the next call has the same error as a call without a session.
  if (session === 'ended' || session === 'forged') return access === 'console' ? 'unknown' : 'ended'
  const only = (...may: Session[]): Outcome => (may.includes(session) ? 'answered' : 'Insufficient role.')
  const rules: Partial<Record<RouteAccess, Outcome>> = {
    issuerClient: only('admin', 'issuer'),
    verifierClient: only('admin', 'verifier'),
    clientOrIssuer: only('admin', 'issuer'),
    clientOrVerifier: only('admin', 'verifier'),
    operator: only('admin'),
    issuerOperator: only('admin', 'issuer'),
    verifierOperator: only('admin', 'verifier'),
    eitherOperator: only('admin', 'issuer', 'verifier'),
    issuer: only('admin', 'issuer'),
    verifier: only('admin', 'verifier'),
    admin: only('admin'),
    holder: session === 'admin' ? 'Access to holder denied.' : 'Insufficient role.',
  }
  return rules[access] ?? 'answered'
}

function outcomeOf(status: number, message: unknown): Outcome {
  if (status === 401 && message === 'Session has ended. Log in again.') return 'ended'
  if (status === 401) return message === 'Unauthorized' ? 'unknown' : 'wallet'
  if (status === 403 && (message === 'Insufficient role.' || message === 'Access to holder denied.')) return message
  return 'answered'
}

const accessOf = ({ meta }: ContractedProcedure): RouteAccess => meta?.rest?.access ?? 'public'

/** A sign-out would end the session that the other tests need. */
const asked = (session: Session, access: RouteAccess) => access !== 'console' || !(session in ROLES)

async function byPath({ meta }: ContractedProcedure, session: Session): Promise<Outcome> {
  const { method = 'GET', path = '' } = meta?.openapi ?? {}
  const at = path.replaceAll(/\{\w+\}/g, crypto.randomUUID())
  const { status, json } = await askOnce(open.service, method, at, { headers: headers[session] })
  return outcomeOf(status, json?.message ?? json?.error)
}

async function byName({ name, type }: ContractedProcedure, session: Session): Promise<Outcome> {
  const input = { json: {} }
  const options = { headers: headers[session] }
  const { status, json, text } =
    type === 'mutation'
      ? await open.service.request('POST', `/trpc/${name}`, { ...options, body: input })
      : await askOnce(open.service, 'GET', `/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`, options)
  const [, streamed = 'null'] = /^event: serialized-error\ndata: (.*)$/m.exec(text) ?? []
  const shape = json?.error?.json ?? JSON.parse(streamed)?.json
  return outcomeOf(shape?.data?.httpStatus ?? status, shape?.message)
}

const table = (procedures: readonly ContractedProcedure[]) =>
  procedures.map((procedure) => [procedure.name, accessOf(procedure), procedure] as const)

async function compare(access: RouteAccess, ask: (session: Session) => Promise<Outcome>): Promise<void> {
  const sessions = SESSIONS.filter((session) => asked(session, access))
  const outcomes = await Promise.all(sessions.map(async (session) => [session, await ask(session)]))
  const rules = sessions.map((session) => [session, expected(access, session)])
  expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(rules))
}

describe('access of a console session by path', () => {
  it.each(table(allProcedures))('%s: %s', (_, access, procedure) =>
    compare(access, (session) => byPath(procedure, session)),
  )
})

describe('access of a console session by name', () => {
  it.each(table(calledProcedures))('%s: %s', (_, access, procedure) =>
    compare(access, (session) => byName(procedure, session)),
  )
})

describe('the operations that a console session lists', () => {
  // `Object.keys` returns strings.
  it.each(Object.keys(ROLES) as Session[])('are those that the API allows: %s', async (session) => {
    const { json } = await open.service.request('GET', '/console/session', { headers: headers[session] })
    const allowed = calledProcedures.filter(
      (procedure) => expected(accessOf(procedure), session) !== 'Insufficient role.',
    )
    expect(json.user.operations).toEqual(allowed.map(({ name }) => name))
  })

  it('name the roles that each suffice, to users alone', async () => {
    const rolesFor = async (operation: string, session: Session) => {
      const path = `/api/v1/console/roles?operation=${operation}`
      const { status, json } = await open.service.request('GET', path, { headers: headers[session] })
      return status === 200 ? json.roles : [status, json.message]
    }
    expect(await rolesFor('audit.list', 'issuer')).toEqual(['admin'])
    expect(await rolesFor('credentials.list', 'verifier')).toEqual(['credence-issuer', 'admin'])
    expect(await rolesFor('verificationSessions.list', 'issuer')).toEqual(['credence-verifier', 'admin'])
    expect(await rolesFor('console.events', 'issuer')).toEqual(['credence-issuer', 'credence-verifier', 'admin'])
    expect(await rolesFor('unknown.list', 'issuer')).toEqual([404, 'Operation not found.'])
    expect(await rolesFor('toString', 'issuer')).toEqual([404, 'Operation not found.'])
    expect(await rolesFor('audit.list', 'forged')).toEqual([401, 'Session has ended. Log in again.'])
  })

  it('change with the roles of the next access token', async () => {
    open.provider.user = { sub: 'olga', roles: ['credence-issuer'] }
    const { browser } = await logIn(open)
    const ask = async (path: string) =>
      open.service.request('GET', path, { headers: { ...OF_CONSOLE, cookie: cookieOf(browser) } })
    const mayList = async () =>
      (await ask('/console/session')).json.user.operations.includes('verificationSessions.list')
    expect([await mayList(), (await ask('/api/v1/verification-sessions')).status]).toEqual([false, 403])
    open.provider.user = { sub: 'olga', roles: ['credence-verifier'] }
    // The sign-in of a second window replaces the session's tokens.
    await logIn(open, '', browser)
    expect([await mayList(), (await ask('/api/v1/verification-sessions')).status]).toEqual([true, 200])
    expect((await ask('/api/v1/credential-offer-sessions')).status).toBe(403)
  })
})
