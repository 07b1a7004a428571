import type { Jwk as LibraryJwk } from '@openid4vc/oauth2'
import { setGlobalConfig } from '@openid4vc/openid4vci'
import { installValidationMessages } from '../../api/validation.js'
import type { Config } from '../../config/config.js'
import type { Jwk } from '../../protocol/jose/jws.js'

// Loading these libraries changes Zod's messages for the whole process.
installValidationMessages()

/**
 * The libraries' own check of the scheme is one setting for the whole process. The outbound guard makes that check for
 * each request anyway, so theirs is switched off where plain http is allowed.
 */
export function admitHttp({ allowInsecureHttp }: Pick<Config, 'allowInsecureHttp'>): void {
  if (allowInsecureHttp) setGlobalConfig({ allowInsecureUrls: true })
}

/** A key in the library's type: the same members, which its schema types a little differently. */
export const libraryJwk = (jwk: Jwk): LibraryJwk => ({ ...jwk, kty: String(jwk.kty) }) as LibraryJwk

/** The same the other way round. */
export const ownJwk = (jwk: LibraryJwk): Jwk => jwk as Jwk
