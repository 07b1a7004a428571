import { beforeAll, describe, expect, it } from 'vitest'
import { standardFormats } from '../../../server/formats/registry.js'
import { Work } from '../../../server/protocol/work.js'
import type { HeldCredential } from '../../../server/wallet/credentials/held.js'
import { matchQuery, parseQuery } from '../../../server/wallet/openid4vp/match-query.js'
import { final } from '../../../server/wallet/openid4vp/profiles/final.js'
import { createComesFrom } from '../../../server/wallet/openid4vp/trusted-authorities.js'
import { makeCertificate } from '../../protocol/issuer-keys/certificates.js'
import { newRemoteKey, type RemoteKey, signJwt } from '../../support/wallet-callbacks.js'

const LONG = { notBefore: '2020-01-01T00:00:00Z', notAfter: '2099-12-31T23:59:59Z' }
const VCT = 'https://registry.example/vct/diploma'

let key: RemoteKey
beforeAll(async () => {
  key = await newRemoteKey()
})

/** A held SD-JWT VC without selectively disclosable claims. */
async function held(id: string, header: Record<string, unknown> = {}): Promise<HeldCredential> {
  const jwt = await signJwt(key, { typ: 'dc+sd-jwt', ...header }, { vct: VCT, degree: 'Laurea' })
  return {
    id,
    format: 'dc+sd-jwt',
    compact: `${jwt}~`,
    createdAt: new Date(0),
    copyId: id,
    kid: key.kid,
    keyId: id,
    privateJwk: null,
    content: {
      credentialIssuer: 'https://registry.example',
      configurationId: 'Diploma',
      types: [VCT],
      issuer: key.did,
      issuerKey: { jwk: key.publicJwk, issuer: key.did },
    },
  }
}

const KEY_IDENTIFIER = '0102030405060708'
const AKI = Buffer.from(KEY_IDENTIFIER, 'hex').toString('base64url')

/** A chain of one certificate whose authorityKeyIdentifier (RFC 5280 §4.2.1.1) is KEY_IDENTIFIER. */
const chained = () =>
  makeCertificate({
    subject: 'Registry',
    extensions: [{ id: '551d23', critical: false, value: `300a8008${KEY_IDENTIFIER}` }],
    ...LONG,
  }).x5c

const work = () => new Work(100_000)

/** A wallet without trusted lists. */
const conditions = { comesFrom: createComesFrom({}, new Date()) }

const asking = (authorities?: readonly string[]) =>
  parseQuery(standardFormats, final, {
    credentials: [
      {
        id: 'diploma',
        format: 'dc+sd-jwt',
        meta: { vct_values: [VCT] },
        ...(authorities === undefined ? {} : { trusted_authorities: [{ type: 'aki', values: authorities }] }),
      },
    ],
  })

describe('matching held credentials with a DCQL query (OpenID4VP 1.0 §6)', () => {
  it('by the authority in the certificate chain of the credential (§6.1.1.1)', async () => {
    const wallet = [await held('plain'), await held('certified', { x5c: [chained()] })]
    const matching = async (authorities?: string[]) =>
      (await matchQuery(asking(authorities), wallet, work(), conditions)).matches.map(({ held }) => held.id)
    expect(await matching([AKI])).toEqual(['certified'])
    expect(await matching(['AAAA'])).toEqual([])
    expect(await matching()).toEqual(['plain', 'certified'])
  })

  it('an invalid chain names no authority', async () => {
    const wallet = [await held('broken', { x5c: ['AAAA'] })]
    expect((await matchQuery(asking([AKI]), wallet, work(), conditions)).matches).toEqual([])
    expect((await matchQuery(asking(), wallet, work(), conditions)).matches).toHaveLength(1)
  })

  it('prefers the selected credential, and otherwise the first of several', async () => {
    const { choose } = await matchQuery(asking(), [await held('first'), await held('second')], work(), conditions)
    expect(choose(undefined)?.map(({ held }) => held.id)).toEqual(['first'])
    expect(choose('second')?.map(({ held }) => held.id)).toEqual(['second'])
  })

  it('prefers the alternative of the selected credential', async () => {
    const [query] = asking().query.credentials
    const sets = parseQuery(standardFormats, final, {
      credentials: [
        { ...query, id: 'one' },
        { ...query, id: 'two', claims: [{ path: ['degree'], values: ['Laurea'] }] },
      ],
      credential_sets: [{ options: [['one'], ['two']] }],
    })
    const { choose } = await matchQuery(sets, [await held('only')], work(), conditions)
    expect(choose(undefined)?.map(({ queryId }) => queryId)).toEqual(['one'])
  })

  it('works for drafts before November 2024, with their name of the format', async () => {
    const query = parseQuery(standardFormats, final, {
      credentials: [{ id: 'diploma', format: 'vc+sd-jwt', meta: { vct_values: [VCT] } }],
    })
    expect((await matchQuery(query, [await held('only')], work(), conditions)).matches).toHaveLength(1)
  })

  it('has no result if a required query has no answer', async () => {
    expect(
      (await matchQuery(asking(['AAAA']), [await held('plain')], work(), conditions)).choose(undefined),
    ).toBeUndefined()
  })
})
