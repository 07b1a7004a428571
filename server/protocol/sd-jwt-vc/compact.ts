import { CredentialError } from '../credential/verification.js'

/** The parts of a compact SD-JWT or SD-JWT+KB (RFC 9901 §4). */
export interface SdJwtParts {
  readonly issuerJwt: string
  readonly disclosures: readonly string[]
  readonly keyBindingJwt?: string
  /** The text up to and including the last `~`: the input of `sd_hash`. */
  readonly sdJwt: string
}

/** Limit of Disclosures, since each costs a hash and a parse. Real credentials have far fewer. */
const MAX_DISCLOSURES = 2000

/**
 * Splits a compact SD-JWT at its tildes. The parts are not checked.
 *
 * @throws CredentialError if there is no `~`, an empty Disclosure, or more than 2,000 Disclosures.
 */
export function splitSdJwt(compact: string): SdJwtParts {
  const [issuerJwt, ...rest] = compact.split('~')
  const last = rest.pop()
  if (issuerJwt === undefined || last === undefined)
    throw new CredentialError('Credential is not an SD-JWT: it has no ~.')
  if (rest.length > MAX_DISCLOSURES)
    throw new CredentialError(`Credential has more than ${MAX_DISCLOSURES} disclosures.`)
  return {
    issuerJwt,
    disclosures: rest,
    ...(last === '' ? {} : { keyBindingJwt: last }),
    sdJwt: last === '' ? compact : compact.slice(0, -last.length),
  }
}

/** Joins the parts of an SD-JWT without key binding. The result ends in `~`. */
export function joinSdJwt(issuerJwt: string, disclosures: readonly string[]): string {
  return `${[issuerJwt, ...disclosures].join('~')}~`
}
