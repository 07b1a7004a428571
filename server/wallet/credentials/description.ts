import { z } from 'zod'
import { inLanguage, type Languages } from '../../pages/languages.js'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import { isColour, isImageUri, isLanguageTag } from '../../protocol/openid4vci/display.js'
import { isImageAddress } from '../../protocol/stored-image.js'

/** Limits of a stored description. An issuer may be a stranger, and a wallet stores the description with each credential. */
const [MAX_LANGUAGES, MAX_CLAIMS, MAX_DEPTH] = [30, 200, 8]
const [MAX_NAME, MAX_TEXT, MAX_URI] = [200, 1000, 4096]
const MAX_BYTES = 65_536

const zName = z.string().min(1).max(MAX_NAME)
const zLocale = z.string().max(35).refine(isLanguageTag)
const zUri = z
  .string()
  .max(MAX_URI)
  .refine((uri) => isImageUri(uri) || isImageAddress(uri))

/** A member that is malformed counts as absent: the issuer's other texts are still useful. */
const lenient = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined)

/** OpenID4VCI 1.0 §12.2.4 */
const zDisplay = z.object({
  name: zName,
  locale: lenient(zLocale),
  description: lenient(z.string().max(MAX_TEXT)),
  background_color: lenient(z.string().refine(isColour)),
  text_color: lenient(z.string().refine(isColour)),
  logo: lenient(z.object({ uri: zUri, alt_text: lenient(z.string().max(MAX_NAME)) })),
  background_image: lenient(z.object({ uri: zUri })),
})

/** OpenID4VCI 1.0 Appendix B.2 */
const zClaim = z.object({
  path: z
    .array(z.union([z.string().max(MAX_NAME), z.int().nonnegative(), z.null()]))
    .min(1)
    .max(MAX_DEPTH),
  names: z.array(z.object({ name: zName, locale: lenient(zLocale) })).max(MAX_LANGUAGES),
})

const zNamed = z.object({ name: zName, locale: lenient(zLocale) })

/** How an issuer describes itself and the credentials of a configuration: their display in each language, and their claims in order. */
export const zDescription = z.object({
  /** The names of the issuer. Absent in descriptions of earlier versions of the service. */
  issuer: z.array(zNamed).max(MAX_LANGUAGES).optional(),
  display: z.array(zDisplay).max(MAX_LANGUAGES),
  claims: z.array(zClaim).max(MAX_CLAIMS),
})
export type Description = z.output<typeof zDescription>

/** The valid entries of a list, at most `most`. */
function entriesOf<Schema extends z.ZodType>(list: unknown, schema: Schema, most: number): z.output<Schema>[] {
  if (!Array.isArray(list)) return []
  return list.slice(0, most).flatMap((entry) => {
    const { success, data } = schema.safeParse(entry)
    return success ? [data] : []
  })
}

function claimOf(entry: unknown): z.output<typeof zClaim>[] {
  if (!isObject(entry)) return []
  const { success, data } = zClaim.safeParse({
    path: entry.path,
    names: entriesOf(entry.display, zNamed, MAX_LANGUAGES),
  })
  return success ? [data] : []
}

/**
 * Reads how an issuer describes a configuration (OpenID4VCI 1.0 §12.2.4; drafts have the same members without `credential_metadata`).
 *
 * @param issuerDisplay how the issuer describes itself: `display` of its metadata
 * @returns undefined if the issuer describes nothing, or too much
 */
export function descriptionOf(configuration: unknown, issuerDisplay?: unknown): Description | undefined {
  if (!isObject(configuration)) return undefined
  const { credential_metadata: metadata } = configuration
  const { display, claims }: JsonObject = isObject(metadata) ? metadata : configuration
  const description = {
    issuer: entriesOf(issuerDisplay, zNamed, MAX_LANGUAGES),
    display: entriesOf(display, zDisplay, MAX_LANGUAGES),
    claims: Array.isArray(claims) ? claims.slice(0, MAX_CLAIMS).flatMap(claimOf) : [],
  }
  if (Object.values(description).every(({ length }) => length === 0)) return undefined
  return Buffer.byteLength(JSON.stringify(description)) > MAX_BYTES ? undefined : description
}

/** A description in a reader's language. Claims without a name are left out. */
export function describedIn({ issuer = [], display, claims }: Description, languages: Languages) {
  const shown = inLanguage(display, languages)
  const issuerName = inLanguage(issuer, languages)?.name
  const named = claims.flatMap(({ path, names }) => {
    const { name } = inLanguage(names, languages) ?? {}
    return name === undefined ? [] : [{ path, name }]
  })
  return {
    ...(shown === undefined ? {} : { display: shown }),
    ...(issuerName === undefined ? {} : { issuerName }),
    claimNames: named,
  }
}
