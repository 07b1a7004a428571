import { X509Certificate } from 'node:crypto'
import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import { type Caller, isAdmin } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import { documentOf } from '../../dids/documents.js'
import { keyIdOf } from '../../dids/identity.js'
import {
  CLIENT_ID_PREFIXES,
  type Client,
  ClientIdentifierError,
  type ClientIdPrefix,
  chainEnd,
  clientIdentifier,
} from '../../protocol/openid4vp/client-identifier.js'
import { attests } from '../../protocol/openid4vp/verifier-attestation.js'
import { defaultPrefix } from '../../verifier/openid4vp/profiles/request.js'
import { shownCertificate } from '../shown-certificate.js'
import {
  type listIssuerSigners,
  MAX_KEYS,
  MAX_TYPES,
  type readIssuerSigner,
  type readVerifierSigner,
} from './signers.contract.js'
import type { Signer, SignerKind } from './store.js'

type Shown = z.input<typeof listIssuerSigners.output>['items'][number]
type ShownIssuer = z.input<typeof readIssuerSigner.output>
type ShownVerifier = z.input<typeof readVerifierSigner.output>

const chainOf = (x5c: Signer['x5c']) =>
  (x5c ?? []).map((der) => shownCertificate(new X509Certificate(Buffer.from(der, 'base64'))))

/**
 * A record as lists have it.
 *
 * @param caller who looks; none for the client secret
 */
export const shownSigner = (signer: Signer, caller: Caller | undefined): Shown => ({
  id: signer.id,
  did: signer.did,
  method: signer.method,
  display: signer.display.map((entry) => ({ ...entry })),
  isDefault: signer.isDefault,
  createdAt: signer.createdAt.toISOString(),
  changeable: caller !== undefined && isAdmin(caller) && (signer.isDefault || signer.createdBy === caller.sub),
  algorithm: signer.alg,
  keyId: keyIdOf(signer.did, signer.publicJwk),
  certificate: chainOf(signer.x5c?.slice(0, 1) ?? null)[0] ?? null,
  certifiedUntil: signer.x5c === null ? null : chainEnd(signer.x5c).toISOString(),
})

/** @throws 404 for an unknown one. */
export async function signerOf({ stores }: Pick<Deps, 'stores'>, kind: SignerKind, id: string): Promise<Signer> {
  const signer = await stores.signers.find(kind, id)
  if (signer === undefined) throw errors.recordNotFound(kind === 'issuer' ? 'Issuer' : 'Verifier')
  return signer
}

/** What both kinds of records have beside what lists show of them. */
async function shownWhole(deps: Pick<Deps, 'config' | 'stores'>, signer: Signer, kind: SignerKind) {
  const { config, stores } = deps
  const [did, web, keys] = await Promise.all([
    stores.dids.find(signer.did),
    stores.dids.webDidOf(signer.keySetId),
    stores.signers.keysOf(signer.keySetId, MAX_KEYS),
  ])
  const baseUrl = kind === 'issuer' ? config.issuerBaseUrl : config.verifierBaseUrl
  return {
    didDocument: did === undefined ? null : { ...documentOf(did, config) },
    didDocumentUrl: web === undefined ? null : `${baseUrl}/${web.uuid}/did.json`,
    chain: chainOf(signer.x5c),
    keys: keys.map(({ alg, publicJwk, createdAt, retiredAt }) => ({
      keyId: keyIdOf(web?.did ?? signer.did, publicJwk),
      algorithm: alg,
      createdAt: createdAt.toISOString(),
      retiredAt: retiredAt?.toISOString() ?? null,
    })),
  }
}

/** @throws 404 for an unknown issuer. */
export async function issuerSigner(deps: Deps, id: string, caller: Caller | undefined): Promise<ShownIssuer> {
  const signer = await signerOf(deps, 'issuer', id)
  const [whole, types] = await Promise.all([
    shownWhole(deps, signer, 'issuer'),
    deps.stores.signers.typesOf(signer.id, MAX_TYPES),
  ])
  const formats = deps.formats.all.map(({ name, issuing }) => ({
    format: name,
    lacks: issuing.lacks({ asMdoc: true, certified: signer.x5c !== null }) ?? null,
  }))
  return { ...shownSigner(signer, caller), ...whole, formats, types }
}

/** How a verifier is named with a prefix, or what it lacks for that. */
function nameWith(prefix: ClientIdPrefix, client: Client) {
  try {
    // That of `redirect_uri` is where the answer to the one request goes.
    return { clientId: prefix === 'redirect_uri' ? null : clientIdentifier(prefix, client), lacks: null }
  } catch (thrown) {
    if (!(thrown instanceof ClientIdentifierError)) throw thrown
    return { clientId: null, lacks: thrown.message }
  }
}

/** @throws 404 for an unknown verifier. */
export async function verifierSigner(deps: Deps, id: string, caller: Caller | undefined): Promise<ShownVerifier> {
  const signer = await signerOf(deps, 'verifier', id)
  const { verifierAttestation: attestation, verifierBaseUrl, verifierProfile } = deps.config
  const { did, publicJwk, x5c } = signer
  const client = { did, publicJwk, x5c, attestation, responseUri: verifierBaseUrl, overBrowser: true }
  const byDefault = defaultPrefix(verifierProfile, client)
  return {
    ...shownSigner(signer, caller),
    ...(await shownWhole(deps, signer, 'verifier')),
    names: CLIENT_ID_PREFIXES.map((prefix) => ({
      prefix,
      ...nameWith(prefix, client),
      isDefault: prefix === byDefault,
    })),
    attestedUntil:
      attestation !== undefined && attests(attestation, publicJwk) ? attestation.expiresAt.toISOString() : null,
  }
}

/**
 * Changes how a record of a caller's, or the default one, is shown.
 *
 * @throws 404 for an unknown one and that of somebody else, 409 where somebody else has changed it meanwhile.
 */
export async function renameSigner(
  deps: Deps,
  kind: SignerKind,
  { id, ...change }: Pick<Shown, 'id' | 'display'> & { readonly before: Shown['display'] },
  caller: Caller,
): Promise<Shown> {
  const outcome = await deps.stores.signers.rename(kind, id, change, caller.sub)
  if (outcome === 'changed') throw errors.recordChanged()
  if (outcome === 'unknown') throw errors.recordNotFound(kind === 'issuer' ? 'Issuer' : 'Verifier')
  return shownSigner(await signerOf(deps, kind, id), caller)
}
