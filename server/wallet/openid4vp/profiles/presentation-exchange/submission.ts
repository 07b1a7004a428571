import type { Formats } from '../../../../formats/registry.js'
import type { JsonObject } from '../../../../protocol/json/json-object.js'
import type { Answer, ExchangeRequest } from '../profile.js'

/**
 * The parameters of an answer by Presentation Exchange (OpenID4VP draft 21 §6.1, draft 24 §8.1). The parameters contain
 * the presentation, or an array of presentations. They also contain the submission, which assigns presentations to
 * input descriptors.
 *
 * @param id unique id of the submission.
 */
export function submissionOf(
  answers: readonly Answer[],
  { definitionId, descriptors }: ExchangeRequest,
  formats: Formats,
  id: string,
): JsonObject {
  const [only, ...others] = answers.map(({ presentation }) => presentation)
  const descriptorMap = answers.map(({ queryId, format }, index) => {
    const descriptor = descriptors[queryId]
    if (descriptor === undefined) throw new Error(`No input descriptor has the credential query ${queryId}.`)
    const path = others.length === 0 ? '$' : `$[${index}]`
    const { exchange } = formats.named(format).holding
    if (exchange === undefined) throw new Error(`No presentation of ${format} answers an input descriptor.`)
    return { id: descriptor.id, ...exchange.submittedAs(path, descriptor.designations) }
  })
  return {
    vp_token: others.length === 0 ? only : [only, ...others],
    presentation_submission: { id, definition_id: definitionId, descriptor_map: descriptorMap },
  }
}
