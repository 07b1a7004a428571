import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../../support/service.js'
import type { HostedWallet } from '../../support/wallet.js'
import { CLAIMS, DOCTYPE, type MdocWorld, MORE, makeMdocWorld, NAMESPACE } from '../../wallet/mdoc-world.js'

let world: MdocWorld
let wallet: HostedWallet
let mdoc: string
beforeAll(async () => {
  world = await makeMdocWorld()
  wallet = await world.holding()
  const [{ id }] = (await wallet.get('/credentials')).json
  mdoc = (await wallet.get(`/credentials/${id}`)).json.credential
})
afterAll(() => world.close())

async function post(path: string, credential: string, service: TestService = world.b) {
  const authorization = await service.bearer('verifier')
  const answer = await service.request('POST', path, { authorization, body: { credential } })
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

const checked = (credential: string, service?: TestService) => post('/api/v1/credentials/checks', credential, service)

const outcomes = ({ checks }: { checks: Record<string, string>[] }) =>
  checks.map(({ check, outcome }) => `${check} ${outcome}`)

describe('POST /api/v1/credentials/checks of a mobile document, as base64url of its IssuerSigned (ISO/IEC 18013-5 §8.3.2.1.2.2)', () => {
  it('names every check, and shows docType, issuer and elements', async () => {
    const answer = await checked(mdoc)
    expect(outcomes(answer)).toEqual(
      ['format', 'issuer-key', 'signature', 'validity', 'revoked'].map((check) => `${check} passed`),
    )
    expect(answer.verdict).toEqual({
      isValid: true,
      format: 'mso_mdoc',
      issuer: 'https://127.0.0.1',
      docType: DOCTYPE,
      nameSpaces: {
        [NAMESPACE]: expect.objectContaining({ family_name: CLAIMS.name.family, height: CLAIMS.height }),
        [MORE]: { organ_donor: true },
      },
    })
  })

  it('detects a changed element by its digest (§9.1.2.4)', async () => {
    const bytes = Buffer.from(mdoc, 'base64url')
    const at = bytes.indexOf(CLAIMS.name.family)
    expect(at).toBeGreaterThan(0)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    const answer = await checked(bytes.toString('base64url'))
    expect(outcomes(answer)).toContain('signature failed')
    expect(outcomes(answer).at(-1)).toBe('revoked not-reached')
    expect(answer.verdict).toEqual({ isValid: false, error: expect.any(String) })
    expect(answer.verdict.error).not.toContain(CLAIMS.name.given)
  })

  it('refuses a document whose chain leads to no trusted root', async () => {
    await using stranger = await startService({ maintenance: false })
    expect(outcomes(await checked(mdoc, stranger))).toEqual([
      'format passed',
      'issuer-key failed',
      'signature not-reached',
      'validity not-reached',
      'revoked not-reached',
    ])
  })

  it.each([
    ['no map in CBOR', 'nothing', 'Unsupported credential format. Expected compact JWT (x.y.z) or SD-JWT.'],
    ['a map with other content', 'oWFhAQ', 'Issuer signature is no COSE_Sign1.'],
  ])('fails the check of the form for: %s', async (_what, credential, error) => {
    const answer = await checked(credential)
    expect([outcomes(answer)[0], answer.verdict]).toEqual(['format failed', { isValid: false, error }])
  })

  it('refuses a revoked document', async () => {
    await world.revoke(wallet)
    const answer = await checked(mdoc)
    expect(outcomes(answer).at(-1)).toBe('revoked failed')
    expect(answer.verdict).toEqual({ isValid: false, error: 'Credential has been revoked.' })
  })
})

it('POST /credentials/verify accepts only SD-JWTs and compact JWTs', async () => {
  expect(await post('/credentials/verify', mdoc)).toEqual({
    isValid: false,
    error: 'Unsupported credential format. Expected compact JWT (x.y.z) or SD-JWT.',
  })
})
