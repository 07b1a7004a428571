import { TextBody } from '../../api/contract.js'
import { parseJsonObject } from '../../api/json-text.js'
import { procedureOver } from '../../api/trpc.js'
import type { Config } from '../../config/config.js'
import type { Deps } from '../../deps.js'
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
import { type WalletContext, withWalletToken } from './wallet-access.js'

type Encrypt = (answer: Uint8Array) => string

/** The input that was sent, as the request's JSON would give it. */
async function openRequest({ clock, config, decryptionKeys }: Deps, sent: unknown): Promise<unknown> {
  if (!(sent instanceof TextBody)) {
    if (config.credentialEncryption === 'required') throw encryptionError('The request must be encrypted.')
    return sent
  }
  if (config.credentialEncryption === 'off') throw encryptionError('Encrypted credential requests are not supported.')
  const claims = parseJsonObject(await decryptRequest(sent.text, decryptionKeys.find), 'accepted')
  assertRequestTimes(claims, clock())
  return claims
}

/**
 * §8.2: whoever asks for an encrypted answer must not get it in the clear, and must have encrypted the request, in which
 * somebody else could have put a key of their own.
 */
function answerEncryption({ config }: Deps, request: unknown, encrypted: boolean): Encrypt | undefined {
  const { credential_response_encryption: parameters } = request as { credential_response_encryption?: unknown }
  if (parameters === undefined) {
    if (config.credentialEncryption !== 'required') return undefined
    throw encryptionError('credential_response_encryption is missing: answers are encrypted here.')
  }
  if (config.credentialEncryption === 'off') throw encryptionError('Encrypted credential responses are not supported.')
  if (!encrypted) throw encryptionError('A request with credential_response_encryption must be encrypted itself.')
  return responseEncryption(parameters)
}

const encryptedReply = ({ status, headers, body }: ProtocolReply, encrypt: Encrypt): ProtocolReply => ({
  status,
  headers: { ...headers, 'content-type': ENCRYPTED_TYPE },
  body: encrypt(Buffer.from(JSON.stringify(body))),
})

const encryptable = withWalletToken.use(async ({ ctx, next, getRawInput }) => {
  const sent = await getRawInput()
  const request = await openRequest(ctx.deps, sent)
  const encrypt = answerEncryption(ctx.deps, request, sent instanceof TextBody)
  const result = await next({ getRawInput: async () => request })
  if (!result.ok || encrypt === undefined) return result
  return { ...result, data: encryptedReply(result.data as ProtocolReply, encrypt) }
})

/**
 * A wallet's request that may be encrypted, with an answer that may be (OpenID4VCI 1.0 §10): the procedure's contract sees what
 * was encrypted, and its answer, of whatever status, is encrypted for the key that the request names. Errors never are.
 */
export const encryptableProcedure = procedureOver<'wallet', WalletContext>(encryptable)

/** Members of the issuer's metadata (§12.2.4); none where encryption is off. */
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
