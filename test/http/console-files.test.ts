import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleFiles } from '../../server/http/console-files.js'
import { listenLocally } from '../support/local-server.js'

const PAGE =
  '<!doctype html><meta name="console-address" content="./"><script type="module" src="./assets/index-1.js"></script>'

let directory: string
let server: Server
let url: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'credence-console-'))
  const app = express()
  app.use(consoleFiles({ issuerBaseUrl: 'https://example.com/tenant' }, directory))
  app.use((_request, response) => void response.status(404).end('none'))
  server = createServer(app)
  url = await listenLocally(server)
})
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
  await rm(directory, { recursive: true })
})

describe('/console', () => {
  it('does not exist if the console was not built', async () => {
    expect((await fetch(`${url}/console/`)).status).toBe(404)
    await mkdir(join(directory, 'assets'))
    await writeFile(join(directory, 'assets', 'index-1.js'), 'export {}')
    await writeFile(join(directory, 'assets', 'index-1.css'), 'a{}')
    await writeFile(join(directory, 'index.html'), PAGE)
  })

  it.each(['/console', '/console/', '/console/types', '/console/types/Diploma/edit'])(
    '%s is the page',
    async (path) => {
      const answer = await fetch(`${url}${path}`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('no-cache')
      expect(await answer.text()).toContain('src="/tenant/console/assets/index-1.js"')
    },
  )

  it('has a policy that allows no other host and no inline script or style', async () => {
    const { headers } = await fetch(`${url}/console/`)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
  })

  it('files whose name changes with their content may be cached forever, in the encoding that the browser prefers', async () => {
    const plain = await fetch(`${url}/console/assets/index-1.js`, { headers: { 'accept-encoding': 'identity' } })
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(plain.headers.get('vary')).toMatch(/accept-encoding/i)
    expect(await plain.text()).toBe('export {}')
    const gzipped = await fetch(`${url}/console/assets/index-1.css`, { headers: { 'accept-encoding': 'gzip' } })
    expect(gzipped.headers.get('content-encoding')).toBe('gzip')
    expect(await gzipped.text()).toBe('a{}')
  })

  it.each([
    '/console/assets/index-0.js',
    '/console/assets/',
    '/console/assets/..%2findex.html',
    '/console/callback',
    '/console/login',
    '/Console',
    '/consoles',
  ])('%s is not a screen', async (path) => {
    expect((await fetch(`${url}${path}`)).status).toBe(404)
  })

  it('only reading methods are answered', async () => {
    expect((await fetch(`${url}/console/`, { method: 'POST' })).status).toBe(404)
    const head = await fetch(`${url}/console/`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})
