import type { Request, RequestHandler } from 'express'
import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { isLoopbackName } from '../config/loopback.js'
import { isPlatformOrigin } from '../protocol/oauth/redirect-uri.js'
import type { IsPath } from './paths.js'

const hostnameOf = (host: string) => host.replace(/:\d+$/, '').toLowerCase()

/**
 * Whether a page of another site may cause a request without `Origin` (an image, a script, a link): yes for routes that any
 * wallet may call, and for navigation to a page, whose content the other site cannot read.
 */
function mayComeFromElsewhere({ method, path, headers }: Request, isForWallets: IsPath): boolean {
  return isForWallets(path) || (method === 'GET' && headers['sec-fetch-mode'] === 'navigate')
}

/**
 * With AUTH_DISABLED every page that a developer's browser visits could ask this service as an admin: by rebinding a
 * name to it, or blindly, since a browser sends some requests without asking first. So only requests for a loopback
 * name or for a base URL's host are answered, and of those that a page makes only that of a page from there: by its
 * `Origin`, and, where a browser sends none, by its `Sec-Fetch-Site` (Fetch Metadata).
 */
export function hostCheck(config: Config, isForWallets: IsPath): RequestHandler {
  const own = new Set([config.issuerBaseUrl, config.verifierBaseUrl].map((url) => new URL(url).hostname.toLowerCase()))
  const isNear = (hostname: string) => isLoopbackName(hostname) || own.has(hostname)
  // The origin of an app (OpenID4VP 1.0 Appendix A): wallets and apps may call what any wallet may call.
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
