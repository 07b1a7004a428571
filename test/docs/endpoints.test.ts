import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { allProcedures } from '../contract/procedures.js'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.md'),
)
const documents = ['README.md', 'client/README.md', ...pages.map((path) => join('docs', path))]

/** Names of parameters do not count: `/holders/{id}` and `/holders/{holderId}` are one address. */
const addressOf = (method: string, path: string) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`

const known = new Set(
  allProcedures.flatMap(({ meta }) => (meta?.openapi ? [addressOf(meta.openapi.method, meta.openapi.path)] : [])),
)

const endpointsIn = (text: string) =>
  [...text.matchAll(/`(?:(?:GET|POST|PUT|DELETE) )+(\/[\w./{}-]*)[^`]*`/g)].flatMap(([all, path = '']) =>
    [...all.matchAll(/GET|POST|PUT|DELETE/g)].map(([method]) => addressOf(method, path)),
  )

it.each(documents)('the endpoints that %s names exist', (document) => {
  expect([...new Set(endpointsIn(read(document)))].filter((endpoint) => !known.has(endpoint))).toEqual([])
})

it('endpoints are found in the documents', () => {
  expect(new Set(documents.flatMap((document) => endpointsIn(read(document)))).size).toBeGreaterThan(30)
})

/** Variables of the platforms themselves: their own tools set them, and key providers read them. */
const OF_PLATFORMS = /^(AWS|AZURE|GOOGLE|IDENTITY|VAULT)_/

it('the environment variables of the documents are in .env.example', () => {
  const listed = new Set([...read('.env.example').matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name))
  const named = documents.flatMap((document) =>
    [...read(document).matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)].map(([, name = '']) => name),
  )
  expect(new Set(named).size).toBeGreaterThan(30)
  expect([...new Set(named)].filter((name) => !listed.has(name) && !OF_PLATFORMS.test(name))).toEqual([])
})
