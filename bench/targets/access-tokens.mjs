import { createPublicKey } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/**
 * Returns a function that checks one access token in the same way as the service does when it has cached the identity
 * provider's key.
 *
 * @param dist URL of the built service
 */
export async function accessTokenCheck(dist) {
  const { createBearerCheck } = await import(new URL('auth/bearer.js', dist).href)
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'RS256', kid: 'key-1' })
    .setSubject('alice')
    .setExpirationTime('1d')
    .sign(privateKey)
  const key = createPublicKey({ key: await exportJWK(publicKey), format: 'jwk' })
  const check = createBearerCheck({
    keys: { find: async () => key },
    algorithms: ['RS256'],
    didClaim: 'did',
    clock: () => new Date(),
  })
  return () => check(`Bearer ${token}`)
}
