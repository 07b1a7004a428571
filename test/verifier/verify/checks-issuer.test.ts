import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signCompact } from '../../../server/protocol/jose/jws.js'
import type { TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { startService, type TestService } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { anchorFiles, makeLeaf, makeRoot, membership, signerOf } from '../certified.js'

let files: Awaited<ReturnType<typeof anchorFiles>>
let root: TestCertificate
let service: TestService
let wallet: WalletActor

beforeAll(async () => {
  files = await anchorFiles()
  root = makeRoot()
  service = await startService({ env: { TRUST_ANCHORS: await files.write('roots', root), AUTH_DISABLED: 'true' } })
  wallet = await newWallet()
})
afterAll(async () => {
  await service.close()
  await files[Symbol.asyncDispose]()
})

type Names = Parameters<typeof makeLeaf>[1]

const sdJwtVc = (iss: string, names: Names) => membership(makeLeaf(root, names), wallet, { iss })

async function jwtVc(iss: string, names: Names): Promise<string> {
  const leaf = makeLeaf(root, names)
  const vc = {
    '@context': ['https://www.w3.org/2018/credentials/v1'],
    type: ['VerifiableCredential', 'Membership'],
    credentialSubject: { level: 'gold' },
  }
  const payload = { iss, nbf: 1_700_000_000, vc }
  return signCompact(await signerOf(leaf), { typ: 'JWT', kid: undefined, x5c: [leaf.x5c] }, payload)
}

const verdictOf = async (path: string, credential: string) =>
  (await service.request('POST', path, { body: { credential } })).json

describe.each([
  ['an SD-JWT VC', sdJwtVc],
  ['a JWT VC', jwtVc],
])('with x5c the issuer is the subject of the certificate (HAIP 1.0 §6.1.1): %s', (_, credentialOf) => {
  it.each<[string, () => string, Names, string]>([
    ['an iss of another issuer', () => 'https://bank.example', {}, 'CN=Club'],
    ['the iss of this installation', () => service.url, {}, 'CN=Club'],
    ['a DID of another issuer as iss', () => 'did:web:bank.example', {}, 'CN=Club'],
    ['an iss on another host than the certificate', () => 'https://bank.example', { dns: ['club.example'] }, 'CN=Club'],
    ['a URN as iss', () => 'urn:pid-provider', {}, 'CN=Club'],
    [
      'an iss that the certificate names',
      () => 'https://club.example/a',
      { dns: ['club.example'] },
      'https://club.example/a',
    ],
  ])('%s', async (_case, iss, names, issuer) => {
    const credential = await credentialOf(iss(), names)
    const { verdict, error } = await verdictOf('/api/v1/credentials/checks', credential)
    expect(verdict ?? error).toMatchObject({ isValid: true, issuer })
  })

  it('and POST /credentials/verify has only the members of its interface', async () => {
    const verdict = await verdictOf('/credentials/verify', await credentialOf('https://bank.example', {}))
    expect(Object.keys(verdict)).toEqual(expect.arrayContaining(['isValid', 'format', 'payload']))
    expect(verdict).not.toHaveProperty('issuer')
  })
})
