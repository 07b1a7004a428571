import type { Jwk as LibraryJwk } from '@openid4vc/oauth2'
import type { Jwk } from '../../protocol/jose/jws.js'

/** A key in the library's type: the same members, which its schema types a little differently. */
export const libraryJwk = (jwk: Jwk): LibraryJwk => ({ ...jwk, kty: String(jwk.kty) }) as LibraryJwk

/** The same the other way round. */
export const ownJwk = (jwk: LibraryJwk): Jwk => jwk as Jwk
