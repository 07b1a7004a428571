import type { Vault } from '../../keys/vault.js'
import type { Jwk } from '../../protocol/jose/jws.js'
import type { RequestSecrets } from '../../protocol/openid4vp/authorization-response.js'
import { isEncrypted, type ResponseMode } from '../../protocol/openid4vp/request-object.js'
import { generateResponseKey } from '../../protocol/openid4vp/response-encryption.js'
import type { SentRequest } from '../openid4vp/sent-request.js'
import type { Session } from './session.js'

/** Secret values of a request. The values are the same each time the wallet fetches the request. */
export interface SessionSecrets extends RequestSecrets {
  readonly nonce: string
  readonly encryptionKey?: Jwk
  /** The request's transaction data. Absent if there is none, or if an earlier version stored it in the clear. */
  readonly transactionData?: readonly string[]
  /** The request as it is sent, if evidence is kept. */
  readonly sent?: SentRequest
}

const placeOf = (sessionId: string) => ({ column: 'verification_sessions.secrets', id: sessionId }) as const

/** The secrets of a new session, with its transaction data: it may name persons, so it is not stored in the clear. */
export const withTransactionData = (
  secrets: SessionSecrets,
  { transactionData }: Pick<Session, 'transactionData'>,
): SessionSecrets => (transactionData === null ? secrets : { ...secrets, transactionData })

/** A stored session with the transaction data from its secrets. */
export const opened = <S extends Pick<Session, 'transactionData'>>(
  session: S,
  { transactionData }: SessionSecrets,
): S => (transactionData === undefined ? session : { ...session, transactionData })

/** Dependencies of {@link createSessionVault}. */
export interface SessionVaultPorts {
  readonly vault: Pick<Vault, 'protect' | 'reveal'>
  readonly random: (length: number) => Uint8Array
}

export type SessionVault = ReturnType<typeof createSessionVault>

/** Creates, protects and reveals the secrets of sessions. */
export function createSessionVault({ vault, random }: SessionVaultPorts) {
  /** 256 bits: OpenID4VP 1.0 §5.2 requires sufficient entropy, and §8.2 at least 128 bits. */
  const randomValue = (): string => Buffer.from(random(32)).toString('base64url')

  return {
    randomValue,

    /** The secrets of a new session. */
    newSecrets(responseMode: ResponseMode): SessionSecrets {
      const values = { state: randomValue(), nonce: randomValue() }
      return isEncrypted(responseMode) ? { ...values, encryptionKey: generateResponseKey() } : values
    },

    /** Encrypts the secrets of a session for its row. */
    protect: (sessionId: string, secrets: SessionSecrets): Promise<string> =>
      vault.protect(placeOf(sessionId), JSON.stringify(secrets)),

    /** The secrets of an open session. */
    async reveal({ id, secrets }: Pick<Session, 'id' | 'secrets'>): Promise<SessionSecrets> {
      if (secrets === null) throw new Error(`Session ${id} has no secrets any more.`)
      return JSON.parse(await vault.reveal(placeOf(id), secrets)) as SessionSecrets
    },
  }
}
