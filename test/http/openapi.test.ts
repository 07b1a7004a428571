import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../server/config/config.js'
import { openApiDocument } from '../../server/http/openapi.js'
import { allProcedures } from '../contract/procedures.js'
import { restRouter } from '../support/contracts.js'

type Json = Record<string, unknown>

interface Media {
  readonly schema?: Json
  readonly example?: unknown
}
interface Body {
  readonly description?: string
  readonly content?: Readonly<Record<string, Media>>
}
interface Operation {
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required?: boolean }[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}

let document: Json
let paths: Record<string, Record<string, Operation>>

beforeAll(() => {
  const config = readConfig({
    ISSUER_BASE_URL: 'https://credence.example',
    VERIFIER_BASE_URL: 'https://credence.example',
    DATABASE_URL: 'postgres://127.0.0.1/credence',
    AUTH_DISABLED: 'true',
  })
  // The document as clients receive it.
  document = JSON.parse(JSON.stringify(openApiDocument(restRouter, config)))
  paths = document.paths as typeof paths
})

const operations = () =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

/**
 * Finds the references in the document (JSON Pointers). If `$ref` is the name of a property, its value is a schema and
 * not a text.
 */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === '$ref' && typeof member === 'string' ? [member] : references(member),
  )
}

/** Returns the schema with its references changed, so that they lead into the document. */
function rooted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rooted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === '$ref' && typeof member === 'string' ? `document${member}` : rooted(member),
    ]),
  )
}

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1, with the version of the interface', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toMatchObject({ title: 'Credence', version: '1.0.0-rc1' })
    expect(document.servers).toEqual([{ url: 'https://credence.example' }])
  })

  it('lists every procedure at its path, with its true success status', () => {
    const declared = allProcedures.map(({ meta }) => {
      const { method = '', path = '' } = meta?.openapi ?? {}
      return `${method.toLowerCase()} ${path} ${meta?.rest?.status ?? 200}`
    })
    const listed = operations().map(({ path, method, operation }) => {
      const [success] = Object.keys(operation.responses).filter((status) => Number(status) < 400)
      return `${method} ${path} ${success}`
    })
    const reference = ['get /api-docs 200', 'get /api-docs-json 200']
    expect(listed.toSorted()).toEqual([...declared, ...reference].toSorted())
  })

  it('has its operations in ordered groups, each with a sentence', () => {
    const tags = document.tags as { name: string; description: string }[]
    const used = operations().flatMap(({ operation }) => operation.tags)
    expect(new Set(tags.map(({ name }) => name))).toEqual(new Set(used))
    expect(tags[0]?.name).toBe('Offerings')
    expect(tags.at(-1)?.name).toBe('Operations')
    for (const { description } of tags) expect(description).toMatch(/^[A-Z].*\.$/)
  })

  it('describes the effect of every operation', () => {
    for (const { path, method, operation } of operations()) {
      expect([method, path, operation.description]).toEqual([method, path, expect.stringMatching(/^\S.*\.$/)])
    }
  })

  it('resolves every reference', () => {
    const unresolved = references(document).filter((reference) => {
      const names = reference.replace('#/', '').split('/')
      return names.reduce<unknown>((value, name) => (value as Json | undefined)?.[name], document) === undefined
    })
    expect(unresolved).toEqual([])
  })

  it('declares exactly the parameters of each path', () => {
    for (const { path, operation } of operations()) {
      const declared = (operation.parameters ?? []).filter(({ in: place }) => place === 'path')
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect([path, declared.map(({ name }) => name).toSorted()]).toEqual([path, inPath.toSorted()])
      expect(declared.every(({ required }) => required === true)).toBe(true)
    }
  })

  it('names the service’s ways of authentication', () => {
    const { securitySchemes } = document.components as { securitySchemes: Json }
    expect(Object.keys(securitySchemes).toSorted()).toEqual([
      'bearer',
      'clientSecret',
      'consoleSession',
      'walletAccessToken',
    ])
    for (const { operation } of operations()) {
      for (const name of operation.security.flatMap((requirement) => Object.keys(requirement))) {
        expect(Object.keys(securitySchemes)).toContain(name)
      }
    }
    expect(paths['/version']?.get?.security).toEqual([])
    expect(paths['/credentials/verify']?.post?.security).toEqual([{ bearer: [] }])
    expect(paths['/api/v1/verifier/vp-queries']?.get?.security).toEqual([{ clientSecret: [] }])
    expect(paths['/api/v1/offerings']?.get?.security).toEqual([{}, { bearer: [] }, { clientSecret: [] }])
  })

  it('lists every error of the HTTP layer, and 401 and 403 if the operation asks for credentials', () => {
    for (const { path, method, operation } of operations()) {
      if (path.startsWith('/api-docs')) continue
      const statuses = Object.keys(operation.responses)
      expect([path, statuses]).toEqual([path, expect.arrayContaining(['429', '500', '503'])])
      // These two operations read no body.
      if (method === 'post' && !['/openid4vci/nonce', '/openid4vci/challenge'].includes(path))
        expect([path, statuses]).toEqual([path, expect.arrayContaining(['400', '413', '415'])])
      if (operation.security.length > 0) expect([path, statuses]).toEqual([path, expect.arrayContaining(['401'])])
      if (/^\/(agent|holders)\//.test(path)) expect([path, statuses]).toEqual([path, expect.arrayContaining(['403'])])
    }
  })

  it('has an example for every body, which is valid by its own schema', () => {
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema({ $id: 'document', ...document })
    for (const { path, method, operation } of operations()) {
      const bodies: [string, Body | undefined][] = [
        ['request', operation.requestBody],
        ...Object.entries(operation.responses),
      ]
      for (const [name, body] of bodies) {
        for (const { schema = {}, example } of Object.values(body?.content ?? {})) {
          expect([method, path, name, example]).not.toEqual([method, path, name, undefined])
          const valid = ajv.compile(rooted(schema) as Json)
          expect([method, path, name, valid(example), valid.errors]).toEqual([method, path, name, true, null])
        }
      }
    }
  })

  it('shows readiness’ 503 as the health result with the envelope beside it', () => {
    expect(paths['/health/readiness']?.get?.responses['503']?.content?.['application/json']?.example).toMatchObject({
      status: 'error',
      error: { database: { status: 'down' } },
      statusCode: 503,
    })
  })
})
