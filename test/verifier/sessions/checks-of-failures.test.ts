import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  answer,
  dcql,
  type Format,
  issue,
  type PresentOptions,
  present,
  type RequestPayload,
  SUBJECT,
} from '../actors.js'
import { LICENCE, useMdocVerifier } from '../mdoc.js'
import { useWorld } from '../world.js'

let ahead = 0
const world = useWorld({ clock: () => new Date(Date.now() + ahead) })
const mdocs = useMdocVerifier()

beforeEach(() => {
  ahead = 0
})

/** Reads the checks of a session's only presentation, grouped by outcome: passed, failed, not reached. */
async function told(service: typeof world.service, { verificationSessionId }: { verificationSessionId: string }) {
  const path = `/api/v1/verification-sessions/${verificationSessionId}/checks`
  const { status, json, text } = await service.request('GET', path, { client: true })
  expect(status, text).toBe(200)
  const named = (wanted: string) =>
    json.checks.flatMap(({ check, outcome }: Record<string, string>) => (outcome === wanted ? [check] : [])).join(' ')
  for (const { message } of json.checks) expect(message).toMatch(/^\S.*\.$/)
  expect(JSON.stringify(json.checks)).not.toContain('Espresso')
  return { passed: named('passed'), failed: named('failed'), notReached: named('not-reached') }
}

interface Attack {
  readonly body?: Record<string, unknown>
  readonly options?: PresentOptions
  readonly change?: (presentation: string) => string
  readonly before?: () => void
}

/** Answers a request with one wrong presentation. */
async function failing(
  format: Format,
  { body, options, change = (same) => same, before }: Attack,
  held = world.held[format],
) {
  before?.()
  const { asked, payload } = await world.asked(format, body)
  const presentation = change(await present(held, world.wallet, payload, options))
  expect((await answer(payload, { purchase: [presentation] })).status).toBe(400)
  return told(world.service, asked)
}

/** Replaces the signature of the credential in a presentation. */
const forged = (sdJwt: string) => sdJwt.replace(/\.[\w-]{8}([\w-]+)~/, '.AAAAAAAA$1~')
const NOBODY = { trustedIssuers: ['did:web:elsewhere.example'] }
const PAYMENT = { type: 'payment', credential_ids: ['purchase'], amount: '1 EUR' }

describe('of a failed presentation, every check before the failing one is shown, and the checks that were not reached', () => {
  it.each<[string, Attack, string, string, string]>([
    [
      'form',
      { change: () => 'x~' },
      '',
      'format',
      'issuer-trust issuer-key signature validity revoked query holder-binding',
    ],
    [
      'time',
      { before: () => (ahead = -7_200_000) },
      '',
      'validity',
      'format issuer-trust issuer-key signature revoked query holder-binding',
    ],
    ['trust', { body: NOBODY }, 'format validity', 'issuer-trust', 'issuer-key signature revoked query holder-binding'],
    [
      'signature',
      { change: forged },
      'format validity issuer-trust issuer-key',
      'signature',
      'revoked query holder-binding',
    ],
    [
      'disclosures, after its form was checked',
      { change: (sdJwt) => sdJwt.replace('~', '~eA~') },
      'validity issuer-trust issuer-key signature',
      'format',
      'revoked query holder-binding',
    ],
    [
      'proof of the holder',
      { options: { nonce: 'another' } },
      'format validity issuer-trust issuer-key signature',
      'holder-binding',
      'revoked query',
    ],
    [
      'query',
      { options: { disclose: [] } },
      'format validity issuer-trust issuer-key signature holder-binding revoked',
      'query',
      '',
    ],
    [
      'query of a request with transaction data',
      { options: { disclose: [] }, body: { transactionData: [PAYMENT] } },
      'format validity issuer-trust issuer-key signature holder-binding revoked',
      'query',
      'transaction-data',
    ],
    [
      'other transaction data than requested',
      { options: { claims: { transaction_data_hashes: [createHash('sha256').update('x').digest('base64url')] } } },
      'format validity issuer-trust issuer-key signature holder-binding revoked query',
      'transaction-data',
      '',
    ],
  ])('SD-JWT VC: %s', async (_, attack, passed, failed, notReached) => {
    expect(await failing('dc+sd-jwt', attack)).toEqual({ passed, failed, notReached })
  })

  it.each(['dc+sd-jwt', 'jwt_vc_json'] as const)('%s: revoked', async (format) => {
    const held = await issue(world.service, world.wallet, format, SUBJECT)
    expect(
      (await world.service.request('POST', `/api/v1/credentials/${held.id}/revoke`, { client: true })).status,
    ).toBe(200)
    expect(await failing(format, {}, held)).toEqual({
      passed: 'format validity issuer-trust issuer-key signature holder-binding',
      failed: 'revoked',
      notReached: 'query',
    })
  })

  it('JWT VC: the proof of the holder is the first check', async () => {
    expect(await failing('jwt_vc_json', { options: { nonce: 'another' } })).toEqual({
      passed: '',
      failed: 'holder-binding',
      notReached: 'format issuer-trust issuer-key signature validity revoked query',
    })
  })

  it('without a demanded holder’s proof, no other check is shown as failed', async () => {
    const dcqlQuery = dcql(world.service, 'dc+sd-jwt', { require_cryptographic_holder_binding: false })
    const { passed, notReached } = await failing('dc+sd-jwt', { body: { dcqlQuery, ...NOBODY } })
    expect(`${passed} ${notReached}`).not.toContain('holder-binding')
  })

  it.each<[string, (payload: RequestPayload) => RequestPayload, object, string, string, string]>([
    [
      'the device’s signature',
      (payload) => ({ ...payload, nonce: 'another' }),
      {},
      'format issuer-trust issuer-key validity signature',
      'holder-binding',
      'revoked query',
    ],
    [
      'trust in the issuer',
      (payload) => payload,
      { trustedIssuers: ['self'] },
      'format',
      'issuer-trust',
      'issuer-key signature validity revoked query holder-binding',
    ],
  ])('mobile document: %s', async (_, change, body, passed, failed, notReached) => {
    const { asked, payload } = await mdocs.asked(LICENCE, { ...body })
    const shown = await mdocs.present(mdocs.redirect(change(payload)))
    expect((await answer(payload, { licence: [shown] })).status).toBe(400)
    expect(await told(mdocs.service, asked)).toEqual({ passed, failed, notReached })
  })
})
