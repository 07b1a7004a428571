import { CredentialError } from '../credential/verification.js'
import type { JsonObject } from '../json/json-object.js'

// XML Schema 1.1 dateTime. VCDM 2.0 §4.9: a value without an offset is read as UTC.
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})?$/

/** Writes a date as the VCDM requires, in whole seconds: `2026-01-31T12:00:00Z`. */
export function dateTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}

/**
 * Checks the validity period in the credential itself: `issuanceDate` and `expirationDate` (VCDM 1.1 §4.6, §4.8),
 * `validFrom` and `validUntil` (VCDM 2.0 §4.9). `expirationDate` and `validUntil` have no leeway.
 */
export function checkValidityPeriod(credential: JsonObject, what: string, now: Date, leewaySeconds: number): void {
  for (const name of ['expirationDate', 'validUntil']) {
    const end = timeOf(credential, name, what)
    if (end !== undefined && now.getTime() >= end) {
      throw new CredentialError(`${what} has expired.`, { check: 'validity' })
    }
  }
  for (const name of ['issuanceDate', 'validFrom']) {
    const start = timeOf(credential, name, what)
    if (start !== undefined && start > now.getTime() + leewaySeconds * 1000) {
      throw new CredentialError(`${what} is not valid yet: ${name} lies in the future.`, { check: 'validity' })
    }
  }
}

/** Milliseconds since the epoch; undefined if the member is absent. */
function timeOf(credential: JsonObject, name: string, what: string): number | undefined {
  const value = credential[name]
  if (value === undefined) return undefined
  const parts = typeof value === 'string' ? DATE_TIME.exec(value) : null
  const time = parts === null ? Number.NaN : Date.parse(parts[2] === undefined ? `${parts[0]}Z` : parts[0])
  if (Number.isNaN(time)) throw new CredentialError(`${what} member ${name} is not a date-time.`)
  return time
}
