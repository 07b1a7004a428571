import { z } from 'zod'
import { JsonBoundsError, measureJson } from '../../../../protocol/json-schema/json-size.js'
import { zFieldConstraint } from '../../../../protocol/openid4vp/query/vp-query.js'
import { RefusedRequest } from '../../refused-request.js'

const BOUNDS = { depth: 32, nodes: 5_000 } as const
const MAX_DESCRIPTORS = 32
const MAX_FIELDS = 64
const MAX_NAME = 256

const zName = z.string().min(1).max(MAX_NAME)

/** Texts for people. */
const shown = { name: z.string().optional(), purpose: z.string().optional() }

/** A required predicate would need a proof that no supported format has. */
const zField = zFieldConstraint.extend({
  ...shown,
  id: z.string().optional(),
  optional: z.boolean().optional(),
  intent_to_retain: z.boolean().optional(),
  predicate: z.literal('preferred').optional(),
})
export type Field = z.infer<typeof zField>

/** By claim format designation: the algorithms that the verifier accepts, and other members. */
const zFormat = z.record(z.string(), z.unknown())

const zInputDescriptor = z.strictObject({
  ...shown,
  id: zName,
  group: z.array(zName).max(MAX_DESCRIPTORS).optional(),
  format: zFormat.optional(),
  constraints: z.strictObject({
    limit_disclosure: z.enum(['required', 'preferred']).optional(),
    fields: z.array(zField).max(MAX_FIELDS).optional(),
  }),
})
export type InputDescriptor = z.infer<typeof zInputDescriptor>

const zCount = z.int().min(0).max(MAX_DESCRIPTORS)

export interface SubmissionRequirement {
  readonly rule: 'all' | 'pick'
  readonly count?: number | undefined
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly from?: string | undefined
  readonly from_nested?: readonly SubmissionRequirement[] | undefined
}

const zRequirement: z.ZodType<SubmissionRequirement> = z.strictObject({
  ...shown,
  rule: z.enum(['all', 'pick']),
  count: zCount.optional(),
  min: zCount.optional(),
  max: zCount.optional(),
  from: zName.optional(),
  get from_nested() {
    return z.array(zRequirement).min(1).max(MAX_DESCRIPTORS).optional()
  },
})

/**
 * `presentation_definition` as a stranger sends it (DIF Presentation Exchange 2 §5). Unknown members, and members that this wallet
 * cannot satisfy, are refused. The wallet either answers a request completely, or not at all.
 */
const zPresentationDefinition = z.strictObject({
  ...shown,
  id: zName,
  format: zFormat.optional(),
  submission_requirements: z.array(zRequirement).min(1).max(MAX_DESCRIPTORS).optional(),
  input_descriptors: z.array(zInputDescriptor).min(1).max(MAX_DESCRIPTORS),
})
export type PresentationDefinition = z.infer<typeof zPresentationDefinition>

/** The error for a malformed definition, or for a definition with an unsupported member. */
export const refusedDefinition = (reason: string, options?: ErrorOptions) =>
  new RefusedRequest('invalid_request', `The presentation_definition ${reason}.`, options)

/**
 * Reads a presentation definition. The size is checked first, because the following checks are recursive.
 *
 * @throws RefusedRequest that names the first malformed or unknown member.
 */
export function readPresentationDefinition(value: unknown): PresentationDefinition {
  try {
    measureJson(value, BOUNDS)
  } catch (cause) {
    if (!(cause instanceof JsonBoundsError)) throw cause
    throw refusedDefinition('is too large', { cause })
  }
  const parsed = zPresentationDefinition.safeParse(value)
  if (!parsed.success) {
    const place = parsed.error.issues[0]?.path.map(String).join('.') ?? ''
    throw refusedDefinition(
      place === '' ? 'has a form that this wallet does not know' : `is not understood at ${place}`,
    )
  }
  const ids = parsed.data.input_descriptors.map(({ id }) => id)
  if (new Set(ids).size < ids.length) throw refusedDefinition('has two input_descriptors with one id')
  return parsed.data
}
