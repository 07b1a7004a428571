import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService } from '../../support/service.js'
import { certificateFor, pemOf } from '../authority.js'
import { certificateFiles, intermediate } from '../certified.js'
import { newVerifier, type Registrar, SHOP, startRegistrar } from './registered.js'

let registrar: Registrar
let files: Awaited<ReturnType<typeof certificateFiles>>

beforeAll(async () => {
  registrar = await startRegistrar()
  files = await certificateFiles()
})
afterAll(async () => {
  await registrar.close()
  await files.remove()
})

const environment = async () => ({
  REGISTRAR_TRUST_ANCHORS: await files.fileOf([registrar.root]),
  OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
})

const queryFor = (path: readonly string[]) => ({
  credentials: [{ id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path }] }],
})

describe('the purpose of a request that has none of its own', () => {
  it.each([
    ['is the English text of the certificate, wherever it stands', ['de', 'fr', 'en-GB'], 'Purpose in en-GB.'],
    ['is the first text of a certificate without English', ['de', 'fr'], 'Purpose in de.'],
  ])('%s', async (_, languages, purpose) => {
    await using service = await startService({ maintenance: false, env: await environment() })
    const authorization = await service.bearer('verifier', { roles: ['admin'] })
    const verifierId = await newVerifier(service, authorization)
    const texts = languages.map((lang) => ({ lang, value: `Purpose in ${lang}.` }))
    const added = await service.request('POST', `/api/v1/verifiers/${verifierId}/registration-certificates`, {
      authorization,
      body: { certificate: await registrar.certify({ purpose: texts }) },
    })
    expect(added.json.purposes, added.text).toEqual(texts)
    const { json } = await service.request('POST', '/authorization-requests', {
      authorization,
      body: {
        dcqlQuery: queryFor(['age_equal_or_over', '18']),
        responseMode: 'direct_post',
        page: true,
        verifierId,
      },
    })
    const page = await (await fetch(json.pageUrl)).text()
    expect(languages.filter((lang) => page.includes(`Purpose in ${lang}.`))).toEqual([purpose.slice(11, -1)])
  })
})

describe('a request of a draft, which has no place for a registration certificate', () => {
  it('carries none and is not compared with it, also if the access certificate signs it', async () => {
    const env = { ...(await environment()), VERIFIER_LEGACY_PROFILES: 'draft24' }
    await using service = await startService({ maintenance: false, env })
    const authorization = await service.bearer('verifier', { roles: ['admin'] })
    const verifierId = await newVerifier(service, authorization)
    const record = `/agent/verifier/${verifierId}`
    const csr = (await service.request('GET', `${record}/certificate-request`, { authorization })).json
    const leaf = certificateFor(csr.certificateRequest, { subject: `C=DE/OI=${SHOP}/Shop`, dns: ['127.0.0.1'] })
    const chain = pemOf(leaf, intermediate)
    expect((await service.request('POST', `${record}/certificate`, { authorization, body: { chain } })).status).toBe(
      200,
    )
    const path = `/api/v1/verifiers/${verifierId}/registration-certificates`
    const body = { certificate: await registrar.certify() }
    expect((await service.request('POST', path, { authorization, body })).status).toBe(201)
    const ask = (more: Record<string, unknown>) =>
      service.request('POST', '/authorization-requests', {
        authorization,
        body: {
          dcqlQuery: queryFor(['family_name']),
          responseMode: 'direct_post',
          profile: 'draft24',
          clientIdPrefix: 'x509_san_dns',
          verifierId,
          ...more,
        },
      })
    const asked = await ask({})
    expect(asked.status, asked.text).toBe(201)
    const payload = decodeJwt(await (await fetch(asked.json.request_uri)).text())
    expect(payload.client_id).toContain('x509_san_dns')
    expect(payload).not.toHaveProperty('verifier_info')
    expect((await ask({ intendedUse: 'age-check' })).json.message).toEqual([
      'intendedUse must be left out with a draft of OpenID4VP',
    ])
    expect((await ask({ profile: undefined })).status).toBe(400)
  })
})
