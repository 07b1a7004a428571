import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compactVerify, decodeJwt, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose'
import { newRemoteKey, signJwt } from '../support/wallet-callbacks.js'

export const SUBJECT = 'shop.example'
export const ATTESTER = 'https://attester.example'

export const inSeconds = (date: string) => Math.floor(Date.parse(date) / 1000)

export interface AttestationChanges {
  readonly header?: Record<string, unknown>
  readonly payload?: Record<string, unknown>
}

/** A party that wallets trust to attest verifiers (OpenID4VP 1.0 §12), with a directory for its files. */
export async function startAttester() {
  const key = await newRemoteKey()
  const directory = await mkdtemp(join(tmpdir(), 'attestation-'))
  let files = 0
  const attest = (jwk: JWK, { header, payload }: AttestationChanges = {}) =>
    signJwt(
      key,
      { typ: 'verifier-attestation+jwt', kid: 'attester-1', ...header },
      { iss: ATTESTER, sub: SUBJECT, exp: inSeconds('2099-01-01T00:00:00Z'), cnf: { jwk }, ...payload },
    )
  const write = async (text: string) => {
    files += 1
    const path = join(directory, `${files}.jwt`)
    await writeFile(path, text)
    return path
  }
  return {
    publicJwk: key.publicJwk,
    attest,
    write,
    /** A file for VERIFIER_ATTESTATION. */
    fileFor: async (jwk: JWK, changes?: AttestationChanges) => write(`${await attest(jwk, changes)}\n`),
    /** Verifies a request object like a wallet that trusts this attester (§5.9.3). @returns the verifier's key. */
    async verifyRequest(compact: string): Promise<JWK> {
      const { jwt } = decodeProtectedHeader(compact) as { jwt: string }
      const { payload } = await jwtVerify(jwt, await importJWK(key.publicJwk, 'ES256'), {
        typ: 'verifier-attestation+jwt',
        issuer: ATTESTER,
        requiredClaims: ['sub', 'exp', 'cnf'],
      })
      const { jwk } = payload.cnf as { jwk: JWK }
      await compactVerify(compact, await importJWK(jwk, decodeProtectedHeader(compact).alg))
      const { client_id: clientId } = decodeJwt(compact)
      if (clientId !== `verifier_attestation:${payload.sub}`) throw new Error('The attestation is of another client.')
      return jwk
    },
    remove: () => rm(directory, { recursive: true }),
  }
}
