import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { z } from 'zod'
import { ProviderRefusal, type ProviderTools, ProviderUnavailable } from '../provider.js'
import { originsOf, safeAddress, zAddress } from '../remote/addresses.js'
import { codeOf, described, type Exchange, objectIn, type ProviderAnswer, textIn } from '../remote/exchange.js'
import { secretIn, settingsIn } from '../remote/files.js'
import { type CredentialSource, endAfter, endAt } from '../remote/kept-credential.js'

const zServiceAccount = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1).max(1_000),
  private_key: z.string().min(1),
  private_key_id: z.string().max(1_000).optional(),
  token_uri: zAddress,
})

const zFederation = z.object({
  type: z.literal('external_account'),
  audience: z.string().min(1).max(2_000),
  subject_token_type: z.string().min(1).max(200),
  token_url: zAddress,
  service_account_impersonation_url: zAddress.optional(),
  credential_source: z.object({
    file: z.string({ error: 'must be a path: other sources are not supported' }).min(1),
    format: z
      .union([
        z.object({ type: z.literal('json'), subject_token_field_name: z.string().min(1) }),
        z.object({ type: z.literal('text') }),
      ])
      .optional(),
  }),
})

const zCredentials = z.discriminatedUnion('type', [zServiceAccount, zFederation], {
  error: 'must be service_account or external_account',
})

/** Where the tokens come from. */
export type GoogleSource =
  | {
      readonly from: 'service-account'
      readonly email: string
      readonly key: KeyObject
      readonly keyId: string | undefined
      readonly tokenAddress: string
    }
  | { readonly from: 'federation'; readonly federation: z.output<typeof zFederation> }
  | { readonly from: 'metadata'; readonly address: string }

/** The scope for all operations on keys. */
const SCOPE = 'https://www.googleapis.com/auth/cloudkms'
/** Seconds for which the assertion of a service account is valid. Google allows one hour at most. */
const ASSERTION_SECONDS = 300

/**
 * Decides where the tokens come from: a file of credentials, or the metadata server of the machine.
 *
 * @param file path of the file. Default: GOOGLE_APPLICATION_CREDENTIALS
 * @throws {ProviderRefusal} if the file is malformed or has another kind of credentials
 */
export function googleSource(file: string | undefined, environment: ProviderTools['environment']): GoogleSource {
  const path = file ?? environment.GOOGLE_APPLICATION_CREDENTIALS
  if (path === undefined) return { from: 'metadata', address: metadataAddress(environment.GCE_METADATA_HOST) }
  const parsed = zCredentials.safeParse(jsonIn(settingsIn(path, 'credentials of Google'), path))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new ProviderRefusal(
      `The file ${path} has no usable credentials of Google: ${issue?.path.join('.')} ${issue?.message}.`,
    )
  }
  if (parsed.data.type === 'external_account') return { from: 'federation', federation: parsed.data }
  const { client_email: email, private_key: pem, private_key_id: keyId, token_uri: tokenAddress } = parsed.data
  return { from: 'service-account', email, key: privateKeyIn(pem, path), keyId, tokenAddress }
}

function metadataAddress(host: string | undefined): string {
  if (host === undefined) return 'http://metadata.google.internal'
  if (host === 'metadata.google.internal' || host === '169.254.169.254') return `http://${host}`
  return safeAddress(`http://${host}`, 'GCE_METADATA_HOST')
}

function jsonIn(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProviderRefusal(`The file ${path} with credentials of Google is no JSON.`)
  }
}

function privateKeyIn(pem: string, path: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {
    // The error of OpenSSL says nothing that an operator could use.
  }
  throw new ProviderRefusal(`The file ${path} has a private_key that is no RSA key.`)
}

/** The origins that a source requests. */
export function originsOfGoogleSource(source: GoogleSource): string[] {
  if (source.from === 'metadata') return originsOf(source.address)
  if (source.from === 'service-account') return originsOf(source.tokenAddress)
  return originsOf(source.federation.token_url, source.federation.service_account_impersonation_url)
}

/** Obtains tokens from a source. */
export function googleCredentials(
  source: GoogleSource,
  exchange: Exchange,
  clock: () => Date,
): CredentialSource<string> {
  const refusal = (answer: ProviderAnswer) => {
    const code = isJson(answer) ? codeOf(objectIn(answer, exchange.service).error) : undefined
    return new ProviderRefusal(`${exchange.service} got no token by ${source.from}: ${described(answer, code)}.`)
  }
  const tokenOf = (answer: ProviderAnswer) => {
    if (!answer.ok) throw refusal(answer)
    const members = objectIn(answer, exchange.service)
    const value = textIn(members, 'access_token', exchange.service)
    return { value, expiresAt: endAfter(members.expires_in, clock, exchange.service) }
  }
  const form = (address: string, members: Record<string, string>, signal: AbortSignal) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return exchange.send(address, { method: 'POST', headers, body: new URLSearchParams(members).toString(), signal })
  }

  switch (source.from) {
    case 'service-account':
      return async (signal) => {
        const assertion = assertionOf(source, clock())
        const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }
        return tokenOf(await form(source.tokenAddress, grant, signal))
      }
    case 'federation':
      return async (signal) => {
        const { federation } = source
        const exchanged = await form(
          federation.token_url,
          {
            grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
            audience: federation.audience,
            scope: 'https://www.googleapis.com/auth/cloud-platform',
            requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
            subject_token_type: federation.subject_token_type,
            subject_token: await subjectToken(federation),
          },
          signal,
        )
        const own = tokenOf(exchanged)
        const address = federation.service_account_impersonation_url
        if (address === undefined) return own
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${own.value}` }
        const answer = await exchange.send(address, {
          method: 'POST',
          headers,
          body: JSON.stringify({ scope: [SCOPE] }),
          signal,
        })
        if (!answer.ok) throw refusal(answer)
        const members = objectIn(answer, exchange.service)
        return {
          value: textIn(members, 'accessToken', exchange.service),
          expiresAt: endAt(members.expireTime, exchange.service),
        }
      }
    case 'metadata':
      return async (signal) => {
        const address = `${source.address}/computeMetadata/v1/instance/service-accounts/default/token`
        const answer = await exchange.send(address, { method: 'GET', headers: { 'metadata-flavor': 'Google' }, signal })
        // Another server at this address does not send the header.
        if (answer.headers.get('metadata-flavor') !== 'Google')
          throw new ProviderUnavailable(`${exchange.service} got an answer that is not from the metadata server.`)
        return tokenOf(answer)
      }
  }
}

const isJson = ({ headers }: ProviderAnswer) => headers.get('content-type')?.includes('json') === true

/** The assertion of a service account (RFC 7523 §2.1). */
function assertionOf(source: GoogleSource & { from: 'service-account' }, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000)
  const header = { alg: 'RS256', typ: 'JWT', ...(source.keyId === undefined ? {} : { kid: source.keyId }) }
  const payload = { iss: source.email, scope: SCOPE, aud: source.tokenAddress, iat, exp: iat + ASSERTION_SECONDS }
  const input = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${input}.${sign('sha256', Buffer.from(input), source.key).toString('base64url')}`
}

async function subjectToken({ credential_source: source }: z.output<typeof zFederation>): Promise<string> {
  const text = await secretIn(source.file, 'the subject token')
  if (source.format?.type !== 'json') return text
  const token = (jsonIn(text, source.file) as Record<string, unknown> | null)?.[source.format.subject_token_field_name]
  if (typeof token === 'string' && token !== '') return token
  throw new ProviderRefusal(`The file ${source.file} has no text ${source.format.subject_token_field_name}.`)
}
