import { hash, X509Certificate } from 'node:crypto'
import type { PublishedDefinition } from '../../config/published-lists.js'
import { PROFILES } from '../../protocol/trust-lists/lote/profiles.js'
import type { PublishedEntity } from '../../protocol/trust-lists/lote/write-lote.js'
import type { ServiceUse, TrustedEntity, TrustedService } from '../../protocol/trust-lists/trust-list.js'
import type { IssuerKey } from './store.js'

type Entity = PublishedDefinition['entities'][number]

/** Whether a key belongs to the record that a list names. */
export const isOf =
  (name: string) =>
  ({ issuerId, isDefault }: IssuerKey): boolean =>
    issuerId === name || (name === 'default' && isDefault)

/** The types of the two services of an entity. Without a profile, the service has types of its own. */
function typesOf({ profile, name }: PublishedDefinition, issuerBaseUrl: string): readonly [string, ServiceUse][] {
  const own = `${issuerBaseUrl}/trust-lists/${name}/SvcType`
  const [issuance = `${own}/Issuance`] = profile === undefined ? [] : PROFILES[profile].issuance
  const [status = `${own}/Revocation`] = profile === undefined ? [] : PROFILES[profile].status
  return [
    [issuance, 'issuance'],
    [status, 'status'],
  ]
}

/**
 * The certificates of an entity, in DER, without expired certificates. Certificates of former keys stay on the list, because
 * credentials of these keys are still valid. A VICAL has certificates of authorities only (ISO/IEC 18013-5 §C.1.7).
 */
function certificatesOf(entity: Entity, isVical: boolean, keys: readonly IssuerKey[], now: Date): Uint8Array[] {
  const own = entity.issuers.flatMap((name) => keys.filter(isOf(name)))
  // The first certificate of a key is an authority itself if the key vouches for short-lived signers.
  const chains = own.flatMap(({ x5c: [first = '', ...above] }) => (isVical ? [first, ...above] : [first]))
  const ofRecords = chains.map((one) => new X509Certificate(Buffer.from(one, 'base64')))
  const all = [...ofRecords, ...(entity.certificates ?? [])]
  const wanted = all.filter(({ ca, validTo }) => (!isVical || ca) && Date.parse(validTo) > now.getTime())
  return [...new Map(wanted.map(({ fingerprint256, raw }) => [fingerprint256, raw])).values()]
}

/** What a list says, except its number and its times. Entities without a certificate are left out. */
export function contentOf(
  definition: PublishedDefinition,
  keys: readonly IssuerKey[],
  issuerBaseUrl: string,
  now: Date,
): readonly (TrustedEntity | PublishedEntity)[] {
  const isVical = definition.kind === 'vical'
  const uses = isVical ? [['', 'issuance'] as const] : typesOf(definition, issuerBaseUrl)
  return definition.entities.flatMap((entity): (TrustedEntity | PublishedEntity)[] => {
    const certificates = certificatesOf(entity, isVical, keys, now)
    if (certificates.length === 0) return []
    const { name: names, docTypes: types, address, informationUri } = entity
    const common = {
      names,
      status: 'granted',
      certificates,
      keys: [],
      ...(types === undefined ? {} : { types }),
    } as const
    const services = uses.map(([type, use]): TrustedService => ({ ...common, type, uses: [use] }))
    const territory = address?.country ?? definition.territory
    const published = { names, services, ...(territory === undefined ? {} : { territory }) }
    return address === undefined || informationUri === undefined
      ? [published]
      : [{ ...published, address, informationUri }]
  })
}

/** The hash of everything that a list says. The list gets a new number if the hash changes. */
export function hashOf(
  definition: PublishedDefinition,
  entities: readonly TrustedEntity[],
  x5c: readonly string[],
): string {
  const { name: _name, signer: _signer, entities: _entities, ...scheme } = definition
  return hash('sha256', JSON.stringify([scheme, entities, x5c]), 'hex')
}
