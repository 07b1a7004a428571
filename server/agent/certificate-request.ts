import { createPublicKey } from 'node:crypto'
import { isIP } from 'node:net'
import type { StoredKey } from '../keys/store.js'
import type { Jwk, Signer } from '../protocol/jose/jws.js'
import type { AgentRecord } from './store.js'

/** Maximum length of a common name (RFC 5280 Appendix A.1, `ub-common-name`). */
const MAX_NAME_CHARACTERS = 64

/** The parameters that Web Cryptography uses for the signing algorithms of records. */
const ALGORITHMS: Readonly<
  Record<string, { readonly name: string; readonly namedCurve?: string; readonly hash?: string }>
> = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  EdDSA: { name: 'Ed25519' },
}

/** Imported on demand: certificates are requested once a year, and loading takes longer than the rest of the request. */
async function x509Library() {
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

/** Replaces Web Cryptography for the library. So the library never gets a private key: the signer signs. */
const cryptographyOf = (publicJwk: Jwk, signer: Signer) => ({
  subtle: {
    exportKey: async () => createPublicKey({ key: publicJwk, format: 'jwk' }).export({ type: 'spki', format: 'der' }),
    sign: async (_algorithm: unknown, _key: unknown, data: ArrayBuffer) =>
      Uint8Array.from(await signer.sign(new Uint8Array(data))).buffer,
  },
})

/** Returns the verifier's display name, shortened for a certificate. A verifier without a name gets the host. */
function commonNameOf({ display }: AgentRecord, host: string): string {
  const name = (display[0]?.name ?? '').replace(/\p{Cc}/gu, ' ').trim()
  return [...(name === '' ? host : name)].slice(0, MAX_NAME_CHARACTERS).join('')
}

/**
 * Makes a certification request (PKCS#10, RFC 2986) for the key of an issuer or verifier as PEM, with the display name of the
 * record. The request is for digital signatures. It contains the host of the base URL (dNSName) if the host is a name.
 */
export async function certificateRequestOf(
  record: AgentRecord,
  { alg, publicJwk }: StoredKey,
  signer: Signer,
  baseUrl: string,
): Promise<string> {
  const algorithm = ALGORITHMS[alg]
  if (algorithm === undefined) throw new Error(`No certificate can be requested for a key for ${alg}.`)
  const {
    KeyUsageFlags,
    KeyUsagesExtension,
    Name,
    Pkcs10CertificateRequestGenerator,
    SubjectAlternativeNameExtension,
  } = await x509Library()
  const { hostname } = new URL(baseUrl)
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  const request = await Pkcs10CertificateRequestGenerator.create(
    {
      // The library would parse a string as a distinguished name, in which quotes and commas have a meaning.
      name: new Name([{ CN: [{ utf8String: commonNameOf(record, hostname) }] }]),
      // Both keys are placeholders. The functions of `cryptographyOf` use the real key. The cast is needed because the
      // declared type has members that only keys of Web Cryptography have.
      keys: { publicKey: {}, privateKey: { algorithm } } as never,
      signingAlgorithm: algorithm,
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        ...(isAddress ? [] : [new SubjectAlternativeNameExtension([{ type: 'dns', value: hostname }])]),
      ],
    },
    // The cast is needed because the declared type is the whole Web Cryptography, but the library calls only these two
    // functions.
    cryptographyOf(publicJwk, signer) as never,
  )
  return request.toString('pem')
}
