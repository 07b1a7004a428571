import type { DcqlQuery } from 'dcql'
import type { Config } from '../../config/config.js'
import type { CredentialFormat } from '../../formats/format.js'
import { authorityKeyIdentifier } from '../../protocol/issuer-keys/authority-key-identifier.js'
import { readX5c } from '../../protocol/issuer-keys/certificate-chain.js'
import { IssuerKeyError } from '../../protocol/issuer-keys/issuer-key-error.js'
import { isSameKey } from '../../protocol/jose/jws.js'
import type { HeldCredential } from '../credentials/held.js'

type Authority = NonNullable<DcqlQuery.Output['credentials'][number]['trusted_authorities']>[number]

/** Whether a held credential comes from one of the authorities that a query names. */
export type ComesFrom = (
  format: CredentialFormat,
  held: HeldCredential,
  authorities: readonly Authority[],
) => Promise<boolean>

/**
 * Judges `trusted_authorities` (OpenID4VP 1.0 §6.1.1). For `aki`, a certificate of the chain must have the key
 * identifier. For `etsi_tl`, the chain must lead to a list that this service reads. Other types match no credential.
 */
export function createComesFrom({ listed }: Pick<Config, 'listed'>, now: Date): ComesFrom {
  /** Answers by list and chain. A stranger's query may name one list many times. */
  const known = new Map<string, boolean>()

  const isOnList = (address: string, x5c: unknown, { content }: HeldCredential): boolean => {
    const { types, issuerKey } = content
    const name = JSON.stringify([address, x5c, types, issuerKey.jwk])
    const before = known.get(name)
    if (before !== undefined) return before
    const key = listed?.credentials.keyOn(address, x5c, { now, purpose: 'credential', types })
    const answer = key !== undefined && isSameKey(key, issuerKey.jwk)
    known.set(name, answer)
    return answer
  }

  return async ({ holding }, held, authorities) => {
    const x5c = await holding.x5cOf(held.compact)
    if (x5c === undefined) return false
    const identifiers = new Set(identifiersIn(x5c))
    return authorities.some(({ type, values }) => {
      if (type === 'aki') return values.some((value) => identifiers.has(value))
      const isRead = (address: string) => listed?.credentials.reads(address) === true
      return type === 'etsi_tl' && values.some((address) => isRead(address) && isOnList(address, x5c, held))
    })
  }
}

/** Key identifiers of the authorities in a certificate chain, base64url (§6.1.1.1). */
function identifiersIn(x5c: unknown): readonly string[] {
  try {
    return readX5c(x5c).flatMap((certificate) => authorityKeyIdentifier(certificate) ?? [])
  } catch (thrown) {
    if (thrown instanceof IssuerKeyError) return []
    throw thrown
  }
}
