import type { ClaimsPath } from '../queries/shapes.js'
import type { Registration } from '../queries/trust.js'
import type { AskedFor } from '../screens/requests/asks.js'

/** A credential that a registration certificate covers, or that a query asks for. */
export interface RegisteredCredential {
  readonly format: string
  /** `meta` of the format (OpenID4VP 1.0 Appendix B). */
  readonly meta: Readonly<Record<string, unknown>>
  /** Claims paths; null or undefined for none. */
  readonly claims?: readonly ClaimsPath[] | null | undefined
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap(textsIn) : typeof value === 'string' ? [value] : []

/** The types that `meta` names. The last type of a W3C credential is the most specific. */
function typesOf(meta: RegisteredCredential['meta']): string[] {
  const { vct_values: vcts, doctype_value: doctype, type_values: alternatives } = meta
  if (!Array.isArray(alternatives)) return textsIn(vcts ?? doctype)
  return alternatives.flatMap((types) => textsIn(types).slice(-1))
}

/** A claims path without the namespace of a mobile document, and without `credentialSubject`. A whole namespace keeps its name. */
function shortPath(path: ClaimsPath, format: string): (string | number | null)[] {
  const isNested = format === 'mso_mdoc' || (format === 'jwt_vc_json' && path[0] === 'credentialSubject')
  return isNested && path.length > 1 ? path.slice(1) : [...path]
}

/** A registered credential as the query of a session, so that both have the same words. */
export const askOf = ({ format, meta, claims }: RegisteredCredential): AskedFor => ({
  format,
  types: typesOf(meta),
  claims: (claims ?? []).map((path) => shortPath(path, format)),
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isPath = (value: unknown): value is ClaimsPath =>
  Array.isArray(value) && value.every((part) => part === null || typeof part === 'string' || typeof part === 'number')

/** The credentials that a DCQL query asks for (OpenID4VP 1.0 §6). The service has checked the query. */
export function queriedCredentials({ credentials }: Readonly<Record<string, unknown>>): RegisteredCredential[] {
  return (Array.isArray(credentials) ? credentials : []).filter(isObject).map(({ format, meta, claims }) => ({
    format: String(format),
    meta: isObject(meta) ? meta : {},
    claims: (Array.isArray(claims) ? claims : []).flatMap((claim) =>
      isObject(claim) && isPath(claim.path) ? [claim.path] : [],
    ),
  }))
}

interface Text {
  readonly lang: string
  readonly value: string
}

const primary = (lang: string): string => lang.toLowerCase().split('-')[0] ?? ''

/**
 * The text in the language of the console, else in English, else the first text.
 *
 * @returns undefined without texts. `lang` is undefined if the text is in the language of the console
 */
export function textIn(
  texts: readonly Text[],
  language: string,
): { text: string; lang: string | undefined } | undefined {
  const found =
    texts.find(({ lang }) => primary(lang) === language) ?? texts.find(({ lang }) => primary(lang) === 'en') ?? texts[0]
  if (found === undefined) return undefined
  return { text: found.value, lang: primary(found.lang) === language ? undefined : found.lang }
}

/** The name of a registration certificate for people: its purpose, else its intended use, else its party. */
export const nameOfRegistration = (
  { purposes, intendedUse, subject }: Pick<Registration, 'purposes' | 'intendedUse' | 'subject'>,
  language: string,
): { text: string; lang: string | undefined } =>
  textIn(purposes, language) ?? { text: intendedUse ?? subject.name, lang: undefined }

/**
 * Whether a person must see a request before it is answered: its transaction data, or its registration certificates. Without
 * both there is nothing to see, because registration is optional by law.
 */
export const needsPerson = ({
  transactionData = [],
  registration,
}: {
  readonly transactionData?: readonly unknown[] | undefined
  readonly registration: { readonly state: string }
}): boolean => transactionData.length > 0 || registration.state !== 'none'
