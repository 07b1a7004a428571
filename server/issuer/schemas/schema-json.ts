import type { z } from 'zod'
import type { Config } from '../../config/config.js'
import type { MdocMapping } from '../../protocol/mdoc/elements.js'
import type { KeyAttestationRequirement } from '../../protocol/openid4vci/key-attestation.js'
import type { ClaimsSource } from '../claims-source/source.js'
import type { Retention } from '../issuance/retention.js'
import { displayWarnings, publicDisplay, unpublishedIn } from './display.js'
import { imageAddresses } from './images.js'
import { schemaUri } from './schema-uri.js'
import type { zSchema } from './schemas.contract.js'
import type { ClaimNames, CredentialSchema } from './store.js'

const keyAttestationOf = ({ keyStorage, userAuthentication }: KeyAttestationRequirement) => ({
  ...(keyStorage === undefined ? {} : { keyStorage: [...keyStorage] }),
  ...(userAuthentication === undefined ? {} : { userAuthentication: [...userAuthentication] }),
})

const claimNamesOf = ({ path, display }: ClaimNames) => ({ path: [...path], display: [...display] })

const mdocOf = ({ doctype, namespaces }: MdocMapping) => ({
  doctype,
  namespaces: Object.fromEntries(Object.entries(namespaces).map(([name, elements]) => [name, { ...elements }])),
})

const retentionOf = ({ claims, record }: Retention) => ({
  claims: typeof claims === 'string' ? claims : { ...claims },
  ...(record === undefined ? {} : { record: { ...record } }),
})

const sourceOf = ({ url, timeoutMs, auth }: ClaimsSource) => ({
  url,
  method: 'POST' as const,
  timeoutMs,
  auth: { ...auth },
})

function unpublishedOf(schema: CredentialSchema, config: Pick<Config, 'issuerBaseUrl'>) {
  const unpublished = unpublishedIn(publicDisplay(schema.display ?? [], config), imageAddresses(config, schema))
  return unpublished.length === 0 ? {} : { unpublished }
}

function warningsOf({ display }: CredentialSchema) {
  const warnings = displayWarnings(display ?? [])
  return warnings.length === 0 ? {} : { warnings }
}

/** A schema version as the API returns it. Members without a value are absent. */
export const shownSchema = (
  schema: CredentialSchema,
  config: Pick<Config, 'issuerBaseUrl'>,
): z.input<typeof zSchema> => ({
  id: schema.id,
  name: schema.name,
  type: schema.name,
  version: schema.version,
  schemaUri: schemaUri(config, schema.id),
  schemaBody: { ...schema.body },
  ...(schema.title === null ? {} : { title: schema.title }),
  ...(schema.description === null ? {} : { description: schema.description }),
  ...(schema.display === null ? {} : { display: publicDisplay(schema.display, config) }),
  ...unpublishedOf(schema, config),
  ...warningsOf(schema),
  ...(schema.claims === null ? {} : { claims: schema.claims.map(claimNamesOf) }),
  ...(schema.selectivelyDisclosable === null ? {} : { selectivelyDisclosable: [...schema.selectivelyDisclosable] }),
  ...(schema.expiresInDays === null ? {} : { expiresInDays: schema.expiresInDays }),
  ...(schema.claimsFrom === null ? {} : { claimsFrom: { ...schema.claimsFrom } }),
  ...(schema.keyAttestation === null ? {} : { keyAttestation: keyAttestationOf(schema.keyAttestation) }),
  ...(schema.mdoc === null ? {} : { mdoc: mdocOf(schema.mdoc) }),
  ...(schema.suspendable ? { suspendable: true as const } : {}),
  ...(schema.activeSets === null ? {} : { activeSets: { ...schema.activeSets } }),
  ...(schema.onRefresh === null ? {} : { onRefresh: schema.onRefresh }),
  ...(schema.validFrom === null ? {} : { validFrom: schema.validFrom.toISOString() }),
  ...(schema.watchAttestations ? { watchAttestations: true as const } : {}),
  ...(schema.retention === null ? {} : { retention: retentionOf(schema.retention) }),
  ...(schema.claimsSource === null ? {} : { claimsSource: sourceOf(schema.claimsSource) }),
  active: schema.active,
  ...(schema.withdrawn ? { withdrawn: true as const } : {}),
  issuers: [...schema.issuers],
  createdAt: schema.createdAt.toISOString(),
})
