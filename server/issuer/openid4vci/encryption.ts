import { TextBody } from '../../api/contract.js'
import { parseJsonObject } from '../../api/json-text.js'
import { procedureOver } from '../../api/trpc.js'
import type { Config } from '../../config/config.js'
import type { DecryptionKeys } from '../../keys/decryption-keys.js'
import type { KeyStore } from '../../keys/store.js'
import { CLOCK_SKEW_SECONDS, DAY_SECONDS, dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import { type Jwk, publicJwkOf } from '../../protocol/jose/jws.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import {
  assertRequestTimes,
  decryptRequest,
  ENCRYPTED_TYPE,
  ENCRYPTION_ALG,
  ENCRYPTION_ENC_VALUES,
  ENCRYPTION_ZIP_VALUES,
  encryptionError,
  responseEncryption,
} from '../../protocol/openid4vci/encryption.js'
import { type WalletAccess, type WalletContext, withWalletToken } from './wallet-access.js'

type Encrypt = (answer: Uint8Array) => string

const encryptedReply = ({ status, headers, body }: ProtocolReply, encrypt: Encrypt): ProtocolReply => ({
  status,
  headers: { ...headers, 'content-type': ENCRYPTED_TYPE },
  body: encrypt(Buffer.from(JSON.stringify(body))),
})

/** Dependencies of {@link createRequestEncryption}. */
export interface RequestEncryptionPorts {
  readonly config: Pick<Config, 'credentialEncryption'>
  readonly decryptionKeys: DecryptionKeys
  readonly keys: Pick<KeyStore, 'removeDecryption'>
  readonly clock: () => Date
}

export type RequestEncryption = ReturnType<typeof createRequestEncryption>

/** The encryption of credential requests and their answers (OpenID4VCI 1.0 §10). */
export function createRequestEncryption({ config, decryptionKeys, keys, clock }: RequestEncryptionPorts) {
  const tasks: readonly MaintenanceTask[] = [
    dueRows({
      name: 'remove former keys of credential requests',
      everyMs: 600_000,
      seconds: DAY_SECONDS + CLOCK_SKEW_SECONDS,
      batch: keys.removeDecryption,
    }),
  ]
  return {
    tasks,

    /**
     * Decrypts the sent input, if the input is encrypted, to the JSON of the request.
     *
     * @throws OAuthError `invalid_encryption_parameters` if encryption is required but missing, is not supported, or cannot be
     *   decrypted
     */
    async open(sent: unknown): Promise<unknown> {
      if (!(sent instanceof TextBody)) {
        if (config.credentialEncryption === 'required') throw encryptionError('The request must be encrypted.')
        return sent
      }
      if (config.credentialEncryption === 'off')
        throw encryptionError('Encrypted credential requests are not supported.')
      const claims = parseJsonObject(await decryptRequest(sent.text, decryptionKeys.find), 'accepted')
      assertRequestTimes(claims, clock())
      return claims
    },

    /**
     * §8.2: a wallet that requests an encrypted answer must not get an unencrypted answer. The request must be
     * encrypted too, because an attacker could replace the key in a clear request.
     *
     * @returns the encryption of the answer; undefined if the answer is sent in the clear
     * @throws OAuthError `invalid_encryption_parameters`
     */
    answerTo(request: unknown, encrypted: boolean): Encrypt | undefined {
      const { credential_response_encryption: parameters } = request as { credential_response_encryption?: unknown }
      if (parameters === undefined) {
        if (config.credentialEncryption !== 'required') return undefined
        throw encryptionError('credential_response_encryption is missing: answers are encrypted here.')
      }
      if (config.credentialEncryption === 'off')
        throw encryptionError('Encrypted credential responses are not supported.')
      if (!encrypted) throw encryptionError('A request with credential_response_encryption must be encrypted itself.')
      return responseEncryption(parameters)
    },
  }
}

/**
 * The base of procedures whose requests and answers may be encrypted (OpenID4VCI 1.0 §10). The contract checks the
 * decrypted request. Every successful answer is encrypted for the key that the request names. Errors are never
 * encrypted.
 */
export const encryptableProcedure = (
  access: Pick<WalletAccess, 'provideNonce' | 'tokenOf'>,
  encryption: Pick<RequestEncryption, 'open' | 'answerTo'>,
) =>
  procedureOver<'wallet', WalletContext>(
    withWalletToken(access).use(async ({ next, getRawInput }) => {
      const sent = await getRawInput()
      const request = await encryption.open(sent)
      const encrypt = encryption.answerTo(request, sent instanceof TextBody)
      const result = await next({ getRawInput: async () => request })
      if (!result.ok || encrypt === undefined) return result
      return { ...result, data: encryptedReply(result.data as ProtocolReply, encrypt) }
    }),
  )

/** Members of the issuer's metadata (§12.2.4); none if encryption is off. */
export function encryptionMembers(
  { credentialEncryption }: Pick<Config, 'credentialEncryption'>,
  publicJwk: Jwk | null,
): Record<string, unknown> {
  if (credentialEncryption === 'off' || publicJwk === null) return {}
  const common = {
    enc_values_supported: [...ENCRYPTION_ENC_VALUES],
    zip_values_supported: [...ENCRYPTION_ZIP_VALUES],
    encryption_required: credentialEncryption === 'required',
  }
  return {
    credential_request_encryption: { jwks: { keys: [publicJwkOf(publicJwk)] }, ...common },
    credential_response_encryption: { alg_values_supported: [ENCRYPTION_ALG], ...common },
  }
}
