import { X509Certificate } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compactVerify, decodeJwt, decodeProtectedHeader, importX509, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keysCommand } from '../../server/key-rotation/command.js'
import { resolveIssuerKey } from '../../server/protocol/issuer-keys/resolve-issuer-key.js'
import { newIssuer } from '../issuer/issuer-record.js'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { environmentOf } from '../keys/environment.js'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { certificateFiles, certify, HTTPS, intermediate, leafOf, root, URL_OF_ISSUER } from './certified.js'

let files: Awaited<ReturnType<typeof certificateFiles>>
beforeAll(async () => {
  files = await certificateFiles()
})
afterAll(() => files.remove())

const partsOf = (compact: string) => {
  const [jwt = ''] = compact.split('~')
  return { jwt, header: decodeProtectedHeader(jwt), payload: decodeJwt(jwt) }
}

const dotted = (entry: string) => new X509Certificate(Buffer.from(entry, 'base64'))

/**
 * Verifies a credential as a verifier does that has only the root. It checks each certificate with the next certificate
 * of the chain, and the signature with the first certificate.
 */
async function verifiesToRoot(compact: string): Promise<void> {
  const { jwt, header } = partsOf(compact)
  const chain = [...(header.x5c ?? []).map(dotted), root.certificate]
  for (const [at, certificate] of chain.slice(0, -1).entries()) {
    const next = chain[at + 1] ?? root.certificate
    expect([certificate.checkIssued(next), certificate.verify(next.publicKey)]).toEqual([true, true])
  }
  await compactVerify(jwt, await importX509(String(chain[0]), 'ES256'))
}

async function actorsOf(service: TestService) {
  const authorization = await service.bearer('alice', { roles: ['admin'] })
  const { name: type } = await postSchema(service, authorization)
  const sign = async (format: string, issuerId?: string): Promise<{ id: string; credential: string }> => {
    const body = { type, credential_subject: SUBJECT, format, ...(issuerId === undefined ? {} : { issuerId }) }
    const answer = await service.request('POST', '/credentials/sign', { authorization, body })
    expect(answer.status, answer.text).toBe(201)
    return answer.json
  }
  const verify = async (credential: string, by = service) =>
    (await by.request('POST', '/credentials/verify', { authorization, body: { credential } })).json
  return { sign, verify }
}

const listOf = async (service: TestService, credential: string, form = 'token-status-lists') => {
  const { status } = partsOf(credential).payload as { status: { status_list: { uri: string } } }
  const id = new URL(status.status_list.uri).pathname.split('/')[2]
  return partsOf((await service.request('GET', `/${form}/${id}`)).text)
}

describe('an issuer with ISSUER_X509', () => {
  const leaf = leafOf()
  let service: TestService
  let actors: Awaited<ReturnType<typeof actorsOf>>
  let before: { id: string; credential: string }

  const startWith = async (chain: readonly TestCertificate[], env: Readonly<Record<string, string>> = {}) => {
    const { databaseUrl, identityProvider } = service
    return startService({
      databaseUrl,
      identityProvider,
      env: { ...HTTPS, ISSUER_X509: await files.fileOf(chain), ...env },
    })
  }

  beforeAll(async () => {
    service = await startService({ env: HTTPS })
    actors = await actorsOf(service)
    before = await actors.sign('dc+sd-jwt')
    // A second start stores the new key. The running service then uses the key too.
    await (await startWith([leaf, intermediate, root])).close()
  })
  afterAll(() => service.close())

  it('signs SD-JWT VCs with the chain and its URL and without kid; others verify them with only the root', async () => {
    const { credential } = await actors.sign('dc+sd-jwt')
    const { header, payload } = partsOf(credential)
    expect(header).toEqual({ typ: 'dc+sd-jwt', alg: 'ES256', x5c: [leaf.x5c, intermediate.x5c] })
    expect(payload.iss).toBe(URL_OF_ISSUER)
    await verifiesToRoot(credential)
    const nowhere = () => Promise.reject(new Error('Nothing is fetched.'))
    const io = {
      resolveDid: nowhere,
      fetchJson: nowhere,
      trustAnchors: [root.certificate],
      now: new Date(),
      allowHttp: false,
    }
    const found = await resolveIssuerKey({ ...header }, { ...payload }, io)
    expect([found.issuer, found.method]).toEqual([URL_OF_ISSUER, 'x5c'])
  })

  it('signs their Token Status List in the same way, and still names a DID in the Bitstring Status List', async () => {
    const { credential } = await actors.sign('dc+sd-jwt')
    const list = await listOf(service, credential)
    const { kty, crv, x, y } = leaf.certificate.publicKey.export({ format: 'jwk' })
    expect(list.header).toEqual({
      typ: 'statuslist+jwt',
      alg: 'ES256',
      jwk: { kty, crv, x, y },
      x5c: [leaf.x5c, intermediate.x5c],
    })
    expect(list.payload.iss).toBe(URL_OF_ISSUER)
    await verifiesToRoot(list.jwt)
    const bitstring = await listOf(service, credential, 'status-lists')
    expect([bitstring.header.x5c, bitstring.payload.iss]).toEqual([undefined, expect.stringMatching(/^did:web:/)])
  })

  it('signs metadata the same way', async () => {
    const headers = { accept: 'application/jwt' }
    const { text } = await service.request('GET', '/.well-known/openid-credential-issuer', { headers })
    const { header, payload } = partsOf(text)
    expect(header).toEqual({ typ: 'openidvci-issuer-metadata+jwt', alg: 'ES256', x5c: [leaf.x5c, intermediate.x5c] })
    expect([payload.iss, payload.sub]).toEqual([URL_OF_ISSUER, URL_OF_ISSUER])
    await verifiesToRoot(text)
  })

  it('names a DID in JWT VCs, and in all signatures of an issuer record without a certificate', async () => {
    const other = await newIssuer(service, 'alice', { method: 'web' })
    for (const [format, issuerId] of [
      ['jwt_vc_json', undefined],
      ['jwt_vc_json', other.id],
      ['dc+sd-jwt', other.id],
    ] as const) {
      const { credential } = await actors.sign(format, issuerId)
      const { header, payload } = partsOf(credential)
      expect([header.x5c, header.kid?.split('#')[0], payload.iss]).toEqual([
        undefined,
        payload.iss,
        expect.stringMatching(/^did:web:/),
      ])
      expect((await actors.verify(credential)).isValid).toBe(true)
    }
  })

  it('keeps earlier signatures valid: the former key still signs its list, under the DID of the key', async () => {
    const { header, payload } = await listOf(service, before.credential)
    const { header: former, payload: claims } = partsOf(before.credential)
    expect([header.x5c, header.kid, payload.iss]).toEqual([undefined, former.kid, claims.iss])
    expect((await actors.verify(before.credential)).isValid).toBe(true)
  })

  it.each(['no trust anchor', 'its own root', 'another root'])(
    'verifies its credentials by its own keys, with %s',
    async (anchors) => {
      const { id, credential } = await actors.sign('dc+sd-jwt')
      const path = join(files.directory, 'anchors.pem')
      await writeFile(
        path,
        String((anchors === 'its own root' ? root : certify({ subject: 'Else', ca: true })).certificate),
      )
      await using other = await startWith(
        [leaf, intermediate],
        anchors === 'no trust anchor' ? {} : { TRUST_ANCHORS: path },
      )
      expect(await actors.verify(credential, other)).toMatchObject({ isValid: true })
      await service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })
      expect(await actors.verify(credential, other)).toEqual({ isValid: false, error: 'Credential has been revoked.' })
    },
  )

  it('refuses a signer that uses another key with the chain, or another chain with the name', async () => {
    const { credential } = await actors.sign('dc+sd-jwt')
    const { header, payload } = partsOf(credential)
    const stranger = leafOf()
    const disclosures = credential.slice(credential.indexOf('~'))
    for (const x5c of [header.x5c ?? [], [stranger.x5c, intermediate.x5c]]) {
      const forged = await new SignJWT(payload)
        .setProtectedHeader({ ...header, alg: 'ES256', x5c })
        .sign(stranger.privateKey)
      expect((await actors.verify(`${forged}${disclosures}`)).isValid).toBe(false)
    }
    for (const x5c of [[], ['no certificate'], 'text', [Buffer.from('30', 'hex').toString('base64')]]) {
      const protectedHeader = { ...header, alg: 'ES256', x5c } as never
      const forged = await new SignJWT(payload).setProtectedHeader(protectedHeader).sign(stranger.privateKey)
      expect((await actors.verify(`${forged}${disclosures}`)).isValid).toBe(false)
    }
  })

  it('is not changed by keys:rotate, which says so and rotates the other keys', async () => {
    const issuer = await query(service.databaseUrl, 'SELECT id FROM issuers WHERE is_default')
    const lines = await keysCommand([], environmentOf(service))
    expect(lines).toContainEqual(
      expect.stringMatching(`^issuer ${issuer[0]?.id} keeps its key, which has a certificate`),
    )
    expect(lines.some((line) => line.startsWith('verifier '))).toBe(true)
    expect(partsOf((await actors.sign('dc+sd-jwt')).credential).header.x5c).toEqual([leaf.x5c, intermediate.x5c])
  })

  it('accepts a key, then a renewed certificate for it, then another key as a rotation, and then a former key again', async () => {
    const keySet = () =>
      query(
        service.databaseUrl,
        `SELECT k.id, k.x5c, k.retired_at IS NULL AS signs FROM keys k JOIN issuers i USING (key_set_id)
         WHERE i.is_default ORDER BY k.created_at, k.id`,
      )
    const restart = async (chain: readonly TestCertificate[]) => (await startWith(chain)).close()
    const first = await keySet()
    expect(first.map(({ signs }) => signs)).toEqual([false, true])
    await restart([leaf, intermediate])
    expect(await keySet()).toEqual(first)

    const { privateKey } = leaf
    const renewed = leafOf({ keyPair: { privateKey, publicKey: leaf.certificate.publicKey } })
    const former = await actors.sign('dc+sd-jwt')
    await restart([renewed, intermediate])
    expect((await keySet()).map(({ id }) => id)).toEqual(first.map(({ id }) => id))
    expect(partsOf((await actors.sign('dc+sd-jwt')).credential).header.x5c).toEqual([renewed.x5c, intermediate.x5c])

    const next = leafOf()
    await restart([next, intermediate])
    const current = await actors.sign('dc+sd-jwt')
    expect(partsOf(current.credential).header.x5c).toEqual([next.x5c, intermediate.x5c])
    await restart([renewed, intermediate])
    const again = await actors.sign('dc+sd-jwt')
    expect(partsOf(again.credential).header.x5c).toEqual([renewed.x5c, intermediate.x5c])
    expect((await keySet()).map(({ signs }) => signs)).toEqual([false, true, false])
    for (const { credential } of [former, current, again]) expect((await actors.verify(credential)).isValid).toBe(true)
    expect((await listOf(service, current.credential)).header.x5c).toEqual([next.x5c, intermediate.x5c])
  })
})

it('without ISSUER_X509 the issuer signs with its newest key without certificate, and with ISSUER_X509 again with the certified key', async () => {
  await using service = await startService({ env: HTTPS })
  const { sign, verify } = await actorsOf(service)
  const { databaseUrl, identityProvider } = service
  const env = { ...HTTPS, ISSUER_X509: await files.fileOf([leafOf(), intermediate]) }
  const restart = async (changes: Readonly<Record<string, string>>) =>
    (await startService({ databaseUrl, identityProvider, env: changes })).close()
  const headerOf = async () => {
    const { credential } = await sign('dc+sd-jwt')
    return { credential, ...partsOf(credential).header }
  }
  const first = await headerOf()
  await restart(env)
  const certified = await headerOf()
  expect(certified.x5c).toHaveLength(2)
  await restart(HTTPS)
  const without = await headerOf()
  expect([without.x5c, without.kid]).toEqual([undefined, first.kid])
  await restart(HTTPS)
  expect((await headerOf()).kid).toBe(first.kid)
  await restart(env)
  expect((await headerOf()).x5c).toEqual(certified.x5c)
  for (const { credential } of [first, certified, without]) expect((await verify(credential)).isValid).toBe(true)
})

it('over http, a new key of ISSUER_X509 gives the issuer the did:jwk of this key', async () => {
  await using service = await startService()
  const leaf = leafOf({ dns: ['127.0.0.1'] })
  const { databaseUrl, identityProvider } = service
  const env = {
    ISSUER_BASE_URL: service.url,
    VERIFIER_BASE_URL: service.url,
    ISSUER_X509: await files.fileOf([leaf, intermediate]),
  }
  await (await startService({ databaseUrl, identityProvider, env })).close()
  const { sign, verify } = await actorsOf(service)
  for (const format of ['jwt_vc_json', 'dc+sd-jwt']) {
    const { credential } = await sign(format)
    const { header, payload } = partsOf(credential)
    if (format === 'jwt_vc_json') expect(header.kid).toBe(`${payload.iss}#0`)
    else expect([header.x5c, payload.iss]).toEqual([[leaf.x5c, intermediate.x5c], service.url])
    expect((await verify(credential)).isValid).toBe(true)
  }
})

it('with SD_JWT_ISSUER=url and no certificate, a Token Status List names the URL and the kid of its credentials', async () => {
  await using service = await startService({ env: { ...HTTPS, SD_JWT_ISSUER: 'url' } })
  const { sign, verify } = await actorsOf(service)
  const { credential } = await sign('dc+sd-jwt')
  const { header, payload } = partsOf(credential)
  const list = await listOf(service, credential)
  expect([payload.iss, list.payload.iss, list.header.kid]).toEqual([URL_OF_ISSUER, URL_OF_ISSUER, header.kid])
  expect((await verify(credential)).isValid).toBe(true)
})
