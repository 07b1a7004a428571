import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService } from '../../support/service.js'
import { certificateFiles, intermediate } from '../certified.js'
import { accessLeaf, newVerifier, type Registrar, SHOP, startRegistrar } from './registered.js'

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
    const claims = [{ path: ['age_equal_or_over', '18'] }]
    const meta = { vct_values: ['urn:eudi:pid:1'] }
    const { json } = await service.request('POST', '/authorization-requests', {
      authorization,
      body: {
        dcqlQuery: { credentials: [{ id: 'pid', format: 'dc+sd-jwt', meta, claims }] },
        responseMode: 'direct_post',
        page: true,
        verifierId,
      },
    })
    const page = await (await fetch(json.pageUrl)).text()
    expect(languages.filter((lang) => page.includes(`Purpose in ${lang}.`))).toEqual([purpose.slice(11, -1)])
  })
})

describe('the file of VERIFIER_REGISTRATIONS', () => {
  it('ends the start if it has more than 20 certificates', async () => {
    const certificates = await Promise.all(
      Array.from({ length: 21 }, (_, at) => registrar.certify({ intended_use_id: `use-${at}` })),
    )
    const path = `${files.directory}/too-many.txt`
    await writeFile(path, certificates.join('\n'))
    const env = {
      ...(await environment()),
      VERIFIER_X509: await files.fileOf([accessLeaf(SHOP), intermediate]),
      VERIFIER_REGISTRATIONS: path,
    }
    await expect(startService({ maintenance: false, env })).rejects.toThrow(
      'VERIFIER_REGISTRATIONS must not hold more than 20 certificates.',
    )
  })
})
