import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { AnyRouter } from '@trpc/server'
import { type RequestHandler, Router } from 'express'
import type { Config } from '../config/config.js'
import { openApiDocument } from './openapi.js'

/** The directory of Swagger UI's files. They are served by this service, so the page loads nothing from other hosts. */
const swaggerFiles = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Addresses are relative, since a proxy may serve the reference below a path. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Credence API</title>
  <link rel="icon" href="api-docs/favicon-32x32.png">
  <link rel="stylesheet" href="api-docs/swagger-ui.css">
</head>
<body>
  <div id="swagger-ui"></div>
  <script src="api-docs/swagger-ui-bundle.js"></script>
  <script src="api-docs/start.js"></script>
</body>
</html>
`

const START = `window.ui = SwaggerUIBundle({
  url: 'api-docs-json', dom_id: '#swagger-ui', deepLinking: true, presets: [SwaggerUIBundle.presets.apis], validatorUrl: null,
})
`

const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const

/** Files of the reference that are the same for all installations. */
export const REFERENCE_FILES: ReadonlySet<string> = new Set(['start.js', ...ASSETS].map((name) => `/api-docs/${name}`))

/** All paths of the reference. */
export const REFERENCE_PATHS: ReadonlySet<string> = new Set(['/api-docs', '/api-docs-json', ...REFERENCE_FILES])

/** The Content-Security-Policy of the page. It allows style attributes and data URIs, because Swagger UI needs them. */
const PAGE_CSP =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/**
 * Serves `/api-docs` and `/api-docs-json`. The document is made once, when it is requested for the first time. This
 * takes a tenth of a second.
 */
export function apiReference(appRouter: AnyRouter, config: Config): RequestHandler {
  let document: string | undefined
  const reference = Router({ caseSensitive: true, strict: true })
  reference.get('/api-docs-json', (_request, response) => {
    document ??= JSON.stringify(openApiDocument(appRouter, config))
    response.type('application/json').send(document)
  })
  reference.get('/api-docs', (_request, response) => {
    response.set('content-security-policy', PAGE_CSP).type('html').send(PAGE)
  })
  // The page has relative addresses, which would be wrong at this address. So the browser is redirected.
  reference.get('/api-docs/', (_request, response) => response.redirect(301, '../api-docs'))
  reference.get('/api-docs/start.js', (_request, response) => {
    response.type('text/javascript').send(START)
  })
  for (const name of ASSETS) {
    reference.get(`/api-docs/${name}`, (_request, response) =>
      response.sendFile(name, { root: swaggerFiles, maxAge: '1d' }),
    )
  }
  return reference
}
