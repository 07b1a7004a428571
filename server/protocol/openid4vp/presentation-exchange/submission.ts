import { z } from 'zod'
import { isObject, type JsonObject } from '../../json/json-object.js'
import type { Presentations } from '../authorization-response.js'
import type { DcqlQuery } from '../dcql/dcql-query.js'
import type { QueryableFormat } from '../dcql/format.js'
import { ResponseError } from '../response-error.js'
import { descriptorIdsOf } from './from-dcql.js'

const MAX_CHARACTERS = 32_768
const MAX_MAPPINGS = 64
const MAX_NAME = 128

const zName = z.string().max(MAX_NAME)

/** An Input Descriptor Mapping Object (DIF Presentation Exchange 2 §6); one level of nesting (OpenID4VP draft 21 §10.3). */
const zMapping = z.object({
  id: zName,
  format: zName,
  path: zName,
  path_nested: z.object({ format: zName, path: zName, path_nested: z.undefined().optional() }).optional(),
})

type Mapping = z.infer<typeof zMapping>

/** `presentation_submission` (DIF Presentation Exchange 2 §6; OpenID4VP draft 21 §6.1). */
export const zPresentationSubmission = z.object({
  definition_id: zName,
  descriptor_map: z.array(zMapping).min(1).max(MAX_MAPPINGS),
})

/** The request that a presentation submission answers. */
export interface SubmissionFor {
  /** `id` of the presentation definition. */
  readonly definitionId: string
  /** The query from which `presentationDefinitionOf` made the definition. */
  readonly query: DcqlQuery
  /** Returns a format of the query by its name in the definition. */
  readonly formatNamed: (name: string) => QueryableFormat
}

/**
 * Reads the presentations of an answer that uses Presentation Exchange (OpenID4VP draft 21 §6.1): `vp_token` is one
 * presentation or an array, and `presentation_submission` maps presentations to input descriptors. The submission only
 * assigns presentations and proves nothing: each presentation is checked against the query. A presentation may answer
 * several descriptors, since wallets send it once if a credential fits several.
 *
 * @returns the presentations by the id of the credential query that the descriptor was made from.
 * @throws ResponseError for a submission that is malformed or belongs to a different definition, or that names a
 * missing presentation or a wrong format. Also for a descriptor that the submission names twice, and for a presentation
 * that it does not name.
 */
export function submittedPresentations(parameters: JsonObject, asked: SubmissionFor): Presentations {
  const all = presentationsIn(parameters.vp_token)
  const { definition_id: definitionId, descriptor_map: mappings } = submissionIn(parameters.presentation_submission)
  if (definitionId !== asked.definitionId) {
    throw new ResponseError('Parameter presentation_submission is for another presentation_definition.')
  }
  const queries = new Map(asked.query.credentials.flatMap((query) => descriptorIdsOf(query).map((id) => [id, query])))
  const vpToken = new Map<string, (string | JsonObject)[]>()
  const selected = new Map<string, (number | undefined)[]>()
  const [answered, presented] = [new Set<string>(), new Set<number>()]
  for (const mapping of mappings) {
    const query = queries.get(mapping.id)
    if (query === undefined) throw new ResponseError('Parameter presentation_submission names an unknown descriptor.')
    if (answered.has(mapping.id))
      throw new ResponseError(`Parameter presentation_submission names ${mapping.id} twice.`)
    assertCalled(mapping, asked.formatNamed(query.format))
    const [index, credential] = [presentationAt(mapping, all.length), credentialAt(mapping)]
    const presentation = all[index]
    if (presentation === undefined) throw new Error('A path within bounds selects nothing.')
    answered.add(mapping.id)
    presented.add(index)
    vpToken.set(query.id, [...(vpToken.get(query.id) ?? []), presentation])
    selected.set(query.id, [...(selected.get(query.id) ?? []), credential])
  }
  if (presented.size < all.length) {
    throw new ResponseError('Parameter vp_token holds a presentation that presentation_submission does not name.')
  }
  return { vpToken, selected }
}

/** §6.1: one presentation, or an array if there are several. */
function presentationsIn(value: unknown): readonly (string | JsonObject)[] {
  if (value === undefined) throw new ResponseError('Parameter vp_token is missing.')
  const all: unknown[] = Array.isArray(value) ? value : [value]
  if (all.length === 0 || all.length > MAX_MAPPINGS) {
    throw new ResponseError(`Parameter vp_token does not hold 1 to ${MAX_MAPPINGS} presentations.`)
  }
  return all.map((presentation) => {
    if (typeof presentation === 'string' || isObject(presentation)) return presentation
    throw new ResponseError('Parameter vp_token holds a presentation that is neither string nor object.')
  })
}

/**
 * Reads the submission. In a form POST, the submission is JSON text. Some wallets send it as text in an encrypted
 * answer too.
 */
function submissionIn(sent: unknown): z.infer<typeof zPresentationSubmission> {
  if (sent === undefined) throw new ResponseError('Parameter presentation_submission is missing.')
  const value = typeof sent === 'string' ? objectIn(sent) : sent
  if (isObject(value) && Array.isArray(value.descriptor_map) && value.descriptor_map.length > MAX_MAPPINGS) {
    throw new ResponseError(`Parameter presentation_submission has more than ${MAX_MAPPINGS} descriptors.`)
  }
  const parsed = zPresentationSubmission.safeParse(value)
  if (parsed.success) return parsed.data
  const at = parsed.error.issues[0]?.path.map(String).join('.') ?? ''
  throw new ResponseError(`Parameter presentation_submission is malformed${at === '' ? '' : ` at ${at}`}.`)
}

function objectIn(text: string): unknown {
  if (text.length > MAX_CHARACTERS) {
    throw new ResponseError(`Parameter presentation_submission is longer than ${MAX_CHARACTERS} characters.`)
  }
  try {
    return JSON.parse(text)
  } catch {
    // No cause is attached: a syntax error quotes the text.
    throw new ResponseError('Parameter presentation_submission is not valid JSON.')
  }
}

function assertCalled({ id, format, path_nested: nested }: Mapping, { querying }: QueryableFormat): void {
  const known = querying.exchange.presentedAs
  if (known.includes(format) && (nested === undefined || known.includes(nested.format))) return
  throw new ResponseError(`Parameter presentation_submission names another format for ${id} than was asked for.`)
}

/** `$`, or `$[n]` if there are several presentations; `$[0]` is also accepted for a single one. */
function presentationAt({ id, path }: Mapping, count: number): number {
  const index = path === '$' && count === 1 ? 0 : Number(/^\$\[(\d{1,3})\]$/.exec(path)?.[1] ?? Number.NaN)
  if (index < count) return index
  throw new ResponseError(`Parameter presentation_submission has a path for ${id} that leads to no presentation.`)
}

const NESTED =
  /^\$(?:\.vp|\[['"]vp['"]\])?(?:\.verifiableCredential|\[['"]verifiableCredential['"]\])(?:\[(\d{1,3})\])?$/

/** The position of the credential within its presentation; undefined if the mapping names the whole presentation. */
function credentialAt({ id, path_nested: nested }: Mapping): number | undefined {
  if (nested === undefined || nested.path === '$') return undefined
  const found = NESTED.exec(nested.path)
  if (found === null) {
    throw new ResponseError(
      `Parameter presentation_submission has a path_nested for ${id} that leads to no credential.`,
    )
  }
  return Number(found[1] ?? 0)
}
