import { describe, expect, it } from 'vitest'
import { readPem } from '../../../server/protocol/trust-lists/pem/read-pem.js'
import { KINDS, kindOf } from '../../../server/protocol/trust-lists/registry.js'
import { LIST_KINDS } from '../../../server/protocol/trust-lists/trust-list.js'
import { authority, listOf, options, refusalOf } from './world.js'

describe('certificates in PEM form', () => {
  const [first, second] = [authority('C=EU/First'), authority('C=EU/Second')]

  it('are entities of their own, which nobody has signed', async () => {
    const read = await readPem(Buffer.from(`# roots\n${first.certificate}\n${second.certificate}`), options())
    expect(read).toMatchObject({ accepted: true, signature: 'none', trust: 'unpinned' })
    expect(listOf(read).entities).toMatchObject([
      { names: { en: 'C=EU, CN=First' }, services: [{ certificates: [first.certificate.raw] }] },
      { names: { en: 'C=EU, CN=Second' }, services: [{ uses: ['issuance', 'status'] }] },
    ])
  })

  it.each([
    ['without a certificate', 'nothing'],
    ['with a private key', `${first.certificate}-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----`],
    ['with a broken certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
  ])('are refused %s', async (_name, text) => {
    expect(refusalOf(await readPem(Buffer.from(text), options())).check).toBe('malformed')
  })
})

describe('the registry', () => {
  it('has a reader for each kind', () => {
    expect(KINDS.map(({ kind }) => kind).sort()).toEqual([...LIST_KINDS].sort())
    expect(kindOf('pem').signed).toBe(false)
  })
})
