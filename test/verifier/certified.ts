import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SignatureAlgorithm } from '../../server/protocol/jose/algorithms.js'
import { createSigner, type Jwk, type Signer, signCompact } from '../../server/protocol/jose/jws.js'
import { createTokenStatusList } from '../../server/protocol/status-list/token-status-list.js'
import {
  makeCertificate,
  type TestCertificate,
  type TestCertificateOptions,
} from '../protocol/issuer-keys/certificates.js'
import type { WalletActor } from '../support/wallet-actor.js'

export const YEARS = { notBefore: '2020-01-01T00:00:00Z', notAfter: '2099-12-31T00:00:00Z' }

export const MEMBERSHIP = 'https://club.example/membership'

const LIST_SIZE = 131_072

export const makeRoot = (subject = 'Root'): TestCertificate =>
  makeCertificate({ subject, ca: true, keyUsage: 0x04, ...YEARS })

/** Makes the certificate of a signer. By default only its subject names the signer. */
export const makeLeaf = (issuer: TestCertificate, options: Partial<TestCertificateOptions> = {}): TestCertificate =>
  makeCertificate({ subject: 'Club', issuer, keyUsage: 0x80, ...YEARS, ...options })

export const signerOf = ({ privateKey }: TestCertificate, kid = 'unused'): Promise<Signer> =>
  createSigner(privateKey.export({ format: 'jwk' }) as Jwk, kid)

/** Makes files with certificates for the TRUST_ANCHORS variables. */
export async function anchorFiles() {
  const directory = await mkdtemp(join(tmpdir(), 'credence-anchors-'))
  return {
    async write(name: string, ...roots: readonly TestCertificate[]): Promise<string> {
      const path = join(directory, `${name}.pem`)
      await writeFile(path, roots.map(({ certificate }) => certificate.toString()).join('\n'))
      return path
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  }
}

/** Makes a membership credential with the chain of its signer. The credential has an `iss` only if `iss` is given. */
export async function membership(
  leaf: TestCertificate,
  wallet: WalletActor,
  members: Readonly<Record<string, unknown>> = {},
  { x5c = [leaf.x5c], alg }: { readonly x5c?: readonly string[]; readonly alg?: string } = {},
): Promise<string> {
  const payload = { vct: MEMBERSHIP, level: 'gold', cnf: { jwk: wallet.publicJwk }, iat: seconds(-60), ...members }
  const signer = await signerOf(leaf)
  const named = alg === undefined ? signer : { ...signer, alg: alg as SignatureAlgorithm }
  return `${await signCompact(named, { typ: 'dc+sd-jwt', kid: undefined, x5c }, payload)}~`
}

const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow

/** Makes a status list with the chain of its signer. */
export async function certifiedStatusList(
  leaf: TestCertificate,
  uri: string,
  revokedIndices: readonly number[],
  expiresAt = new Date(Date.now() + 60_000),
  { x5c }: { readonly x5c: readonly string[] | undefined } = { x5c: [leaf.x5c] },
): Promise<string> {
  return createTokenStatusList({
    signer: await signerOf(leaf),
    ...(x5c === undefined ? {} : { x5c }),
    issuer: 'https://lists.example',
    uri,
    revokedIndices,
    size: LIST_SIZE,
    issuedAt: new Date(Date.now() - 120_000),
    expiresAt,
    ttlSeconds: 60,
  })
}
