import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { isObject, type JsonObject } from '../protocol/json/json-object.js'

/** Limit of a registrar's data set as text, in characters. */
const MAX_DATASET = 65_536

/** Reads a file of registration certificates: compact JWS, or CWT as base64url, with white space between them. */
export const registrations = z
  .string()
  .optional()
  .transform((path, context): readonly string[] => {
    if (path === undefined) return []
    try {
      const certificates = readFileSync(path, 'utf8').split(/\s+/).filter(Boolean)
      if (certificates.length > 0) return certificates
    } catch {
      // The message is the same for a file that cannot be read and for an empty file.
    }
    context.addIssue({ code: 'custom', message: 'must name a readable file of registration certificates.' })
    return z.NEVER
  })

const isIdentifier = (value: unknown): boolean =>
  typeof value === 'string' ? value !== '' : Array.isArray(value) && value.length > 0

const isWebAddress = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)

/** The members of a data set that wallets decide by, with the rule for each. */
const DATASET_MEMBERS: readonly (readonly [string, (value: unknown) => boolean, string])[] = [
  ['identifier', isIdentifier, 'must not be empty'],
  ['registryURI', isWebAddress, 'must be a web address'],
  ['providesAttestations', (value) => Array.isArray(value) && value.every(isObject), 'must be an array of objects'],
]

function datasetIn(path: string): JsonObject {
  const text = readFileSync(path, 'utf8')
  if (text.length > MAX_DATASET) throw new Error(`it is longer than ${MAX_DATASET} characters`)
  const dataset: unknown = JSON.parse(text)
  if (!isObject(dataset)) throw new Error('it is no JSON object')
  for (const [name, isRight, rule] of DATASET_MEMBERS) {
    if (!isRight(dataset[name])) throw new Error(`${name} ${rule}`)
  }
  return dataset
}

/** Reads the data set that a registrar has about the issuer (ETSI TS 119 472-3 §4.2.3; members as in the EU's TS5). */
export const issuerRegistrarDataset = z
  .string()
  .optional()
  .transform((path, context): JsonObject | undefined => {
    if (path === undefined) return undefined
    try {
      return datasetIn(path)
    } catch (error) {
      const isSystemError = error instanceof Error && 'code' in error
      const reason = isSystemError || !(error instanceof Error) ? 'it cannot be read' : error.message
      const shown = error instanceof SyntaxError ? 'it is no JSON' : reason
      context.addIssue({ code: 'custom', message: `must name a JSON file with the data set of a registrar: ${shown}.` })
      return z.NEVER
    }
  })
