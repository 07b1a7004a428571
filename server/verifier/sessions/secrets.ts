import type { Deps } from '../../deps.js'
import type { Jwk } from '../../protocol/jose/jws.js'
import type { RequestSecrets } from '../../protocol/openid4vp/authorization-response.js'
import { isEncrypted, type ResponseMode } from '../../protocol/openid4vp/request-object.js'
import { generateResponseKey } from '../../protocol/openid4vp/response-encryption.js'
import type { Session } from './session.js'

/** Secret values of a request, the same each time that the wallet fetches it. */
export interface SessionSecrets extends RequestSecrets {
  readonly nonce: string
  readonly encryptionKey?: Jwk
}

/** 256 bits: OpenID4VP 1.0 §5.2 asks for sufficient entropy, §8.2 for at least 128. */
export const randomValue = (deps: Pick<Deps, 'random'>): string => Buffer.from(deps.random(32)).toString('base64url')

export function newSecrets(deps: Pick<Deps, 'random'>, responseMode: ResponseMode): SessionSecrets {
  const values = { state: randomValue(deps), nonce: randomValue(deps) }
  return isEncrypted(responseMode) ? { ...values, encryptionKey: generateResponseKey() } : values
}

const placeOf = (sessionId: string) => ({ column: 'verification_sessions.secrets', id: sessionId }) as const

/** The secrets of a session, ready to be stored with it. */
export const protectSecrets = (
  { vault }: Pick<Deps, 'vault'>,
  sessionId: string,
  secrets: SessionSecrets,
): Promise<string> => vault.protect(placeOf(sessionId), JSON.stringify(secrets))

/** The secrets of a session that is still open. */
export async function revealSecrets({ vault }: Pick<Deps, 'vault'>, session: Session): Promise<SessionSecrets> {
  if (session.secrets === null) throw new Error(`Session ${session.id} has no secrets any more.`)
  return JSON.parse(await vault.reveal(placeOf(session.id), session.secrets)) as SessionSecrets
}
