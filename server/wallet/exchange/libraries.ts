import type { Jwk as LibraryJwk } from '@openid4vc/oauth2'
import { setGlobalConfig } from '@openid4vc/openid4vci'
import { installValidationMessages } from '../../api/validation.js'
import type { Config } from '../../config/config.js'
import type { Jwk } from '../../protocol/jose/jws.js'

// Loading these libraries changes Zod's messages for the whole process.
installValidationMessages()

/**
 * The libraries check the scheme of addresses by one setting for the whole process. The outbound guard checks each request
 * anyway, so the libraries' check is switched off if plain http is allowed.
 */
export function admitHttp({ allowInsecureHttp }: Pick<Config, 'allowInsecureHttp'>): void {
  if (allowInsecureHttp) setGlobalConfig({ allowInsecureUrls: true })
}

/** A key in the library's type, which has the same members with slightly different types. */
export const libraryJwk = (jwk: Jwk): LibraryJwk => ({ ...jwk, kty: String(jwk.kty) })

/** A key of the library in the type of this service. */
export const ownJwk = (jwk: LibraryJwk): Jwk => jwk as Jwk
