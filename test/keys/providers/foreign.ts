import { execFile } from 'node:child_process'
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SDJwtInstance } from '@sd-jwt/core'
import { compactVerify, decodeProtectedHeader, importJWK, type JWK, type JWTPayload, jwtVerify } from 'jose'
import { testFolder } from './subjects.js'

// Programs and libraries of others. No function of this service checks a signature here.

const run = promisify(execFile)

/** The DER form of a JOSE signature, written by openssl. */
async function derOf(signature: Uint8Array, folder: string): Promise<string> {
  const half = signature.length / 2
  const [r, s] = [0, half].map((start) => Buffer.from(signature.subarray(start, start + half)).toString('hex'))
  const [config, der] = [join(folder, 'asn1'), join(folder, 'der')]
  await writeFile(config, `asn1=SEQUENCE:s\n[s]\nr=INTEGER:0x${r}\ns=INTEGER:0x${s}\n`)
  await run('openssl', ['asn1parse', '-genconf', config, '-noout', '-out', der])
  return der
}

/** Whether openssl accepts a signature in its JOSE form over the data. */
export async function opensslAccepts(
  publicKey: KeyObject,
  alg: string,
  data: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const folder = await testFolder()
  const [pem, message, raw] = ['pem', 'message', 'raw'].map((name) => join(folder, name)) as [string, string, string]
  await writeFile(pem, publicKey.export({ format: 'pem', type: 'spki' }))
  await writeFile(message, data)
  await writeFile(raw, signature)
  const hash = alg === 'ES384' ? '-sha384' : '-sha256'
  const args =
    alg === 'EdDSA'
      ? ['pkeyutl', '-verify', '-pubin', '-inkey', pem, '-rawin', '-in', message, '-sigfile', raw]
      : ['dgst', hash, '-verify', pem, '-signature', await derOf(signature, folder), message]
  return run('openssl', args).then(
    () => true,
    () => false,
  )
}

/** Whether openssl accepts a compact JWS of an ECDSA key. */
export function opensslAcceptsJws(compact: string, publicKey: KeyObject): Promise<boolean> {
  const [header = '', payload = '', signature = ''] = compact.split('.')
  const { alg = '' } = decodeProtectedHeader(compact)
  return opensslAccepts(publicKey, alg, Buffer.from(`${header}.${payload}`), Buffer.from(signature, 'base64url'))
}

/** Reads a certificate request with openssl, which also checks its signature. @returns the public key of the request */
export async function opensslReadsRequest(pem: string): Promise<KeyObject> {
  const path = join(await testFolder(), 'csr')
  await writeFile(path, pem)
  const { stdout, stderr } = await run('openssl', ['req', '-in', path, '-verify', '-noout', '-pubkey'])
  if (!/verify OK/.test(stderr)) throw new Error(`openssl refuses the request: ${stderr}`)
  return createPublicKey(stdout)
}

/** The text of a certificate request as openssl reads it. */
export async function opensslRequestText(pem: string): Promise<string> {
  const path = join(await testFolder(), 'csr')
  await writeFile(path, pem)
  return (await run('openssl', ['req', '-in', path, '-noout', '-text'])).stdout
}

/** The key of the did:jwk that a JWT names by `kid`. */
export function keyOfKid(jwt: string): JWK {
  const { kid = '' } = decodeProtectedHeader(jwt)
  const did = kid.split('#')[0] ?? ''
  return JSON.parse(Buffer.from(did.slice('did:jwk:'.length), 'base64url').toString()) as JWK
}

/** Verifies a JWT, or the JWT of an SD-JWT, with jose, under the did:jwk that its `kid` names. */
export async function verifiedByJose(compact: string): Promise<{ payload: JWTPayload }> {
  const jwt = compact.split('~')[0] ?? ''
  return jwtVerify(jwt, await importJWK(keyOfKid(jwt), 'ES256'))
}

/** Verifies an SD-JWT with @sd-jwt/core, whose signature jose checks. @returns the disclosed claims */
export async function verifiedBySdJwtLibrary(sdJwt: string, publicKey: KeyObject): Promise<unknown> {
  const library = new SDJwtInstance<Record<string, unknown>>({
    hasher: (data, alg) => createHash(alg.replace('-', '')).update(String(data)).digest(),
    hashAlg: 'sha-256',
    verifier: (data, signature) =>
      compactVerify(`${data}.${signature}`, publicKey).then(
        () => true,
        () => false,
      ),
  })
  return (await library.verify(sdJwt)).payload
}
