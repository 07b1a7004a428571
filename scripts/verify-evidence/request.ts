import { hash, X509Certificate } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { resolveDid } from '../../server/protocol/did/resolve-did.js'
import {
  type DecodedJws,
  isSameKey,
  type Jwk,
  JwsError,
  type SignedGeneral,
  verifyCompact,
} from '../../server/protocol/jose/jws.js'
import type { JsonObject } from '../../server/protocol/json/json-object.js'
import type { StoredEvidence } from '../../server/verifier/evidence/package.js'

const X509_HASH = 'x509_hash:'
const DID_PREFIX = 'decentralized_identifier:'

/**
 * Checks that the verifier signed the request, and that the parameters of the request are equal to the parameters in
 * the package. @throws Error
 */
export async function checkRequest({ request, profile }: StoredEvidence): Promise<void> {
  const { signed, key, parameters } = request
  if (signed === undefined || key === undefined) return compareParameters(request, profile, parameters ?? {})
  for (const compact of compactsOf(signed)) compareParameters(request, profile, await signedBy(compact, key))
  for (const compact of request.copies ?? []) {
    const { dcql_query: _, ...sent } = await signedBy(compact, key)
    // The query is not compared: the request object for one wallet may lack formats that this wallet does not support.
    compareParameters(request, profile, sent)
  }
}

function compactsOf(signed: string | JsonObject): string[] {
  if (typeof signed === 'string') return [signed]
  // The schema of the package has checked only that the value is an object. A wrong member fails in the check of the signature.
  const { payload, signatures } = signed as unknown as SignedGeneral
  return signatures.map((one) => `${one.protected}.${payload}.${one.signature}`)
}

async function verified(compact: string, key: Jwk): Promise<DecodedJws> {
  try {
    return await verifyCompact(compact, key)
  } catch (thrown) {
    if (thrown instanceof JwsError) throw new Error(`The request object: ${thrown.message}`, { cause: thrown })
    throw thrown
  }
}

/** Verifies a request object with the verifier's key, and returns its parameters. */
async function signedBy(compact: string, key: Jwk): Promise<JsonObject> {
  const { header, payload } = await verified(compact, key)
  const { client_id: clientId } = { ...payload, ...header }
  await checkClient(String(clientId), header, key)
  return payload
}

/**
 * Checks that the client identifier names the key: by the hash of a certificate, or by a DID that contains the key
 * (OpenID4VP 1.0 §5.9.3).
 */
async function checkClient(clientId: string, { x5c }: JsonObject, key: Jwk): Promise<void> {
  if (Array.isArray(x5c)) {
    const leaf = new X509Certificate(Buffer.from(String(x5c[0]), 'base64'))
    if (!isSameKey(leaf.publicKey.export({ format: 'jwk' }) as Jwk, key))
      throw new Error('The certificate of the request is for a different key.')
    if (clientId.startsWith(X509_HASH) && clientId !== `${X509_HASH}${hash('sha256', leaf.raw, 'base64url')}`)
      throw new Error('The client identifier is not the hash of the certificate.')
  }
  const did = clientId.replace(DID_PREFIX, '')
  if (!/^did:(?:jwk|key):/.test(did)) return
  const offline = { allowHttp: false, fetchJson: () => Promise.reject(new Error('There is no network.')) }
  const { verificationMethod = [] } = await resolveDid(did, offline)
  const isOfDid = verificationMethod.some(
    ({ publicKeyJwk }) => publicKeyJwk !== undefined && isSameKey(publicKeyJwk, key),
  )
  if (!isOfDid) throw new Error('The client identifier is for a different key.')
}

function compareParameters(request: StoredEvidence['request'], profile: string, sent: JsonObject): void {
  const { nonce, clientId, origins, responseUri, responseMode, dcqlQuery, transactionData } = request
  const same = (member: string, wanted: unknown) => {
    if (sent[member] !== undefined && !isDeepStrictEqual(sent[member], wanted))
      throw new Error(`${member} differs from the request object.`)
  }
  if (sent.nonce !== nonce) throw new Error('nonce differs from the request object.')
  // Over the Digital Credentials API the package names the origins instead.
  if (origins === undefined) same('client_id', clientId)
  // A draft states the query in other words.
  if (profile.startsWith('draft')) return
  same('response_uri', responseUri)
  same('response_mode', responseMode)
  same('dcql_query', dcqlQuery)
  same('transaction_data', transactionData)
}
