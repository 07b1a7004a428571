import { join } from 'node:path'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { prefersGzip } from '../api/accept.js'
import type { Config } from '../config/config.js'
import { type ConsoleFile, type ConsoleFiles, readConsole } from '../console/files.js'
import { projectDirectory } from '../database/migrations.js'

/**
 * The Content-Security-Policy of the console: no content from other origins, no inline scripts or styles, and no page
 * may show the console in a frame.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** Addresses below `/console` that do not belong to a screen. */
const PROCEDURES: ReadonlySet<string> = new Set(['session', 'login', 'callback', 'logout'])

function send({ type, bytes, gzipped }: ConsoleFile, caching: string, request: Request, response: Response): void {
  response.set({ 'content-type': type, 'cache-control': caching, 'content-security-policy': POLICY })
  response.vary('accept-encoding')
  if (!prefersGzip(request.headers['accept-encoding'])) return void response.end(bytes)
  response.set('content-encoding', 'gzip')
  response.end(gzipped)
}

/**
 * Serves `/console`, the files built from client/console. Each address returns the same page, which shows the screen of
 * the address. Browsers request the page each time. All other files have names that change with their content, so
 * browsers may cache them forever. If the console was not built, nothing is served.
 *
 * @param directory the directory of the built files; `dist/console` by default
 */
export function consoleFiles(
  { issuerBaseUrl }: Pick<Config, 'issuerBaseUrl'>,
  directory = join(projectDirectory(), 'dist', 'console'),
): RequestHandler {
  const path = `${new URL(issuerBaseUrl).pathname.replace(/\/$/, '')}/console/`
  let kept: ConsoleFiles | undefined
  const files = () => {
    kept ??= readConsole(directory, path)
    return kept
  }
  const router = Router({ caseSensitive: true, strict: true })
  router.get('/console/assets/:name', (request, response, next) => {
    const asset = files()?.assets.get(request.params.name)
    if (asset === undefined) next()
    else send(asset, 'public, max-age=31536000, immutable', request, response)
  })
  router.get(['/console', '/console/{*screen}'], (request, response, next) => {
    const [, , first = ''] = request.path.split('/')
    const page = PROCEDURES.has(first) || first === 'assets' ? undefined : files()?.page
    if (page === undefined) next()
    else send(page, 'no-cache', request, response)
  })
  return (request, response, next) =>
    // An address that cannot be decoded does not belong to a screen.
    router(request, response, (thrown: unknown) => (thrown instanceof URIError ? next() : next(thrown)))
}
