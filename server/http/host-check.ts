import type { Request, RequestHandler } from 'express'
import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { isLoopbackName } from '../config/loopback.js'
import { isPlatformOrigin } from '../protocol/oauth/redirect-uri.js'
import type { IsPath } from './paths.js'

const hostnameOf = (host: string) => host.replace(/:\d+$/, '').toLowerCase()

/**
 * True if a page of another site may cause this request without `Origin` (an image, a script, a link). Allowed are routes that
 * any wallet may call, and navigation to a page, whose content the other site cannot read.
 */
function mayComeFromElsewhere({ method, path, headers }: Request, isForWallets: IsPath): boolean {
  return isForWallets(path) || (method === 'GET' && headers['sec-fetch-mode'] === 'navigate')
}

/**
 * Protects a service with AUTH_DISABLED. Each page in a developer's browser could call it as an admin: by DNS rebinding, or
 * without seeing the answer, since browsers send some requests without a preflight. Therefore only requests to a loopback name or
 * to a base URL's host are answered. A page's request is only answered if the page comes from one of these hosts. Its `Origin` shows
 * this or, without `Origin`, its `Sec-Fetch-Site` (Fetch Metadata).
 */
export function hostCheck(config: Config, isForWallets: IsPath): RequestHandler {
  const own = new Set([config.issuerBaseUrl, config.verifierBaseUrl].map((url) => new URL(url).hostname.toLowerCase()))
  const isNear = (hostname: string) => isLoopbackName(hostname) || own.has(hostname)
  // The origin of an app (OpenID4VP 1.0 Appendix A): apps may call the routes that any wallet may call.
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
