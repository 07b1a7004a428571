import { CredentialError, decodeJwt } from '../credential/verification.js'
import { isObject } from '../json/json-object.js'
import { joinSdJwt, splitSdJwt } from './compact.js'
import { type ClaimPath, type DisclosedClaim, processDisclosures } from './disclosures.js'

/** A claims path pointer (OpenID4VP 1.0 §7): names, positions in arrays, and null for all elements of an array. */
export type ClaimsPathPointer = readonly (string | number | null)[]

/**
 * Removes all Disclosures except the Disclosures of the selected claims, of the claims that contain them, and of the
 * claims inside them (RFC 9901 §7.2). The holder verified the credential on receipt, so it is not verified again.
 *
 * @param select pointers to claims, all of which must exist, or a function that chooses disclosable claims. A chosen
 * claim includes the claims that contain it, but not the claims inside it
 * @returns the SD-JWT with the remaining Disclosures, ending in `~`, ready for key binding
 * @throws CredentialError when the credential is malformed or has a Key Binding JWT, or a pointer finds no claim
 */
export function presentSdJwtVc(
  compact: string,
  select: readonly ClaimsPathPointer[] | ((claim: DisclosedClaim) => boolean),
): string {
  const { issuerJwt, disclosures, keyBindingJwt } = splitSdJwt(compact)
  if (keyBindingJwt !== undefined) throw new CredentialError('Credential has a Key Binding JWT already.')
  const { claims, disclosed } = processDisclosures(decodeJwt(issuerJwt, 'Credential').payload, disclosures)
  const wanted = typeof select === 'function' ? chosenBy(select, disclosed) : pointedAt(select, claims)
  return joinSdJwt(
    issuerJwt,
    disclosed.filter((claim) => wanted(claim.path)).map((claim) => claim.disclosure),
  )
}

function chosenBy(select: (claim: DisclosedClaim) => boolean, disclosed: readonly DisclosedClaim[]) {
  const chosen = disclosed.filter(select).map(({ path }) => path)
  return (path: ClaimPath) => chosen.some((other) => startsWith(other, path))
}

function pointedAt(pointers: readonly ClaimsPathPointer[], claims: unknown) {
  const chosen = pointers.flatMap((pointer) => {
    const found = elementsAt(claims, pointer, [])
    if (found.length === 0) throw new CredentialError(`Credential has no claim at ${JSON.stringify(pointer)}.`)
    return found
  })
  return (path: ClaimPath) => chosen.some((other) => startsWith(other, path) || startsWith(path, other))
}

/** The paths of all elements that a pointer selects (OpenID4VP 1.0 §7.1). */
function elementsAt(value: unknown, pointer: ClaimsPathPointer, path: ClaimPath): readonly ClaimPath[] {
  const [step, ...rest] = pointer
  if (step === undefined) return [path]
  if (Array.isArray(value)) {
    const positions = step === null ? [...value.keys()] : typeof step === 'number' && step in value ? [step] : []
    return positions.flatMap((position) => elementsAt(value[position], rest, [...path, position]))
  }
  if (typeof step !== 'string' || !isObject(value) || !Object.hasOwn(value, step)) return []
  return elementsAt(value[step], rest, [...path, step])
}

function startsWith(path: ClaimPath, start: ClaimPath): boolean {
  return start.length <= path.length && start.every((step, index) => step === path[index])
}
