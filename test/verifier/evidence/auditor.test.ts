import { createHash } from 'node:crypto'
import { gunzipSync, inflateSync } from 'node:zlib'
import { Verifier } from '@auth0/mdl'
import { SDJwtInstance } from '@sd-jwt/core'
import { compactVerify, decodeJwt, decodeProtectedHeader, importJWK, importX509, type JWK, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import type { StoredEvidence } from '../../../server/verifier/evidence/package.js'
import { answer, present } from '../actors.js'
import { askBrowser, credentialWith, parametersOf, postFrom, SHOP } from '../browser.js'
import { LICENCE, licence, useMdocVerifier } from '../mdoc.js'
import { useWorld } from '../world.js'
import { evidenceOf, failuresOf } from './kept.js'

// An auditor has only the package. In this test only libraries verify the package, and no function of this service.

const world = useWorld({ maintenance: false })

/** Verifies a compact JWS with jose. @returns its payload */
async function signedBy(compact: string, jwk: unknown): Promise<Record<string, unknown>> {
  const { alg = '' } = decodeProtectedHeader(compact)
  const { payload } = await compactVerify(compact, await importJWK(jwk as JWK, alg))
  return JSON.parse(Buffer.from(payload).toString())
}

const isSigned = (jwk: unknown) => async (data: string, signature: string) =>
  signedBy(`${data}.${signature}`, jwk).then(
    () => true,
    () => false,
  )

/** Returns the key of an issuer from a DID document of the package. */
function keyInDocument({ sources }: StoredEvidence, did: string, kid: string): unknown {
  const document = sources.find(({ kind, address }) => kind === 'did-document' && address === did)?.content
  const methods = (document as { verificationMethod: { id: string; publicKeyJwk: JWK }[] }).verificationMethod
  return methods.find(({ id }) => id === kid || `${did}${id}` === kid)?.publicKeyJwk
}

function listAt({ sources }: StoredEvidence, uri: string): string {
  const list = sources.find(({ kind, address }) => kind === 'status-list' && address === uri)
  return String(list?.content)
}

/** The request is signed by the verifier and has this nonce. */
async function checkRequest({ request, answeredAt }: StoredEvidence): Promise<void> {
  const key = await importJWK(request.key as JWK, decodeProtectedHeader(String(request.signed)).alg)
  const { payload } = await jwtVerify(String(request.signed), key, { currentDate: new Date(answeredAt) })
  expect(payload).toMatchObject({
    nonce: request.nonce,
    client_id: request.clientId,
    response_uri: request.responseUri,
  })
}

describe('an auditor with jose and @sd-jwt/core', () => {
  it('verifies an SD-JWT VC, its holder, its request and its status', async () => {
    const { asked, payload } = await world.asked('dc+sd-jwt', { keepEvidence: true })
    const transactions = await present(world.held['dc+sd-jwt'], world.wallet, payload)
    expect((await answer(payload, { purchase: [transactions] })).status).toBe(200)
    const evidence = await evidenceOf(world.service, asked)
    await checkRequest(evidence)

    const presentation = String(evidence.presentations[0]?.presentation)
    const [credential = ''] = presentation.split('~', 1)
    const { iss = '', status } = decodeJwt<{ status: { status_list: { uri: string; idx: number } } }>(credential)
    const issuerKey = keyInDocument(evidence, iss, String(decodeProtectedHeader(credential).kid))
    expect(evidence.keys).toMatchObject([{ of: 'Credential', issuer: iss, jwk: issuerKey }])
    const auditor = new SDJwtInstance<Record<string, unknown>>({
      hasher: (data, alg) => createHash(alg.replace('-', '')).update(String(data)).digest(),
      hashAlg: 'sha-256',
      verifier: isSigned(issuerKey),
      kbVerifier: (data, signature, { cnf }) => isSigned((cnf as { jwk: unknown }).jwk)(data, signature),
    })
    const currentDate = Date.parse(evidence.answeredAt) / 1000
    const { payload: claims, kb } = await auditor.verify(presentation, {
      currentDate,
      skewSeconds: 60,
      keyBindingNonce: evidence.request.nonce,
    })
    expect(claims).toMatchObject({ product: 'Espresso machine' })
    expect(evidence.request.audience).toContain(kb?.payload.aud)

    const { uri, idx } = status.status_list
    const list = await signedBy(listAt(evidence, uri), issuerKey)
    expect(list).toMatchObject({ sub: uri, status_list: { bits: 1 } })
    expect(Number(list.exp)).toBeGreaterThan(currentDate)
    const { lst } = list.status_list as { lst: string }
    const octet = inflateSync(Buffer.from(lst, 'base64url'))[Math.floor(idx / 8)] ?? 255
    expect((octet >> (idx % 8)) & 1).toBe(0)
  })

  it('verifies the transaction that a holder authorized', async () => {
    const { asked, payload } = await world.asked('dc+sd-jwt', {
      keepEvidence: true,
      transactionData: [{ type: 'urn:example:payment', credential_ids: ['purchase'], amount: '12.00 EUR' }],
    })
    const [sent = ''] = payload.transaction_data as string[]
    const hash = createHash('sha256').update(sent).digest('base64url')
    const claims = { transaction_data_hashes: [hash] }
    const shown = await present(world.held['dc+sd-jwt'], world.wallet, payload, { claims })
    expect((await answer(payload, { purchase: [shown] })).status).toBe(200)
    const evidence = await evidenceOf(world.service, asked)
    const [entry = ''] = evidence.request.transactionData ?? []
    expect(JSON.parse(Buffer.from(entry, 'base64url').toString())).toMatchObject({ amount: '12.00 EUR' })
    const holderBinding = decodeJwt(String(evidence.presentations[0]?.presentation).split('~').at(-1) ?? '')
    expect(holderBinding.transaction_data_hashes).toEqual([createHash('sha256').update(entry).digest('base64url')])
    expect(await failuresOf(evidence)).toEqual([])
  })
})

it('an auditor with jose verifies a JWT VC, its holder, its request and its status', async () => {
  const { asked, payload } = await world.asked('jwt_vc_json', { keepEvidence: true })
  const shown = await present(world.held.jwt_vc_json, world.wallet, payload)
  expect((await answer(payload, { purchase: [shown] })).status).toBe(200)
  const evidence = await evidenceOf(world.service, asked)
  await checkRequest(evidence)

  const presentation = String(evidence.presentations[0]?.presentation)
  const { kid: holderKid = '' } = decodeProtectedHeader(presentation)
  const holder = holderKid.split('#', 1)[0] ?? ''
  const vp = await signedBy(presentation, keyInDocument(evidence, holder, holderKid))
  expect([vp.nonce, evidence.request.audience]).toEqual([evidence.request.nonce, [vp.aud]])
  const [credential = ''] = (vp.vp as { verifiableCredential: string[] }).verifiableCredential
  const { iss = '' } = decodeJwt(credential)
  const issuerKey = keyInDocument(evidence, iss, String(decodeProtectedHeader(credential).kid))
  const { sub, vc } = await signedBy(credential, issuerKey)
  expect(sub).toBe(holder)

  const entry = (vc as { credentialStatus: { statusListCredential: string; statusListIndex: string } }).credentialStatus
  const list = await signedBy(listAt(evidence, entry.statusListCredential), issuerKey)
  const { encodedList } = (list.credentialSubject ?? {}) as { encodedList: string }
  const bits = gunzipSync(Buffer.from(encodedList.slice(1), 'base64url'))
  const index = Number(entry.statusListIndex)
  expect(((bits[Math.floor(index / 8)] ?? 255) >> (7 - (index % 8))) & 1).toBe(0)
})

describe('an auditor with @auth0/mdl', () => {
  const mdocs = useMdocVerifier({}, { maintenance: false })

  /** SessionTranscriptBytes (ISO/IEC 18013-5 §9.1.5.1): tag 24 around the transcript of the package. */
  function transcriptBytes(base64url: string): Buffer {
    const transcript = Buffer.from(base64url, 'base64url')
    const length =
      transcript.length < 256 ? [0x58, transcript.length] : [0x59, transcript.length >> 8, transcript.length & 255]
    return Buffer.concat([Buffer.from([0xd8, 24, ...length]), transcript])
  }

  async function failedChecks(evidence: StoredEvidence): Promise<string[]> {
    const failed: string[] = []
    const roots = evidence.trustAnchors.credentials.map(
      (der) => `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----`,
    )
    await importX509(roots[0] ?? '', 'ES256')
    const [shown] = evidence.presentations
    await new Verifier(roots).verify(Buffer.from(String(shown?.presentation), 'base64url'), {
      encodedSessionTranscript: transcriptBytes(shown?.sessionTranscripts?.[0] ?? ''),
      onCheck: ({ status, check }) => {
        if (status === 'FAILED') failed.push(check)
      },
    })
    return failed
  }

  it.each(['direct_post', 'direct_post.jwt'])('verifies a mobile document by %s', async (responseMode) => {
    const { asked, payload } = await mdocs.asked(LICENCE, { responseMode, keepEvidence: true })
    const reply = await answer(payload, { licence: [await mdocs.present(mdocs.redirect(payload))] })
    expect(reply.status).toBe(200)
    const evidence = await evidenceOf(mdocs.service, asked)
    expect(evidence.presentations[0]?.sessionTranscripts).toHaveLength(1)
    expect(await failedChecks(evidence)).toEqual([])
    expect(await failuresOf(evidence)).toEqual([])
    // A different nonce would make a different transcript.
    const [shown] = evidence.presentations
    if (shown === undefined) throw new Error('There is no presentation.')
    const other = Buffer.from(mdocs.redirect({ ...payload, nonce: 'other' })).toString('base64url')
    const altered = { ...evidence, presentations: [{ ...shown, sessionTranscripts: [other] }] }
    expect(await failedChecks(altered)).not.toEqual([])
    expect(await failuresOf(altered)).not.toEqual([])
  })

  it.each([false, true])('verifies a mobile document over the Digital Credentials API, signed: %s', async (signed) => {
    const asked = await askBrowser(mdocs.service, {
      responseMode: 'dc_api.jwt',
      signed,
      keepEvidence: true,
      dcqlQuery: { credentials: [LICENCE] },
    })
    const request = asked.digitalCredentialRequest
    const shown = await mdocs.present(mdocs.dcApi(parametersOf(request)))
    const credential = await credentialWith(request, { vp_token: { licence: [shown] } })
    expect((await postFrom(SHOP, asked, credential)).status).toBe(200)
    const evidence = await evidenceOf(mdocs.service, asked)
    expect(evidence.request).toMatchObject({ origins: [SHOP], protocol: request.protocol })
    expect(evidence.request.parameters ?? { request: evidence.request.signed }).toEqual(request.data)
    expect(await failedChecks(evidence)).toEqual([])
    expect(await failuresOf(evidence)).toEqual([])
  })

  it('gets the whole chain to the root', async () => {
    const { asked, payload } = await mdocs.asked(LICENCE, { keepEvidence: true })
    await answer(payload, { licence: [await mdocs.present(mdocs.redirect(payload))] })
    const { keys, trustAnchors } = await evidenceOf(mdocs.service, asked)
    const root = mdocs.authority.x5c
    expect(keys).toMatchObject([{ of: 'Credential', certificates: [mdocs.issuer.x5c, root] }])
    expect(trustAnchors).toEqual({ credentials: [root], statusLists: [] })
  })

  it('sees why a document was refused', async () => {
    const { asked, payload } = await mdocs.asked(LICENCE, { keepEvidence: true })
    const issuerSigned = await licence(mdocs.issuer, mdocs.holder, { expiresAt: new Date(Date.now() - 60_000) })
    await answer(payload, { licence: [await mdocs.present(mdocs.redirect(payload), { issuerSigned })] })
    const evidence = await evidenceOf(mdocs.service, asked)
    expect(evidence.errorMessage).toBe('Presentation for licence: Credential has expired.')
    expect(await failuresOf(evidence)).toEqual([])
  })
})
