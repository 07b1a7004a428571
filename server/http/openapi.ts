import type { AnyProcedure, AnyRouter } from '@trpc/server'
import { generateOpenApiDocument, type OpenApiRouter } from 'trpc-to-openapi'
import { z } from 'zod'
import type { RouteAccess } from '../api/contract.js'
import type { Config } from '../config/config.js'
import { STATUS_LIST_CWT_MEDIA_TYPE } from '../protocol/status-list/token-status-list.js'
import { SERVICE } from '../service/release.js'
import { errorExamples, tooManyRequests } from './openapi-errors.js'
import { exampleOf } from './openapi-examples.js'
import { addIdempotency } from './openapi-idempotency.js'
import { TAGS } from './openapi-tags.js'
import { openApiWebhooks } from './openapi-webhooks.js'
import receivedExamples from './response-examples.json' with { type: 'json' }
import { type Route, routesOf } from './routes.js'

type JsonObject = Record<string, unknown>

interface Operation extends JsonObject {
  responses: Record<string, JsonObject>
  security?: Record<string, string[]>[]
}

/** The version of the API. It differs from the version of the running release. */
const API_VERSION = '1.0.0-rc1'

const SECURITY: Readonly<Record<RouteAccess, Record<string, string[]>[]>> = {
  public: [],
  issuerClient: [{ clientSecret: [] }],
  verifierClient: [{ clientSecret: [] }],
  clientOrIssuer: [{ bearer: [] }, { clientSecret: [] }],
  clientOrVerifier: [{ bearer: [] }, { clientSecret: [] }],
  clientOrEither: [{ bearer: [] }, { clientSecret: [] }],
  clientOrUser: [{ bearer: [] }, { clientSecret: [] }],
  operator: [{ bearer: [] }, { clientSecret: [] }],
  issuerOperator: [{ bearer: [] }, { clientSecret: [] }],
  ownerOrIssuer: [{ bearer: [] }, { clientSecret: [] }],
  verifierOperator: [{ bearer: [] }, { clientSecret: [] }],
  eitherOperator: [{ bearer: [] }, { clientSecret: [] }],
  user: [{ bearer: [] }],
  issuer: [{ bearer: [] }],
  verifier: [{ bearer: [] }],
  admin: [{ bearer: [] }],
  holder: [{ bearer: [] }],
  wallet: [{ walletAccessToken: [] }],
  console: [{ consoleSession: [] }],
  // The empty requirement means that authentication is optional (OpenAPI 3.1 §4.8.30).
  optional: [{}, { bearer: [] }, { clientSecret: [] }],
}

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'Access token of the identity provider (no ID token), RS256 by default. /agent and /holders also need the role admin.',
  },
  walletAccessToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'Access token of /openid4vci/token, valid for one issuance.',
  },
  clientSecret: { type: 'apiKey', in: 'header', name: 'x-client-secret' },
  consoleSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-console',
    description:
      'Console session. It is accepted only on requests of the console’s own pages, which send `x-console: 1`. It replaces the access token. If the user has the role that the route needs, it also replaces the client secret.',
  },
} as const

const schemaOf = (reply: z.ZodType | undefined): JsonObject =>
  reply === undefined ? { type: 'object' } : withoutDialect(z.toJSONSchema(reply, { io: 'output' }) as JsonObject)

/** Media types of binary bodies. */
const BINARY_TYPES: ReadonlySet<string> = new Set(['image/png', STATUS_LIST_CWT_MEDIA_TYPE])

/** A body that is not JSON. */
const mediaOf = (type: string): JsonObject => ({
  schema: { type: 'string', ...(BINARY_TYPES.has(type) ? { format: 'binary' } : {}) },
})

/** The content of a successful answer; undefined if the answer has none. */
function successContent({ rest }: Route, generated: JsonObject): JsonObject | undefined {
  const { status = 200, produces, alsoProduces = [], kind, reply } = rest
  if (status === 204 || status === 303) return undefined
  if (kind === 'page') return { 'text/html': mediaOf('text/html') }
  const others = Object.fromEntries(alsoProduces.map((type) => [type, mediaOf(type)]))
  if (produces !== undefined) return { [produces]: mediaOf(produces), ...others }
  if (kind === 'protocol') return { 'application/json': { schema: schemaOf(reply) }, ...others }
  return isVoid(generated) ? undefined : { ...(generated.content as JsonObject), ...others }
}

const LOCATION = {
  description: 'The address to which the browser is redirected',
  schema: { type: 'string', format: 'uri' },
}

/**
 * Corrects the status and media type of successful answers. The generator writes 200 and application/json for each
 * route.
 */
function trueSuccess(route: Route, operation: Operation): void {
  const { status = 200, notModified, accepted, leadsToPage } = route.rest
  const { content: _, ...generated } = operation.responses['200'] ?? {}
  const content = successContent(route, operation.responses['200'] ?? {})
  delete operation.responses['200']
  operation.responses[String(status)] = {
    ...generated,
    description: status === 303 ? 'Redirect' : 'Success',
    ...(status === 303 ? { headers: { Location: LOCATION } } : {}),
    ...(content === undefined ? {} : { content }),
  }
  if (accepted !== undefined)
    operation.responses['202'] = {
      description: 'Not ready yet',
      content: { 'application/json': { schema: schemaOf(accepted) } },
    }
  if (leadsToPage) operation.responses['303'] = { description: 'Redirect to a page', headers: { Location: LOCATION } }
  if (notModified) operation.responses['304'] = { description: 'Not modified since the sent ETag' }
}

/** Answers that a test received, by operation and media type. */
const received: Readonly<Record<string, Readonly<Record<string, unknown>>>> = receivedExamples

/** Adds an example to each successful answer: an answer that the service gave in a test. */
function addReceived(route: Route, operation: Operation): void {
  const name = `${route.method} ${route.template}`
  for (const [status, examples] of [
    [route.rest.status ?? 200, received[name]],
    [202, received[`${name} 202`]],
  ] as const) {
    const { content } = operation.responses[status] ?? {}
    for (const [mediaType, media] of Object.entries((content ?? {}) as Record<string, JsonObject>))
      if (examples !== undefined && mediaType in examples) media.example = examples[mediaType]
  }
}

/** Removes `$schema`, since the document names its JSON Schema dialect once for all schemas. */
function withoutDialect({ $schema: _, ...schema }: JsonObject): JsonObject {
  return schema
}

function isVoid(response: JsonObject): boolean {
  const content = response.content as { 'application/json'?: { schema?: JsonObject } } | undefined
  return Object.keys(content?.['application/json']?.schema ?? {}).length === 0
}

function trueErrors(route: Route, operation: Operation): void {
  for (const status of Object.keys(operation.responses).filter((code) => Number(code) >= 400)) {
    operation.responses[status] = errorExamples(route, Number(status), requiredMembers(operation))
  }
}

/** Members that a request's body must have. */
function requiredMembers({ requestBody }: Operation): readonly string[] {
  const [media] = Object.values((requestBody as { content?: Record<string, JsonObject> } | undefined)?.content ?? {})
  return ((media?.schema as JsonObject | undefined)?.required ?? []) as readonly string[]
}

const BEGINNING_OF_JWT = 'eyJhbGciOiJFQ0RILUVTIiwi…'

/** Corrects the description of the request: adds form bodies, text bodies, and the example of the contract. */
function trueRequest(route: Route, operation: Operation): void {
  if (route.rest.maxBodyBytes === 0) delete operation.requestBody
  const body = operation.requestBody as { content?: Record<string, JsonObject> } | undefined
  const media = body?.content?.['application/json']
  if (route.rest.requestExample !== undefined && media !== undefined) media.example = route.rest.requestExample
  if (route.rest.form === true && body?.content !== undefined && media !== undefined) {
    body.content = { 'application/x-www-form-urlencoded': media }
  }
  const { alsoConsumes } = route.rest
  if (alsoConsumes !== undefined && body?.content !== undefined) {
    body.content[alsoConsumes] = { schema: { type: 'string' }, example: BEGINNING_OF_JWT }
  }
}

/** Adds an example to each body of a request or a successful answer, if its contract has no example. */
function addExamples(operation: Operation): void {
  const bodies = [operation.requestBody as JsonObject | undefined, ...Object.values(operation.responses)]
  for (const body of bodies) {
    const media = Object.values((body?.content ?? {}) as Record<string, JsonObject>)
    for (const each of media.filter(({ example, examples }) => example === undefined && examples === undefined)) {
      each.example = exampleOf((each.schema ?? {}) as JsonObject)
    }
  }
}

const ENVELOPE = {
  type: 'object',
  required: ['statusCode', 'message', 'path', 'timestamp'],
  properties: {
    statusCode: { type: 'integer', example: 400 },
    message: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    path: { type: 'string', example: '/credentials/verify' },
    timestamp: { type: 'string', format: 'date-time' },
    error: { type: 'string', description: 'Reason phrase of deliberate errors.' },
  },
}

const OAUTH_ERROR = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
}

/** OpenAPI has no subscriptions, so an event stream is described as a GET that returns text. */
function describable(appRouter: AnyRouter): OpenApiRouter {
  const procedures = Object.entries<AnyProcedure>(appRouter._def.procedures).map(([name, procedure]) => {
    if (procedure._def.type !== 'subscription') return [name, procedure] as const
    return [name, { _def: { ...procedure._def, type: 'query', output: z.string() } }] as const
  })
  // The generator reads only `_def` of a router.
  return { _def: { ...appRouter._def, procedures: Object.fromEntries(procedures) } } as unknown as OpenApiRouter
}

/** The operations of the API reference itself. */
const REFERENCE = {
  '/api-docs': {
    get: {
      tags: ['Operations'],
      operationId: 'reference-page',
      summary: 'This reference as a page',
      description: 'Swagger UI for `/api-docs-json`. The page loads nothing from other hosts.',
      security: [],
      responses: {
        '200': {
          description: 'Success',
          content: { 'text/html': { schema: { type: 'string' }, example: received['GET /api-docs']?.['text/html'] } },
        },
        '429': tooManyRequests('/api-docs'),
      },
    },
  },
  '/api-docs-json': {
    get: {
      tags: ['Operations'],
      operationId: 'reference-document',
      summary: 'This document',
      description: 'OpenAPI 3.1, generated from the contracts that validate requests and answers.',
      security: [],
      responses: {
        '200': {
          description: 'Success',
          content: { 'application/json': { schema: { type: 'object' }, example: { openapi: '3.1.0' } } },
        },
        '429': tooManyRequests('/api-docs-json'),
      },
    },
  },
}

/** Makes the OpenAPI 3.1 document from the contracts of the router. */
export function openApiDocument(appRouter: AnyRouter, config: Config): JsonObject {
  // The generated document has all these members, although its type makes them optional at each depth.
  const document = generateOpenApiDocument(describable(appRouter), {
    title: 'Credence',
    description:
      'Issues, holds and verifies digital credentials over OpenID4VCI and OpenID4VP, in three formats: SD-JWT VC, JWT-VC-JSON and mobile ' +
      `documents of ISO/IEC 18013-5. Release ${SERVICE.version} answers here, as \`GET /version\` says; \`info.version\` is the version of ` +
      'the interface.',
    version: API_VERSION,
    baseUrl: config.issuerBaseUrl,
    openApiVersion: '3.1.0',
    securitySchemes: SECURITY_SCHEMES,
    // The library types each member of a document as optional or as a reference. Its documents have the members below.
  }) as unknown as {
    info: JsonObject
    paths: Record<string, Record<string, Operation>>
    components: { schemas?: JsonObject }
  }
  for (const route of routesOf(appRouter)) {
    const operation = document.paths[route.template]?.[route.method.toLowerCase()]
    if (operation === undefined) continue
    operation.security = SECURITY[route.rest.access]
    trueSuccess(route, operation)
    trueErrors(route, operation)
    trueRequest(route, operation)
    addIdempotency(route, operation)
    addReceived(route, operation)
    addExamples(operation)
  }
  const schemas = Object.fromEntries(
    Object.entries(document.components.schemas ?? {}).filter(([name]) => !name.startsWith('error.')),
  )
  Object.assign(document.paths, REFERENCE)
  Object.assign(document, { tags: TAGS, webhooks: openApiWebhooks() })
  Object.assign(document.info, { 'x-release': SERVICE.version })
  document.components.schemas = { ...schemas, ErrorEnvelope: ENVELOPE, OAuthError: OAUTH_ERROR }
  return document
}
