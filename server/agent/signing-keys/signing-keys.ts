import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import { type Caller, isAdmin } from '../../auth/caller.js'
import type { RequestAccess } from '../../auth/request-access.js'
import type { Sender } from '../../auth/rights.js'
import type { Config } from '../../config/config.js'
import type { Lists } from '../../database/replica/lists.js'
import { keyIdOf } from '../../dids/identity.js'
import { newKeyOf, type RotationOptions, reasonToKeep, rotateKeySet } from '../../key-rotation/rotate-keys.js'
import type { KeyRotationStore } from '../../key-rotation/store.js'
import { DATABASE, type KeyProviders } from '../../keys/providers/providers.js'
import { thumbprint } from '../../protocol/jose/jws.js'
import { chainEnd } from '../../protocol/openid4vp/client-identifier.js'
import { assertKeyPlace } from '../key-place.js'
import { shownFace } from '../records.js'
import type { listKeyProviders, listSigningKeys, rotateIssuerKey } from './signing-keys.contract.js'
import type { RecordKind, SigningKeyFilter, SigningKeyRow, SigningKeyStore } from './store.js'

type Shown = z.input<typeof listSigningKeys.output>['items'][number]
type ShownProvider = z.input<typeof listKeyProviders.output>['items'][number]
type Rotated = z.input<typeof rotateIssuerKey.output>

/** The values of the configuration that decide on keys. */
type Rules = Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl' | 'verifierAttestation' | 'keyProviders'>

const SETTINGS = {
  issuer: { place: 'ISSUER_KEY_PROVIDER', file: 'ISSUER_X509' },
  verifier: { place: 'VERIFIER_KEY_PROVIDER', file: 'VERIFIER_X509' },
} as const

const isAdministrator = (caller: Caller | undefined): boolean => caller !== undefined && isAdmin(caller)

/** Whether a caller may change a record: an admin its own records, and the default record. */
const mayChange = (record: Pick<SigningKeyRow, 'isDefault' | 'createdBy'>, caller: Caller | undefined): boolean =>
  caller !== undefined && isAdmin(caller) && (record.isDefault || record.createdBy === caller.sub)

const hasNewAlgorithm = (algorithm: string): algorithm is ShownProvider['algorithms'][number] =>
  algorithm === 'ES256' || algorithm === 'EdDSA'

/** Dependencies of {@link createSigningKeys}. */
export interface SigningKeysPorts extends Pick<RotationOptions, 'vault' | 'newId' | 'clock'> {
  readonly store: Pick<SigningKeyStore, 'find'>
  readonly lists: Lists<Pick<SigningKeyStore, 'page'>>
  readonly keyRotation: Pick<KeyRotationStore, 'recordsBeside' | 'rotate'>
  readonly providers: Pick<KeyProviders, 'algorithms' | 'generate' | 'kindOf' | 'names' | 'states'>
  readonly config: Rules
}

export type SigningKeys = ReturnType<typeof createSigningKeys>

/** The keys with which records sign, the key providers, and the rotation of one record's key. */
export function createSigningKeys(ports: SigningKeysPorts) {
  const { store, lists, keyRotation, providers, config } = ports

  /** The provider that the configuration demands for the key of a default record. */
  const fixedProvider = (kind: RecordKind, isDefault: boolean): string | undefined =>
    isDefault ? (kind === 'issuer' ? config.keyProviders.ofIssuer : config.keyProviders.ofVerifier) : undefined

  function shown(row: SigningKeyRow, caller: Caller | undefined): Shown {
    const { kind, id, did, isDefault, alg, publicJwk, x5c, provider, reference } = row
    return {
      kind,
      id,
      did,
      display: shownFace(row, kind === 'issuer' ? config.issuerBaseUrl : config.verifierBaseUrl).display,
      isDefault,
      changeable: mayChange(row, caller),
      signing: row.signing,
      provider: provider ?? DATABASE,
      providerKind: provider === null ? null : (providers.kindOf(provider) ?? null),
      reference: isAdministrator(caller) ? reference : null,
      algorithm: alg,
      keyId: keyIdOf(did, publicJwk),
      thumbprint: thumbprint(publicJwk),
      createdAt: row.keyCreatedAt.toISOString(),
      certifiedUntil: x5c === null ? null : chainEnd(x5c).toISOString(),
      formerKeys: row.formerKeys,
      didChanges: !did.startsWith('did:web:'),
      keptBecause: reasonToKeep({ certified: x5c !== null, isDefault, publicJwk }, config) ?? null,
      fixedProvider: fixedProvider(kind, isDefault) ?? null,
    }
  }

  /** The steps that remain for an operator after a rotation. @param former the key before the rotation */
  function nextSteps(kind: RecordKind, former: SigningKeyRow, now: SigningKeyRow): Rotated['next'] {
    const place = former.provider === null ? 'the database' : `the key provider ${former.provider}`
    return [
      ...(former.x5c === null
        ? []
        : [
            {
              step: 'request-certificate' as const,
              sentence: `The certificate stays with the former key. Request a certificate for the new key (GET /agent/${kind}/${former.id}/certificate-request).`,
            },
          ]),
      ...(former.did === now.did
        ? []
        : [
            {
              step: 'announce-did' as const,
              sentence: `The DID is now ${now.did}. Tell everyone who trusts ${former.did}.`,
            },
          ]),
      ...(now.formerKeys === 0
        ? []
        : [
            {
              step: 'keep-former-key' as const,
              sentence: `Former keys still sign status lists. Keep the former key in ${place} for as long as its credentials are valid.`,
            },
          ]),
    ]
  }

  return {
    lists,

    shown,

    /** The keys that a sender may list. Operators of one half see the records of this half. */
    filterOf: (
      { provider }: { readonly provider?: string | undefined },
      sender: Sender,
      access: Pick<RequestAccess, 'mayCall'>,
    ): SigningKeyFilter => ({
      kinds: (['issuer', 'verifier'] as const).filter((kind) => access.mayCall(sender, `${kind}Operator`)),
      provider: provider === DATABASE ? null : provider,
    }),

    /** The key providers with their health. */
    async providers(caller: Caller | undefined): Promise<ShownProvider[]> {
      const states = await providers.states()
      return states.map(({ name, kind, fault, checkedAt, algorithms }) => ({
        name,
        kind,
        algorithms: algorithms.filter(hasNewAlgorithm),
        status: fault === null ? 'up' : 'away',
        since: fault?.since.toISOString() ?? null,
        reason: fault?.reason ?? null,
        message: isAdministrator(caller) ? (fault?.message ?? null) : null,
        checkedAt: checkedAt?.toISOString() ?? null,
      }))
    },

    /**
     * Gives a record of the caller, or the default record, a new signing key.
     *
     * After an error, the record signs as before.
     *
     * @throws 400 for an unknown provider or an algorithm that the provider does not have
     * @throws 404 for an unknown record and for a record that a different caller created
     * @throws 409 if the configuration has the certificate, the attestation or the place of the key, or if another rotation was faster
     * @throws 503 if the provider cannot make a key now
     */
    async rotate(
      kind: RecordKind,
      { id, provider, algorithm }: z.output<typeof rotateIssuerKey.input>,
      caller: Caller,
    ): Promise<Rotated> {
      const notFound = () => errors.recordNotFound(kind === 'issuer' ? 'Issuer' : 'Verifier')
      const [former, [first, ...others]] = await Promise.all([
        store.find(kind, id),
        keyRotation.recordsBeside(kind, id),
      ])
      if (former === undefined || first === undefined) throw notFound()
      if (![first, ...others].every((record) => mayChange(record, caller))) throw notFound()
      const wish = newKeyOf(first, { provider, algorithm })
      const refusal = reasonToKeep(first, config)
      if (refusal === 'certificate-file') throw errors.keyCertified(SETTINGS[kind].file)
      if (refusal === 'attestation') throw errors.keyAttested()
      const fixed = fixedProvider(kind, first.isDefault)
      if (fixed !== undefined && wish.provider !== fixed) throw errors.keyPlaceFixed(SETTINGS[kind].place, fixed)
      await assertKeyPlace(providers, wish, 'provider')
      const { outcome } = await rotateKeySet([first, ...others], {
        ...ports,
        ...wish,
        store: keyRotation,
        actor: caller.sub,
      })
      if (outcome !== 'rotated') throw errors.keyRotatedMeanwhile()
      const now = await store.find(kind, id)
      if (now === undefined) throw notFound()
      return { ...shown(now, caller), formerDid: former.did, next: nextSteps(kind, former, now) }
    },
  }
}
