import type { JsonObject } from '../../protocol/json/json-object.js'
import type { CredentialView } from '../../protocol/openid4vp/query/credential-view.js'
import type { JsonPath } from '../../protocol/openid4vp/query/jsonpath/ast.js'
import { selectByPath } from '../../protocol/openid4vp/query/jsonpath/evaluate.js'
import { isIssuerPath, isVctPath, memberOfVc } from '../../protocol/openid4vp/query/vc-paths.js'
import type { Work } from '../../protocol/work.js'
import type { Installation } from '../issuing.js'
import { typeOfVct } from './vct.js'

/** Cost of searching a value for undisclosed elements. */
const UNITS_OF_A_VALUE = 10

/**
 * An SD-JWT VC as queries read it. Paths start at its claims. Some paths of W3C credentials have a special meaning.
 * `$.credentialSubject` and `$.vc.credentialSubject` mean the claims. `$.type` and `$.vc.type` mean
 * `["VerifiableCredential", name]`. `$.issuer`, `$.vc.issuer` and the `id` of either mean `iss`. So a claim that is
 * named `issuer` is never read as the issuer. An index counts all elements that the issuer signed. So a withheld
 * element does not change the index of the elements after it. An undisclosed element is never selected, and a selected
 * array does not contain it.
 *
 * If the credential's type extends the requested type, the credential counts as the requested type: `$.vct` is the
 * requested type, and `$.type` has both names.
 *
 * @param claims all disclosed claims, and undefined for each array element without a disclosure.
 * @param takenAs the requested type that the type of the credential extends
 */
export function sdJwtVcView(
  claims: JsonObject,
  installation: Pick<Installation, 'issuerBaseUrl'>,
  takenAs?: string,
): CredentialView {
  return {
    format: 'dc+sd-jwt',
    root: claims,
    mismatchWith: ({ vct_values: accepted }) => {
      // OpenID4VP 1.0 Appendix B.3.5
      const vct = takenAs ?? claims.vct
      if (typeof vct === 'string' && Array.isArray(accepted) && accepted.includes(vct)) return undefined
      return { check: 'vct_values', path: 'vct', verdict: 'is of none of the vct_values.' }
    },
    select: (path, work) => select({ claims, installation, takenAs }, path, work),
  }
}

interface Viewed {
  readonly claims: JsonObject
  readonly installation: Pick<Installation, 'issuerBaseUrl'>
  readonly takenAs: string | undefined
}

function select(viewed: Viewed, path: JsonPath, work: Work): unknown[] {
  const { claims, takenAs } = viewed
  const { member, rest } = memberOfVc(path)
  switch (member) {
    case 'credentialSubject':
      return withoutGaps(selectByPath({ segments: rest }, claims, work), work)
    case 'type':
      return selectByPath({ segments: rest }, typesOf(viewed), work)
    case 'issuer':
      return selectByPath({ segments: isIssuerPath(path) ? [] : rest }, claims.iss, work).filter(isPresent)
    default:
      if (takenAs !== undefined && isVctPath(path)) return [takenAs]
      return withoutGaps(selectByPath(path, claims, work), work)
  }
}

function typesOf({ claims: { vct }, installation, takenAs }: Viewed): readonly string[] {
  const vcts = [vct, takenAs].filter((type) => typeof type === 'string')
  return ['VerifiableCredential', ...vcts.map((type) => typeOfVct(installation, type) ?? type)]
}

/** Removes undisclosed array elements from values. A value without undisclosed elements is returned unchanged. */
function withoutGaps(values: readonly unknown[], work: Work): unknown[] {
  // A path may select the same value many times: directly, and inside further values. Each value is copied once.
  const known = new Map<unknown, unknown>()
  const filled = (value: unknown): unknown => {
    work.spend(UNITS_OF_A_VALUE)
    if (typeof value !== 'object' || value === null) return value
    if (!known.has(value)) known.set(value, Array.isArray(value) ? elements(value) : members(value))
    return known.get(value)
  }
  const elements = (array: readonly unknown[]): unknown => {
    const disclosed = array.filter(isPresent).map(filled)
    return disclosed.length === array.length && disclosed.every((item, at) => item === array[at]) ? array : disclosed
  }
  const members = (object: object): unknown => {
    const entries = Object.entries(object).map(([name, value]) => [name, value, filled(value)] as const)
    if (entries.every(([, value, after]) => value === after)) return object
    return Object.fromEntries(entries.map(([name, , after]) => [name, after]))
  }
  return values.map(filled)
}

function isPresent(value: unknown): boolean {
  return value !== undefined
}
