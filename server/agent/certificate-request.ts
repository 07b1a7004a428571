import { createPublicKey } from 'node:crypto'
import { isIP } from 'node:net'
import type { StoredKey } from '../keys/store.js'
import type { Jwk, Signer } from '../protocol/jose/jws.js'
import type { AgentRecord } from './store.js'

/** RFC 5280 Appendix A.1, `ub-common-name`. */
const MAX_NAME_CHARACTERS = 64

/** As Web Cryptography has them, for the algorithms that records sign with. */
const ALGORITHMS: Readonly<
  Record<string, { readonly name: string; readonly namedCurve?: string; readonly hash?: string }>
> = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  EdDSA: { name: 'Ed25519' },
}

/** Imported on demand: certificates are asked for once a year, and loading it takes longer than all else that a request does. */
async function x509Library() {
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

/** What the library takes for Web Cryptography: it never sees a private key, and has the signer sign. */
const cryptographyOf = (publicJwk: Jwk, signer: Signer) => ({
  subtle: {
    exportKey: async () => createPublicKey({ key: publicJwk, format: 'jwk' }).export({ type: 'spki', format: 'der' }),
    sign: async (_algorithm: unknown, _key: unknown, data: ArrayBuffer) =>
      Uint8Array.from(await signer.sign(new Uint8Array(data))).buffer,
  },
})

/** What people call the verifier, as far as a certificate can hold it; else its host. */
function commonNameOf({ display }: AgentRecord, host: string): string {
  const name = (display[0]?.name ?? '').replace(/\p{Cc}/gu, ' ').trim()
  return [...(name === '' ? host : name)].slice(0, MAX_NAME_CHARACTERS).join('')
}

/**
 * A certification request (PKCS#10, RFC 2986) of a verifier's key as PEM, in the name of its record: for digital signatures, and for the
 * host of VERIFIER_BASE_URL (dNSName) where that is a name.
 */
export async function certificateRequestOf(
  record: AgentRecord,
  { alg, publicJwk }: StoredKey,
  signer: Signer,
  verifierBaseUrl: string,
): Promise<string> {
  const algorithm = ALGORITHMS[alg]
  if (algorithm === undefined) throw new Error(`No certificate can be asked for a key for ${alg}.`)
  const {
    KeyUsageFlags,
    KeyUsagesExtension,
    Name,
    Pkcs10CertificateRequestGenerator,
    SubjectAlternativeNameExtension,
  } = await x509Library()
  const { hostname } = new URL(verifierBaseUrl)
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  const request = await Pkcs10CertificateRequestGenerator.create(
    {
      // As a string it would be read as a distinguished name, in which quotes and commas mean something.
      name: new Name([{ CN: [{ utf8String: commonNameOf(record, hostname) }] }]),
      // Both stand for the key that the functions below know; their type has what only keys of Web Cryptography have.
      keys: { publicKey: {}, privateKey: { algorithm } } as never,
      signingAlgorithm: algorithm,
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        ...(isAddress ? [] : [new SubjectAlternativeNameExtension([{ type: 'dns', value: hostname }])]),
      ],
    },
    // All of Web Cryptography by its type; the library calls these two functions.
    cryptographyOf(publicJwk, signer) as never,
  )
  return request.toString('pem')
}
