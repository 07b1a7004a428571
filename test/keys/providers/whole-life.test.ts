import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import { keysCommand } from '../../../server/key-rotation/command.js'
import { credentialOf, payloadOf, SD_JWT, startIssuer } from '../../issuer/openid4vci/actors.js'
import { query } from '../../support/postgres.js'
import { environmentOf } from '../environment.js'
import { keyOfKid, opensslReadsRequest, verifiedByJose } from './foreign.js'
import { PLACES } from './places.js'
import { assertWholeLife } from './whole-life.js'

const BOTH = { ISSUER_KEY_PROVIDER: 'hsm', VERIFIER_KEY_PROVIDER: 'hsm' }

const pathOf = (url: string) => new URL(url).pathname

describe.each(PLACES)('the keys of an issuer and a verifier are in a key provider of the kind %s', (_kind, begin) => {
  test('credentials of three formats are issued, presented and revoked; libraries of others verify each signature', async () => {
    await assertWholeLife(await begin())
  })

  test('signed metadata, certificate requests and new keys come from the provider', async () => {
    const place = await begin()
    const issuer = await startIssuer({ env: { ...place.env, ...BOTH } })
    onTestFinished(() => issuer.service.close())
    const { service } = issuer
    const metadata = await service.request('GET', '/.well-known/openid-credential-issuer', {
      headers: { accept: 'application/jwt' },
    })
    await jwtVerify(metadata.text, await importJWK(decodeProtectedHeader(metadata.text).jwk ?? {}, 'ES256'))

    const authorization = await service.bearer('alice', { roles: ['admin'] })
    const body = { method: 'web', keyProvider: 'hsm', display: [{ name: 'Shop' }] }
    const verifier = await service.request('POST', '/agent/verifier', { authorization, body })
    expect(verifier.status, verifier.text).toBe(201)
    const path = `/agent/verifier/${verifier.json.id}/certificate-request`
    const { certificateRequest } = (await service.request('GET', path, { authorization })).json
    expect((await opensslReadsRequest(certificateRequest)).export({ format: 'jwk' })).toMatchObject({
      x: keyOfKid(`${Buffer.from(JSON.stringify({ kid: verifier.json.did })).toString('base64url')}.e30.e30`).x,
    })
    const environment = environmentOf(service, place.env)
    const [line, request = ''] = await keysCommand(['--certificate-request'], environment)
    expect(line).toMatch(/^key: hsm:/)
    await opensslReadsRequest(`${request}\n`)

    const takenNow = async () => {
      const { credentialOfferSessionId: id } = await issuer.makeOffer()
      return credentialOf(await issuer.take(await issuer.token(id), SD_JWT))
    }
    const kidOf = (credential: string) => decodeProtectedHeader(credential.split('~')[0] ?? '').kid
    const before = await takenNow()
    expect((await keysCommand(['--provider', 'hsm'], environment)).at(-1)).toMatch(/^3 records have a new key\.$/)
    const after = await takenNow()
    await verifiedByJose(after)
    expect(kidOf(after)).not.toBe(kidOf(before))
    const list = await service.request('GET', pathOf(payloadOf(before).status.status_list.uri))
    await verifiedByJose(list.text)
    expect(kidOf(list.text)).toBe(kidOf(before))
    const keys = await query(
      service.databaseUrl,
      `SELECT DISTINCT provider, private_jwk FROM keys WHERE alg IN ('ES256')`,
    )
    expect(keys).toEqual([{ provider: 'hsm', private_jwk: null }])
  })
})
