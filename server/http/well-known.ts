import type { RequestHandler } from 'express'

const INSERTED = /^\/\.well-known\/(openid-credential-issuer|oauth-authorization-server|jwt-vc-issuer)(\/[^?]*)(\?.*)?$/

/**
 * Serves the metadata of an issuer identifier with a path. The metadata have two addresses: the well-known string is
 * inserted before the path (OpenID4VCI 1.0 §12.2.2, RFC 8414 §3.1) or appended to it. A proxy removes the path from the
 * beginning of the second address. In the first address, the path is at the end, and the proxy does not remove it. So
 * this function removes it.
 */
export function insertedWellKnown(issuerBaseUrl: string): RequestHandler {
  const basePath = new URL(issuerBaseUrl).pathname
  if (basePath === '/') return (_request, _response, next) => next()
  return (request, _response, next) => {
    const [, name, path, query = ''] = INSERTED.exec(request.url) ?? []
    if (name !== undefined && path === basePath) request.url = `/.well-known/${name}${query}`
    next()
  }
}
