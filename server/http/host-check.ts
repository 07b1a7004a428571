import type { Request, RequestHandler } from 'express'
import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { isLoopbackName } from '../config/loopback.js'
import { isPlatformOrigin } from '../protocol/oauth/redirect-uri.js'
import type { IsPath } from './paths.js'

const hostnameOf = (host: string) => host.replace(/:\d+$/, '').toLowerCase()

/**
 * True if this request, which has no `Origin`, is allowed although a page of a foreign site caused it (with an image, a
 * script or a link). Routes that any wallet may call are allowed. Navigation to a page is allowed too, since the
 * foreign site cannot read the page.
 */
function mayComeFromElsewhere({ method, path, headers }: Request, isForWallets: IsPath): boolean {
  return isForWallets(path) || (method === 'GET' && headers['sec-fetch-mode'] === 'navigate')
}

/**
 * Protects a service with AUTH_DISABLED. Without this check, any page in a developer's browser could call the service
 * as an admin: by DNS rebinding, or with requests that browsers send without a preflight. Therefore a request is
 * answered only if its `Host` is a loopback name or the host of a base URL. A request from a page is answered only if
 * the page is from one of these hosts. The header `Origin` shows the page's host. Without `Origin`, the header
 * `Sec-Fetch-Site` (Fetch Metadata) decides.
 */
export function hostCheck(config: Config, isForWallets: IsPath): RequestHandler {
  const own = new Set([config.issuerBaseUrl, config.verifierBaseUrl].map((url) => new URL(url).hostname.toLowerCase()))
  const isNear = (hostname: string) => isLoopbackName(hostname) || own.has(hostname)
  // An app may have an origin too (OpenID4VP 1.0 Appendix A). Apps may call the routes that any wallet may call.
  const isAllowed = (origin: string, path: string) =>
    (URL.canParse(origin) && isNear(new URL(origin).hostname)) || (isForWallets(path) && isPlatformOrigin(origin))
  return (request, _response, next) => {
    const { host = '', origin, 'sec-fetch-site': site } = request.headers
    if (!isNear(hostnameOf(host))) next(errors.hostNotAllowed())
    // `null`, the origin of sandboxed pages and files, is never allowed.
    else if (origin !== undefined && !isAllowed(origin, request.path)) {
      next(errors.originNotAllowed())
    } else if (origin === undefined && site === 'cross-site' && !mayComeFromElsewhere(request, isForWallets)) {
      next(errors.crossSite())
    } else next()
  }
}
