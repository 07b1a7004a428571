import type { Stage } from '../stage.js'
import type { Issued } from './issue.js'

type Json = Record<string, unknown>

const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns the JWT with a higher price in its payload. The signature stays the original signature. */
function withHigherPrice(jwt: string): string {
  const [header, payload = '', signature] = jwt.split('.')
  const claims = decode(payload) as { vc: { credentialSubject: Json } }
  claims.vc.credentialSubject.price = { amount: 9_999, currency: 'EUR' }
  return [header, encode(claims), signature].join('.')
}

/** Returns the SD-JWT with a higher price in its disclosure. The signed digests stay the original digests. */
function withHigherDisclosedPrice(sdJwt: string): string {
  const change = (part: string): string => {
    const disclosure = decode(part) as [string, string, unknown]
    return disclosure[1] === 'price' ? encode([disclosure[0], 'price', { amount: 9_999, currency: 'EUR' }]) : part
  }
  const [jwt, ...disclosures] = sdJwt.split('~').slice(0, -1)
  return [jwt, ...disclosures.map(change), ''].join('~')
}

/** Shows that a changed claim makes a credential of each format invalid. */
export async function tamper(stage: Stage, claimed: Issued, signed: Issued): Promise<void> {
  for (const [{ format }, credential] of [
    [claimed, withHigherPrice(claimed.compact)],
    [signed, withHigherDisclosedPrice(signed.compact)],
  ] as const) {
    stage.step(`Raise the price in a copy of the ${format} and verify it`)
    const answer = await stage.credence.verify.verify.mutate({ credential })
    stage.saw('answer', answer)
    stage.mustBe('its validity', answer.isValid, false)
  }
}
