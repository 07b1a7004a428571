import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { SourceSecrets } from './secrets.js'
import type { zClaimsSource } from './shape.js'
import { type ClaimsSource, DEFAULT_TIMEOUT_MS, kindsOf, type SourceSecret } from './source.js'

type SourceConfig = Pick<Config, 'allowInsecureHttp'>

/** @throws 400 for an address that cannot be requested */
function assertAddress({ allowInsecureHttp }: SourceConfig, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'https:' || (url?.protocol === 'http:' && allowInsecureHttp)
  if (url === undefined || !isHttp) throw errors.badRequest('claimsSource.url must be an https: address')
  if (url.username !== '' || url.password !== '') throw errors.badRequest('claimsSource.url must not hold a user name')
  if (url.hash !== '') throw errors.badRequest('claimsSource.url must not have a fragment')
  return url
}

/**
 * Checks that a client certificate and its key belong together.
 *
 * @param member the place of the authentication in the request
 * @throws 400 naming the member that cannot be used. It quotes nothing of the key.
 */
export function assertSecret({ mTLS }: SourceSecret, member: string): void {
  if (mTLS === undefined) return
  const place = `${member}.mTLS`
  const certificate = parsed(() => new X509Certificate(mTLS.certificate))
  if (certificate === undefined) throw errors.badRequest(`${place}.certificate must be a certificate in PEM`)
  const key = parsed(() => createPrivateKey(mTLS.key))
  if (key === undefined) throw errors.badRequest(`${place}.key must be a private key in PEM`)
  if (!certificate.checkPrivateKey(key)) throw errors.badRequest(`${place}.key must be the key of the certificate`)
}

function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}

/** Dependencies of {@link createAcceptSource}. */
export interface AcceptSourcePorts {
  readonly config: Pick<Config, 'allowInsecureHttp'>
  /** The active version of a type. */
  readonly active: (
    name: string,
  ) => Promise<{ readonly id: string; readonly claimsSource: ClaimsSource | null } | undefined>
  readonly secrets: SourceSecrets
}

/** A checked claims source, and its secrets as they are stored. */
export interface AcceptedSource {
  readonly source: ClaimsSource
  readonly sourceSecret: string
}

/**
 * Checks the claims source of a new version of a type, and separates its settings from its secrets. Whether the address is public
 * is checked at each connection.
 *
 * @param version the id of the new version, and the name of its type
 * @throws 400 naming the member that cannot be used
 */
export type AcceptSource = (
  version: { readonly id: string; readonly name: string },
  request: z.output<typeof zClaimsSource>,
) => Promise<AcceptedSource>

export function createAcceptSource({ config, active, secrets }: AcceptSourcePorts): AcceptSource {
  /** The secrets of the active version. They are kept only for the same address: another address must not receive them. */
  const keptSecret = async (name: string, url: string): Promise<SourceSecret> => {
    const before = await active(name)
    if (before?.claimsSource?.url !== url)
      throw errors.badRequest('claimsSource.auth must be given: the active version has no claimsSource with this url')
    return secrets.read(before.id)
  }

  return async ({ id, name }, { url, auth, timeoutMs = DEFAULT_TIMEOUT_MS }) => {
    const { protocol, href } = assertAddress(config, url)
    if (auth !== undefined) assertSecret(auth, 'claimsSource.auth')
    if (auth?.mTLS !== undefined && protocol !== 'https:')
      throw errors.badRequest('claimsSource.auth.mTLS needs an https: address')
    const secret = auth ?? (await keptSecret(name, href))
    return {
      source: { url: href, timeoutMs, auth: kindsOf(secret) },
      sourceSecret: await secrets.protect(id, secret),
    }
  }
}
