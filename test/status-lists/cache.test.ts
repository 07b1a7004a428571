import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, hasProgram } from '../events/servers.js'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { startService, type TestService } from '../support/service.js'

const committed = readFileSync(resolve(import.meta.dirname, '../../deploy/nginx/status-lists.conf'), 'utf8')

/** nginx with the configuration of `deploy/nginx`, in front of one service. */
async function startCache(upstream: string): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'credence-nginx-'))
  const lists = join(directory, 'status-lists.conf')
  writeFileSync(
    lists,
    committed
      .replace('/var/cache/nginx/status-lists', join(directory, 'cache'))
      .replace('listen 80', `listen 127.0.0.1:${port}`),
  )
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  writeFileSync(
    join(directory, 'nginx.conf'),
    [
      'daemon off; master_process off; error_log stderr;',
      `pid ${directory}/pid; events {} http { access_log off;`,
      ...temporary.map((name) => `${name}_temp_path ${directory}/${name};`),
      `upstream credence { server ${new URL(upstream).host}; } include ${lists}; }`,
    ].join('\n'),
  )
  let said = ''
  const child = spawn('nginx', ['-c', join(directory, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  child.stderr.on('data', (text) => {
    said += text
  })
  const url = `http://127.0.0.1:${port}`
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    )
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`nginx has ended: ${said}`)
    await sleep(20)
  }
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

// This test needs nginx on the machine (Debian: apt-get install nginx). Otherwise it is skipped.
describe.skipIf(!hasProgram('nginx'))('status lists behind nginx', () => {
  let service: TestService
  let cache: Awaited<ReturnType<typeof startCache>>
  let authorization: string
  let type: string
  beforeAll(async () => {
    service = await startService({ env: { TRUST_PROXY: 'loopback', RATE_LIMIT_MAX: '1000', METRICS_PORT: '0' } })
    cache = await startCache(service.url)
    authorization = await service.bearer('alice')
    type = (await postSchema(service, authorization)).name
  })
  afterAll(async () => {
    await cache?.[Symbol.asyncDispose]()
    await service?.close()
  })

  const issue = async (): Promise<{ id: string; list: string }> => {
    const body = { type, credential_subject: SUBJECT }
    const { json } = await service.request('POST', '/api/v1/credentials', { authorization, body })
    return { id: json.id, list: new URL(json.vc.credentialStatus[0].statusListCredential).pathname.split('/')[2] ?? '' }
  }
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${cache.url}${path}`, { headers })
  /** The requests for lists that have reached the service so far. */
  const asked = async () => {
    const lines = (await service.platform.metrics.registry.metrics()).matchAll(
      /^credence_requests_total\{procedure="statusLists\.\w+",[^}]*\} (\d+)$/gm,
    )
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
  }

  it.each(['status-lists', 'token-status-lists'])(
    '/%s: of many requests only one reaches the service, with any headers and queries of strangers',
    async (form) => {
      const { list } = await issue()
      const path = `/${form}/${list}`
      const before = await asked()
      const identity = { 'accept-encoding': 'identity' }
      const first = await get(path, identity)
      expect([first.status, first.headers.get('x-cache')]).toEqual([200, 'MISS'])
      const text = await first.text()
      for (const [query, headers] of [
        ['', {}],
        ['?x=1', {}],
        ['?x=2', {}],
        ['', { accept: 'application/statuslist+jwt' }],
        ['', { accept: 'application/*, text/html;q=0.1' }],
        ['', { 'accept-encoding': 'br' }],
        ['', { 'accept-encoding': 'gzip;q=0, br' }],
        ['', { 'user-agent': 'another', origin: 'https://wallet.example' }],
      ] as const) {
        const answer = await get(`${path}${query}`, { ...identity, ...headers })
        expect([query, headers, answer.status, answer.headers.get('x-cache')]).toEqual([query, headers, 200, 'HIT'])
        expect(await answer.text()).toBe(text)
        // nginx stored the answer for a client without Origin. The answer must be right for a browser too.
        expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      }
      expect(await asked()).toBe(before + 1)

      const compressed = [
        await get(path, { 'accept-encoding': 'gzip, br' }),
        await get(path, { 'accept-encoding': 'deflate, gzip;q=0.5' }),
      ]
      expect(compressed.map(({ headers }) => headers.get('x-cache'))).toEqual(['MISS', 'HIT'])
      for (const answer of compressed) expect(await answer.text()).toBe(text)
      expect(await asked()).toBe(before + 2)
    },
  )

  it('an answer for one caller is not given to other callers, and refusals are not cached', async () => {
    const { list } = await issue()
    const path = `/token-status-lists/${list}`
    const direct = await fetch(`${service.url}${path}`)
    for (const name of ['x-request-id', 'ratelimit', 'ratelimit-policy']) {
      expect([name, direct.headers.has(name)]).toEqual([name, true])
      expect([name, (await get(path)).headers.has(name)]).toEqual([name, false])
    }
    for (const [where, headers, status] of [
      [path, { accept: 'text/html' }, 406],
      [`${path}?time=1`, {}, 501],
      ['/token-status-lists/unknown', {}, 404],
    ] as const) {
      const caches = [await get(where, headers), await get(where, headers)].map((answer) => [
        answer.status,
        answer.headers.get('x-cache'),
      ])
      expect(caches.map(([code]) => code)).toEqual([status, status])
      expect(caches.map(([, kept]) => kept)).not.toContain('HIT')
    }
    expect((await get(path)).status).toBe(200)
  })

  // This test takes a minute.
  it.runIf(process.env.PROOF)('a revocation is visible through nginx after the minute', async () => {
    const { id, list } = await issue()
    const etag = async () => (await get(`/status-lists/${list}`)).headers.get('etag')
    const before = await etag()
    await service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })
    expect(await etag()).toBe(before)
    await expect.poll(etag, { timeout: 70_000, interval: 500 }).not.toBe(before)
  })
})
