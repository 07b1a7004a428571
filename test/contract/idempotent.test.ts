import { describe, expect, it } from 'vitest'
import { CREATING } from '../../client/creating.js'
import { openApiDocument } from '../../server/http/openapi.js'
import { appRouter } from '../support/contracts.js'
import { allProcedures, calledProcedures } from './procedures.js'

/**
 * POST requests that create nothing. Each changes the state of a thing to a given state, so a second request changes
 * nothing more or is refused; or it only checks something.
 */
const NOT_CREATING: Readonly<Record<string, string>> = {
  'schemas.assign': 'An issuer is assigned or not.',
  'claimsSource.replaceSecret': 'It stores the secret in the request.',
  'claimsSource.test': 'It asks another service.',
  'credentials.revoke': 'A status.',
  'credentials.suspend': 'A status.',
  'credentials.reinstate': 'A status.',
  'credentialOffers.approve': 'A decision, which is final.',
  'credentialOffers.reject': 'A decision, which is final.',
  'credentialOffers.decide': 'Decisions, which are final.',
  'credentialOffers.cancel': 'An end.',
  'offerBatches.cancel': 'An end.',
  'statusJobs.pause': 'A state.',
  'statusJobs.resume': 'A state.',
  'statusJobs.cancel': 'An end.',
  'erasure.credential': 'An erasure.',
  'erasure.offering': 'An erasure.',
  'erasure.credentialOffer': 'An erasure.',
  'verificationSessions.erase': 'An erasure.',
  'verify.verify': 'A check.',
  'verify.checks': 'A check.',
  'trustLists.add': 'A purpose has one list of an address, so a repeated request is a 409.',
  'trustLists.refresh': 'It reads the list again.',
  'trustLists.explain': 'A check.',
  'webhooks.change': 'It stores the values in the request.',
  'webhooks.test': 'It asks another service.',
  'webhooks.resend': 'A delivery that waits is a 409.',
  'agent.certifyVerifier': 'It stores the certificate in the request.',
  'agent.certifyIssuer': 'It stores the certificate in the request.',
  'agent.changeIssuerSigning': 'It stores the value in the request.',
  'signers.renameIssuer': 'It stores the values in the request.',
  'signers.renameVerifier': 'It stores the values in the request.',
  'holders.rename': 'It stores the name in the request.',
  'flows.confirm': 'A state: a confirmed flow is a 409.',
  'flows.decline': 'An end.',
}

const isMarked = ({ meta }: { meta: (typeof allProcedures)[number]['meta'] }): boolean =>
  meta?.rest?.idempotent === true

const posts = allProcedures.filter(({ meta: { openapi, rest } = {} }) => {
  if (openapi?.method !== 'POST' || rest === undefined) return false
  // Wallets and browsers call these. Standards define their requests.
  const isOfStandard = rest.kind === 'protocol' || rest.kind === 'page'
  return !isOfStandard && !['public', 'wallet', 'console'].includes(rest.access)
})

describe('each POST of the API', () => {
  it.each(posts.map((procedure) => [procedure.name, procedure] as const))(
    '%s accepts an Idempotency-Key, or is in the list of those that create nothing',
    (name, procedure) => {
      expect([isMarked(procedure), Object.hasOwn(NOT_CREATING, name)]).toContain(true)
      expect(isMarked(procedure) && Object.hasOwn(NOT_CREATING, name)).toBe(false)
    },
  )

  it('that answers 201 accepts an Idempotency-Key', () => {
    const created = posts.filter(({ meta }) => meta?.rest?.status === 201)
    expect(created.length).toBeGreaterThan(15)
    expect(created.filter((procedure) => !isMarked(procedure)).map(({ name }) => name)).toEqual(['trustLists.add'])
  })

  it('is a POST if it accepts an Idempotency-Key, and answers JSON', () => {
    const marked = allProcedures.filter(isMarked)
    expect(marked.map(({ meta }) => [meta?.openapi?.method, meta?.rest?.kind ?? 'json'])).toEqual(
      marked.map(() => ['POST', 'json']),
    )
  })

  it('has an entry in the list only if it exists', () => {
    const names = posts.map(({ name }) => name)
    expect(Object.keys(NOT_CREATING).filter((name) => !names.includes(name))).toEqual([])
  })
})

it('the client sends keys to exactly these procedures', () => {
  const marked = calledProcedures.filter(isMarked).map(({ name }) => name)
  expect([...CREATING].sort()).toEqual(marked.sort())
})

it('the API document shows the header, the replayed header, 409 and 422 for each of them, and for no other', () => {
  // The document needs the address alone of the configuration. The types of a document are too wide for a test.
  const { paths } = openApiDocument(appRouter, { issuerBaseUrl: 'https://issuer.example' } as never) as {
    paths: Record<
      string,
      Record<string, { parameters?: { name: string; in: string }[]; responses: Record<string, { headers?: object }> }>
    >
  }
  for (const { name, meta } of calledProcedures) {
    const operation = paths[meta?.openapi?.path ?? '']?.[meta?.openapi?.method.toLowerCase() ?? '']
    if (operation === undefined) continue
    const isKeyed = meta?.rest?.idempotent === true
    const header = operation.parameters?.find(
      (parameter) => parameter.in === 'header' && parameter.name === 'Idempotency-Key',
    )
    expect([name, header !== undefined]).toEqual([name, isKeyed])
    expect([name, operation.responses['422'] !== undefined]).toEqual([name, isKeyed])
    const headers = operation.responses[String(meta?.rest?.status ?? 200)]?.headers ?? {}
    expect([name, 'Idempotency-Replayed' in headers]).toEqual([name, isKeyed])
    if (isKeyed) expect(operation.responses).toHaveProperty('409')
  }
})
