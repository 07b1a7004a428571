import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** Starts an identity provider that publishes one RS256 key and issues tokens that are valid for the whole benchmark. */
export async function startIdentityProvider() {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'bench', use: 'sig', alg: 'RS256' }] }
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(jwks))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    jwksUrl: `http://127.0.0.1:${port}/jwks`,
    token: (sub: string) =>
      new SignJWT({ realm_access: { roles: ['admin'] } })
        .setProtectedHeader({ alg: 'RS256', kid: 'bench' })
        .setSubject(sub)
        .setIssuedAt()
        .setExpirationTime('1d')
        .sign(privateKey),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
