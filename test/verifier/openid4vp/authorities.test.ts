import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSigner, type Jwk, signCompact } from '../../../server/protocol/jose/jws.js'
import { issueSdJwtVc } from '../../../server/protocol/sd-jwt-vc/issue.js'
import { makeCertificate, type TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { startService, type TestService } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { answer, ask, fetchRequest, present, sessionOf } from '../actors.js'

const YEARS = { notBefore: '2020-01-01T00:00:00Z', notAfter: '2099-12-31T00:00:00Z' }
const AUTHORITY_KEY_IDENTIFIER = '551d23'
const NONE_OF_THEM = 'Credential club comes from none of the trusted_authorities.'

/** The extension that names the key of the authority by four octets (RFC 5280 §4.2.1.1). */
const signedBy = (keyIdentifier: string) => ({
  id: AUTHORITY_KEY_IDENTIFIER,
  critical: false,
  value: `30068004${keyIdentifier}`,
})
const aki = (keyIdentifier: string) => Buffer.from(keyIdentifier, 'hex').toString('base64url')
const [GOOD, OTHER] = ['0a0a0a0a', '0b0b0b0b']

let directory: string
let root: TestCertificate
let service: TestService
let wallet: WalletActor

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'credence-anchors-'))
  root = makeCertificate({ subject: 'Root', ca: true, keyUsage: 0x04, ...YEARS })
  await writeFile(join(directory, 'roots.pem'), root.certificate.toString())
  service = await startService({ env: { TRUST_ANCHORS: join(directory, 'roots.pem'), TRUSTED_ISSUERS: '*' } })
  wallet = await newWallet()
})
afterAll(async () => {
  await service.close()
  await rm(directory, { recursive: true })
})

const leafOf = (issuer: TestCertificate, extension: ReturnType<typeof signedBy>) =>
  makeCertificate({
    subject: 'Club',
    issuer,
    uri: ['https://club.example'],
    keyUsage: 0x80,
    extensions: [extension],
    ...YEARS,
  })

/** Presents a club's membership credential with the given chain to a verifier that accepts only one authority. */
async function presentTo(authority: string, leaf: TestCertificate, behind: readonly TestCertificate[] = []) {
  const credential = await issueSdJwtVc({
    signer: await createSigner(leaf.privateKey.export({ format: 'jwk' }) as Jwk, 'unused'),
    x5c: [leaf, ...behind].map(({ x5c }) => x5c),
    issuer: 'https://club.example',
    vct: 'https://club.example/membership',
    claims: { level: 'gold' },
    selectivelyDisclosable: 'all',
    holderKey: wallet.publicJwk,
    issuedAt: new Date(),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  })
  return presentCredential(authority, credential, [['level']])
}

async function presentCredential(authority: string, credential: string, disclose: readonly (readonly string[])[] = []) {
  const asked = await ask(service, {
    responseMode: 'direct_post',
    dcqlQuery: {
      credentials: [
        {
          id: 'club',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['https://club.example/membership'] },
          trusted_authorities: [{ type: 'aki', values: [authority] }],
        },
      ],
    },
  })
  const payload = await fetchRequest(asked)
  const held = { id: '', format: 'dc+sd-jwt', credential } as const
  const reply = await answer(payload, { club: [await present(held, wallet, payload, { disclose })] })
  return { reply, session: await sessionOf(service, asked) }
}

describe('trusted_authorities of type aki (OpenID4VP 1.0 §6.1.1.1)', () => {
  it('accept a credential whose chain names this authority', async () => {
    const { reply, session } = await presentTo(aki(GOOD), leafOf(root, signedBy(GOOD)))
    expect([reply.status, session.state]).toEqual([200, 'ResponseVerified'])
  })

  it('refuse a credential of another authority', async () => {
    const { reply, session } = await presentTo(aki(OTHER), leafOf(root, signedBy(GOOD)))
    expect([reply.status, reply.json.error_description]).toEqual([400, NONE_OF_THEM])
    expect(session).toMatchObject({ state: 'Error', errorMessage: NONE_OF_THEM })
  })

  it('are not satisfied by a certificate that was added after the chain', async () => {
    const stranger = makeCertificate({ subject: 'Stranger', ca: true, keyUsage: 0x04, ...YEARS })
    const { reply } = await presentTo(aki(OTHER), leafOf(root, signedBy(GOOD)), [leafOf(stranger, signedBy(OTHER))])
    expect([reply.status, reply.json.error_description]).toEqual([400, NONE_OF_THEM])
  })

  it('attack: are not satisfied by a certificate of another key, which anyone can copy into a header', async () => {
    const { did, signer } = await newWallet()
    const header = { typ: 'dc+sd-jwt', kid: signer.kid, x5c: [leafOf(root, signedBy(GOOD)).x5c] }
    const payload = { iss: did, vct: 'https://club.example/membership', level: 'gold', cnf: { jwk: wallet.publicJwk } }
    const { reply } = await presentCredential(aki(GOOD), `${await signCompact(signer, header, payload)}~`)
    expect([reply.status, reply.json.error_description]).toEqual([400, NONE_OF_THEM])
  })

  it.each(['30ff', '3006', '30068004'])(
    'refuse a malformed identifier (%s), in the chain or after the chain',
    async (value) => {
      const malformed = { ...signedBy(GOOD), value }
      // OpenSSL itself does not accept such a chain.
      expect((await presentTo(aki(GOOD), leafOf(root, malformed))).reply.status).toBe(400)
      const { reply: fine } = await presentTo(aki(GOOD), leafOf(root, signedBy(GOOD)), [leafOf(root, malformed)])
      expect(fine.status).toBe(200)
    },
  )
})
