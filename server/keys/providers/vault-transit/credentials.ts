import { z } from 'zod'
import { ProviderRefusal, type ProviderTools } from '../provider.js'
import { zPath } from '../remote/addresses.js'
import { described, type Exchange, membersOf, objectIn, type ProviderAnswer, textIn } from '../remote/exchange.js'
import { secretIn } from '../remote/files.js'
import { type Credential, type CredentialSource, endAfter } from '../remote/kept-credential.js'

/** A mount or a role of Vault. A path segment must not lead out of its place. */
export const zMount = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_-]+(?:[/.][A-Za-z0-9_-]+)*$/, { error: 'must be a path of letters, digits, - and _' })

const zName = z.string().min(1).max(200)

export const zAuthentication = z.discriminatedUnion(
  'method',
  [
    z.strictObject({
      method: z.literal('token'),
      /** Default: VAULT_TOKEN. */
      tokenFile: zPath.optional(),
    }),
    z.strictObject({
      method: z.literal('kubernetes'),
      role: zName,
      mount: zMount.default('kubernetes'),
      tokenFile: zPath.default('/var/run/secrets/kubernetes.io/serviceaccount/token'),
    }),
    z.strictObject({
      method: z.literal('approle'),
      roleId: zName,
      secretIdFile: zPath,
      mount: zMount.default('approle'),
    }),
  ],
  { error: 'must have a method: token, kubernetes or approle' },
)

export type VaultAuthentication = z.output<typeof zAuthentication>

/** Sends a request to Vault with its usual headers. */
export type VaultRequest = (
  method: 'GET' | 'POST',
  path: string,
  token: string | undefined,
  signal: AbortSignal,
  input?: object,
) => Promise<ProviderAnswer>

/**
 * Obtains tokens of Vault. A token that can be renewed is renewed (`auth/token/renew-self`). Otherwise the service logs in
 * again, or reads the file of the token again.
 */
export function vaultCredentials(
  authentication: VaultAuthentication,
  request: VaultRequest,
  exchange: Exchange,
  { environment, clock }: Pick<ProviderTools, 'environment' | 'clock'>,
): CredentialSource<string> {
  const { service } = exchange
  const refusal = (what: string, answer: ProviderAnswer) =>
    new ProviderRefusal(`${service} refused ${what}: ${described(answer)}.`)

  /** The token of an answer to a login or a renewal. A token with a life of 0 seconds has no end. */
  const tokenOf = (answer: ProviderAnswer): Credential<string> => {
    const auth = membersOf(objectIn(answer, service), 'auth')
    const value = textIn(auth, 'client_token', service)
    const seconds = auth.lease_duration
    return { value, expiresAt: seconds === 0 ? undefined : endAfter(seconds, clock, service) }
  }

  const logIn = async (mount: string, input: object, signal: AbortSignal) => {
    const answer = await request('POST', `auth/${mount}/login`, undefined, signal, input)
    if (!answer.ok) throw refusal(`the login by ${authentication.method}`, answer)
    return tokenOf(answer)
  }

  const given = async (tokenFile: string | undefined): Promise<string> => {
    if (tokenFile !== undefined) return secretIn(tokenFile, 'the token of Vault')
    if (environment.VAULT_TOKEN !== undefined) return environment.VAULT_TOKEN
    throw new ProviderRefusal('tokenFile or VAULT_TOKEN must be defined.')
  }

  /** A token that the operator gives. Its file may have a new token at any time. */
  const byToken = async (tokenFile: string | undefined, signal: AbortSignal): Promise<Credential<string>> => {
    const value = await given(tokenFile)
    const answer = await request('GET', 'auth/token/lookup-self', value, signal)
    if (!answer.ok) throw refusal('the token', answer)
    const { ttl, renewable } = membersOf(objectIn(answer, service), 'data')
    if (ttl === 0) return { value, expiresAt: undefined }
    const renewed = renewable === true ? await renewedToken(value, signal) : undefined
    return renewed ?? { value, expiresAt: endAfter(ttl, clock, service) }
  }

  /** Prolongs a token. Undefined if Vault refuses. */
  const renewedToken = async (token: string, signal: AbortSignal): Promise<Credential<string> | undefined> => {
    const answer = await request('POST', 'auth/token/renew-self', token, signal, {})
    return answer.ok ? tokenOf(answer) : undefined
  }

  /** Half of the life that Vault usually gives: a token near its longest life can be renewed for a short time only. */
  const isWorthKeeping = ({ expiresAt }: Credential<string>) =>
    expiresAt === undefined || expiresAt.getTime() - clock().getTime() > SHORT_MS

  return async (signal, previous) => {
    if (authentication.method === 'token') return byToken(authentication.tokenFile, signal)
    const renewed = previous === undefined ? undefined : await renewedToken(previous, signal)
    if (renewed !== undefined && isWorthKeeping(renewed)) return renewed
    if (authentication.method === 'kubernetes') {
      const { mount, role, tokenFile } = authentication
      return logIn(mount, { role, jwt: await secretIn(tokenFile, 'the service account token') }, signal)
    }
    const { mount, roleId, secretIdFile } = authentication
    return logIn(mount, { role_id: roleId, secret_id: await secretIn(secretIdFile, 'the secret ID') }, signal)
  }
}

/** A renewed token with a shorter life is near its longest life, so a login follows. */
const SHORT_MS = 60_000
