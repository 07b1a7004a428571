import type { CredentialFormat } from '../../../../formats/format.js'
import type { Formats } from '../../../../formats/registry.js'
import { isObject, type JsonObject } from '../../../../protocol/json/json-object.js'
import { claimsAndSets } from '../../../../protocol/openid4vp/dcql/claim-sets.js'
import type { KnownTypes } from '../../../../protocol/openid4vp/dcql/format.js'
import { claimsOfField, type FieldClaims } from '../../../../protocol/openid4vp/dcql/item-claims.js'
import {
  type CompiledField,
  type CompiledItem,
  compileVpQuery,
  type FieldConstraint,
  VpQueryError,
} from '../../../../protocol/openid4vp/query/vp-query.js'
import { type Work, WorkExceededError } from '../../../../protocol/work.js'
import { RefusedRequest } from '../../refused-request.js'
import type { Asked, ExchangeRequest } from '../profile.js'
import {
  type Field,
  type InputDescriptor,
  type PresentationDefinition,
  readPresentationDefinition,
  refusedDefinition,
} from './presentation-definition.js'
import { requiredSets } from './submission-requirements.js'

/** With more optional fields than this limit, only "all" and "none" are tried. */
const MAX_OPTIONAL = 2

/** A wallet does not know the credential types of issuers. */
const NO_TYPES: KnownTypes = { issuerBaseUrl: '', names: [] }

/** A credential query that answers an input descriptor. */
interface Alternative {
  readonly query: JsonObject & { readonly id: string }
  readonly answers: ExchangeRequest['descriptors'][string]
}

/**
 * Converts a presentation definition to a DCQL query (OpenID4VP 1.0 §6). Each input descriptor becomes a credential query for each
 * format that may answer it, with the claims that its fields point to. DCQL cannot express all of the fields, in particular filters.
 * The wallet checks these on the credentials, by the fields that belong to each credential query.
 *
 * @param vpFormats `vp_formats` of the verifier's metadata; formats outside this list are ignored (draft 21 §5.1)
 * @throws RefusedRequest for a definition that this wallet does not understand, or that no format can answer.
 */
export function queryOfDefinition(value: unknown, vpFormats: unknown, formats: Formats, work: Work): Asked {
  const definition = readPresentationDefinition(value)
  const byDescriptor = new Map(
    definition.input_descriptors.map((descriptor, index) => {
      const names = designationsOf(descriptor, definition, vpFormats)
      const format = descriptor.format ?? definition.format
      return [descriptor.id, alternativesOf({ ...descriptor, format }, index, names, formats, work)] as const
    }),
  )
  const optionsOf = (id: string) => (byDescriptor.get(id) ?? []).map(({ query }) => [query.id])
  const sets = requiredSets(definition, optionsOf).filter(({ options, required }) => required || options.length > 0)
  if (sets.some(({ options }) => options.length === 0)) {
    throw new RefusedRequest(
      'vp_formats_not_supported',
      'The presentation_definition asks for a credential that no supported format can express.',
    )
  }
  const named = new Set(sets.flatMap(({ options }) => options.flat()))
  const asked = [...byDescriptor.values()].flat().filter(({ query }) => named.has(query.id))
  return {
    query: { credentials: asked.map(({ query }) => query), credential_sets: sets },
    exchange: {
      definitionId: definition.id,
      descriptors: Object.fromEntries(asked.map(({ query, answers }) => [query.id, answers])),
    },
  }
}

/** The formats that may answer a descriptor; undefined if the request lists none. */
function designationsOf(
  { format }: InputDescriptor,
  definition: PresentationDefinition,
  vpFormats: unknown,
): readonly string[] | undefined {
  const listed = isObject(vpFormats) ? Object.keys(vpFormats) : undefined
  const asked = format ?? definition.format
  if (asked === undefined) return listed
  return Object.keys(asked).filter((name) => listed?.includes(name) !== false)
}

function alternativesOf(
  { id, constraints, format: listed }: InputDescriptor,
  index: number,
  names: readonly string[] | undefined,
  formats: Formats,
  work: Work,
): readonly Alternative[] {
  const { fields = [], limit_disclosure: limit } = constraints
  const compiled = compiledFields(fields, work, id)
  return formats.all.flatMap((format) => {
    if (format.holding.exchange === undefined) return []
    const { exchange, disclosesAll } = format.querying
    const designations = names === undefined ? [] : exchange.presentedAs.filter((name) => names.includes(name))
    if (names !== undefined && designations.length === 0) return []
    // A holder who cannot choose the disclosed claims cannot limit the disclosure either.
    if (disclosesAll && limit === 'required') return []
    const variants = variantsOf(compiled).flatMap((variant) => variantFor(format, variant, work, id))
    return variants.map(({ members, fields: answered }, number) => ({
      query: {
        id: ['descriptor', index, format.querying.idSuffix, ...(number === 0 ? [] : [number])].join('-'),
        format: format.name,
        ...members,
      },
      answers: {
        id,
        designations,
        ...(listed === undefined ? {} : { format: listed }),
        fields: answered.map(({ constraint }) => constraint),
      },
    }))
  })
}

interface ReadField {
  readonly field: CompiledField
  readonly optional: boolean
}

function compiledFields(fields: readonly Field[], work: Work, id: string): readonly ReadField[] {
  const constraints = fields.map(
    ({ path, filter }): FieldConstraint => ({ path, ...(filter === undefined ? {} : { filter }) }),
  )
  try {
    const [item] = compileVpQuery([{ fields: constraints }], work, 'input_descriptors')
    return (item?.fields ?? []).map((field, index) => ({ field, optional: fields[index]?.optional === true }))
  } catch (cause) {
    if (!(cause instanceof VpQueryError)) throw cause
    const place = cause.path.replace(/^input_descriptors\.0\./, '')
    throw refusedDefinition(`is not understood at ${place} of the input descriptor ${id}`, { cause })
  }
}

/** The sets of fields to answer, from all optional fields to none. */
function variantsOf(fields: readonly ReadField[]): readonly (readonly CompiledField[])[] {
  const optional = fields.filter((each) => each.optional)
  const without = (left: readonly ReadField[]) =>
    fields.filter((each) => !each.optional || left.includes(each)).map(({ field }) => field)
  if (optional.length === 0) return [without([])]
  const some = optional.length <= MAX_OPTIONAL && optional.length > 1 ? optional.map((each) => without([each])) : []
  return [without(optional), ...some, without([])]
}

/** A credential query for some of the fields; empty if no credential of the format can answer these fields. */
function variantFor(
  { querying }: CredentialFormat,
  fields: readonly CompiledField[],
  work: Work,
  id: string,
): readonly { readonly members: JsonObject; readonly fields: readonly CompiledField[] }[] {
  const item: CompiledItem = { fields }
  try {
    const needs = fields.map((field) => claimsOfField(field, (path) => querying.meaningOf(path, item, NO_TYPES, work)))
    const isBeyond = ({ kind }: FieldClaims) =>
      kind === 'absent' || (kind === 'inexpressible' && !querying.disclosesAll)
    if (needs.some(isBeyond)) return []
    const [meta] = querying.metasOf(item, NO_TYPES, work)
    const claims = claimsAndSets(
      needs.filter((need) => need.kind === 'claims'),
      work,
    )
    return [{ members: { ...(meta === undefined ? {} : { meta }), ...claims }, fields }]
  } catch (cause) {
    if (!(cause instanceof WorkExceededError)) throw cause
    throw refusedDefinition(`takes too much work at the input descriptor ${id}`, { cause })
  }
}
