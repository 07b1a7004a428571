import { X509Certificate } from 'node:crypto'
import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import { type Caller, isAdmin } from '../../auth/caller.js'
import type { Config } from '../../config/config.js'
import type { Lists } from '../../database/replica/lists.js'
import { documentOf } from '../../dids/documents.js'
import { keyIdOf } from '../../dids/identity.js'
import type { DidStore } from '../../dids/store.js'
import type { Formats } from '../../formats/registry.js'
import { type AcceptDisplay, whileImagesStay } from '../../images/accept-display.js'
import { storedAgain } from '../../images/shown-display.js'
import {
  CLIENT_ID_PREFIXES,
  type Client,
  ClientIdentifierError,
  type ClientIdPrefix,
  chainEnd,
  clientIdentifier,
} from '../../protocol/openid4vp/client-identifier.js'
import { attests } from '../../protocol/openid4vp/verifier-attestation.js'
import { shownFace } from '../records.js'
import { shownCertificate } from '../shown-certificate.js'
import {
  type listIssuerSigners,
  MAX_KEYS,
  MAX_TYPES,
  type readIssuerSigner,
  type readVerifierSigner,
  type renameIssuer,
} from './signers.contract.js'
import type { Signer, SignerKind, SignerStore } from './store.js'

type Shown = z.input<typeof listIssuerSigners.output>['items'][number]
type ShownIssuer = z.input<typeof readIssuerSigner.output>
type ShownVerifier = z.input<typeof readVerifierSigner.output>

const chainOf = (x5c: Signer['x5c']) =>
  (x5c ?? []).map((der) => shownCertificate(new X509Certificate(Buffer.from(der, 'base64'))))

/**
 * A record as lists show it.
 *
 * @param caller the caller of the list; undefined for the client secret
 * @param baseUrl the base URL of the record's half of the service
 */
const shownSigner = (signer: Signer, caller: Caller | undefined, baseUrl: string): Shown => ({
  id: signer.id,
  did: signer.did,
  method: signer.method,
  ...shownFace(signer, baseUrl),
  isDefault: signer.isDefault,
  createdAt: signer.createdAt.toISOString(),
  changeable: caller !== undefined && isAdmin(caller) && (signer.isDefault || signer.createdBy === caller.sub),
  signing: signer.signing,
  algorithm: signer.alg,
  keyId: keyIdOf(signer.did, signer.publicJwk),
  certificate: chainOf(signer.x5c?.slice(0, 1) ?? null)[0] ?? null,
  certifiedUntil: signer.x5c === null ? null : chainEnd(signer.x5c).toISOString(),
})

/** The verifier's client identifier with a prefix, or the reason why the verifier cannot use the prefix. */
function nameWith(prefix: ClientIdPrefix, client: Client) {
  try {
    // With `redirect_uri`, the identifier is the address of the answer, and each request has a different address.
    return { clientId: prefix === 'redirect_uri' ? null : clientIdentifier(prefix, client), lacks: null }
  } catch (thrown) {
    if (!(thrown instanceof ClientIdentifierError)) throw thrown
    return { clientId: null, lacks: thrown.message }
  }
}

/** Dependencies of {@link createSigners}. */
export interface SignersPorts {
  readonly store: Pick<SignerStore, 'find' | 'keysOf' | 'rename' | 'typesOf'>
  readonly lists: Lists<Pick<SignerStore, 'page'>>
  readonly dids: Pick<DidStore, 'find' | 'webDidOf'>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl' | 'verifierAttestation'>
  readonly formats: Pick<Formats, 'all'>
  /** Returns the prefix for requests that do not choose a prefix. */
  readonly defaultPrefix: (client: Client) => ClientIdPrefix
  readonly acceptDisplay: AcceptDisplay
  readonly clock: () => Date
}

export type Signers = ReturnType<typeof createSigners>

/** Issuer and verifier records with their keys and certificates, for operators. */
export function createSigners({
  store,
  lists,
  dids,
  config,
  formats,
  defaultPrefix,
  acceptDisplay,
  clock,
}: SignersPorts) {
  const baseUrlOf = (kind: SignerKind) => (kind === 'issuer' ? config.issuerBaseUrl : config.verifierBaseUrl)

  const shown = (kind: SignerKind, signer: Signer, caller: Caller | undefined) =>
    shownSigner(signer, caller, baseUrlOf(kind))

  const notFound = (kind: SignerKind) => errors.recordNotFound(kind === 'issuer' ? 'Issuer' : 'Verifier')

  async function signerOf(kind: SignerKind, id: string): Promise<Signer> {
    const signer = await store.find(kind, id)
    if (signer === undefined) throw notFound(kind)
    return signer
  }

  /**
   * Makes a complete record: the members of lists, and the further members that issuers and verifiers have in common.
   */
  async function shownWhole(signer: Signer, kind: SignerKind) {
    const [did, web, keys] = await Promise.all([
      dids.find(signer.did),
      dids.webDidOf(signer.keySetId),
      store.keysOf(signer.keySetId, MAX_KEYS),
    ])
    const baseUrl = baseUrlOf(kind)
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

  return {
    lists,

    shown,

    /** @throws 404 for an unknown issuer. */
    async issuer(id: string, caller: Caller | undefined): Promise<ShownIssuer> {
      const signer = await signerOf('issuer', id)
      const [whole, types] = await Promise.all([shownWhole(signer, 'issuer'), store.typesOf(signer.id, MAX_TYPES)])
      const lacking = formats.all.map(({ name, issuing }) => ({
        format: name,
        lacks: issuing.lacks({ asMdoc: true, certified: signer.x5c !== null }) ?? null,
      }))
      return { ...shown('issuer', signer, caller), ...whole, formats: lacking, types }
    },

    /** @throws 404 for an unknown verifier. */
    async verifier(id: string, caller: Caller | undefined): Promise<ShownVerifier> {
      const signer = await signerOf('verifier', id)
      const { verifierAttestation: attestation, verifierBaseUrl } = config
      const { did, publicJwk, x5c } = signer
      const client = { did, publicJwk, x5c, attestation, responseUri: verifierBaseUrl, overBrowser: true }
      const byDefault = defaultPrefix(client)
      return {
        ...shown('verifier', signer, caller),
        ...(await shownWhole(signer, 'verifier')),
        names: CLIENT_ID_PREFIXES.map((prefix) => ({
          prefix,
          ...nameWith(prefix, client),
          isDefault: prefix === byDefault,
        })),
        attestedUntil:
          attestation !== undefined && attests(attestation, publicJwk) ? attestation.expiresAt.toISOString() : null,
      }
    },

    /**
     * Changes the display of a record of the caller, or of the default record.
     *
     * @throws 400 for an image that is not stored; 404 for an unknown record and for a record that a different caller created; 409 if somebody else has
     * changed the record meanwhile.
     */
    async rename(
      kind: SignerKind,
      { id, display, before, branding, brandingBefore }: z.output<typeof renameIssuer.input>,
      caller: Caller,
    ): Promise<Shown> {
      if (branding === undefined && brandingBefore !== undefined)
        throw errors.badRequest('brandingBefore must not be given without branding')
      const accepted = await acceptDisplay(display)
      const change = {
        display: accepted.entries,
        before: before.map((entry) => storedAgain(entry, baseUrlOf(kind))),
        branding,
        brandingBefore,
        imageIds: accepted.imageIds,
      }
      const outcome = await whileImagesStay(() => store.rename(kind, id, change, caller.sub, clock()))
      if (outcome === 'changed') throw errors.recordChanged()
      if (outcome === 'unknown') throw notFound(kind)
      return shown(kind, await signerOf(kind, id), caller)
    },
  }
}
