import { createPublicKey } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeCertificate, publicPem, readCertificate } from '../../scripts/certificates.js'
import { newBrowser } from '../../scripts/conformance/browser.js'
import { type Player, type Running, runModule } from '../../scripts/conformance/module.js'
import { chosenColumns, readOptions } from '../../scripts/conformance/options.js'
import { COLUMNS } from '../../scripts/conformance/plans/index.js'
import { differencesOf, expectationOf, readExpectations } from '../../scripts/conformance/report/expectations.js'
import type { ColumnResult } from '../../scripts/conformance/report/results.js'
import { tablesText } from '../../scripts/conformance/report/tables.js'
import { type LogEntry, type Suite, SuiteError, suiteAt } from '../../scripts/conformance/suite/client.js'
import { startTlsProxy } from '../../scripts/conformance/tls-proxy.js'
import { trustingFetch } from '../../scripts/conformance/trusting-fetch.js'
import { freePort } from '../../scripts/postgres/free-port.js'
import { closeServer, listenLocally } from '../support/local-server.js'

const outcome = (module: string, ended: string, variant: Record<string, string> = {}) => ({
  module,
  variant,
  outcome: ended,
  seconds: 1,
  id: 'id',
  conditions: [],
  notes: [],
})

const column = (id: string, heading: string, modules: ColumnResult['modules'], variant = {}): ColumnResult => ({
  id,
  heading,
  plan: 'a-plan',
  variant,
  modules,
})

describe('the tables of a run', () => {
  it('have a row for each module, and an empty cell if a plan does not have the module', () => {
    const columns = [
      column('issuer/one', 'One', [outcome('a', 'PASSED'), outcome('b', 'FAILED')]),
      column('issuer/two', 'Two', [outcome('b', 'PASSED'), outcome('c', 'REVIEW')]),
    ]
    expect(tablesText({ columns })).toBe(
      [
        '## issuer',
        '',
        '| Module | One | Two |',
        '|---|---|---|',
        '| `a` | PASSED |  |',
        '| `b` | FAILED | PASSED |',
        '| `c` |  | REVIEW |',
        '',
      ].join('\n'),
    )
  })

  it('name the variant that the plan chose for a module, not the variant of the run', () => {
    const encrypted = { vci_credential_encryption: 'encrypted', vci_credential_issuance_mode: 'deferred' }
    const modules = [outcome('a', 'PASSED'), outcome('a', 'FAILED', encrypted)]
    expect(tablesText({ columns: [column('w/one', 'One', modules)] })).toContain(
      '| `a`, encrypted, deferred | FAILED |',
    )
    expect(tablesText({ columns: [column('w/one', 'One', modules.slice(1), encrypted)] })).toContain('| `a` | FAILED |')
  })

  it('show runs with one heading once if their results are equal, and otherwise both with their ids', () => {
    const alike = [column('i/x/sd', 'X', [outcome('a', 'PASSED')]), column('i/x/mdoc', 'X', [outcome('a', 'PASSED')])]
    expect(tablesText({ columns: alike })).toContain('| Module | X |')
    const unlike = [column('i/x/sd', 'X', [outcome('a', 'PASSED')]), column('i/x/mdoc', 'X', [outcome('a', 'FAILED')])]
    expect(tablesText({ columns: unlike })).toContain('| Module | X (i/x/sd) | X (i/x/mdoc) |')
  })

  it('are one for each part of an id before the slash', () => {
    const columns = [column('i/x', 'X', [outcome('a', 'PASSED')]), column('w/x', 'X', [outcome('a', 'PASSED')])]
    expect(tablesText({ columns }).match(/^## .*$/gm)).toEqual(['## i', '## w'])
  })
})

describe('expectations', () => {
  const ran = column('i/x', 'X', [outcome('a', 'PASSED'), outcome('b', 'SKIPPED')])

  it('are met by the run from which they were made', () => {
    const expectations = readExpectations(JSON.stringify({ 'i/x': expectationOf(ran) }))
    expect(expectations).toEqual({ 'i/x': { modules: 2, otherwise: { '`b`': 'SKIPPED' } } })
    expect(differencesOf(ran, expectations)).toEqual([])
  })

  it.each([
    ['a column without an expectation', {}, 'i/x: nothing is expected of it.'],
    ['a module that ended worse', { modules: 2, otherwise: {} }, 'i/x: `b` ended in SKIPPED, expected was PASSED.'],
    [
      'a module that ended better',
      { modules: 2, otherwise: { '`a`': 'FAILED', '`b`': 'SKIPPED' } },
      'i/x: `a` ended in PASSED, expected was FAILED.',
    ],
    [
      'a module that is no longer in the plan',
      { modules: 3, otherwise: { '`b`': 'SKIPPED', '`c`': 'FAILED' } },
      'i/x: `c` did not run.',
    ],
    [
      'another number of modules',
      { modules: 3, otherwise: { '`b`': 'SKIPPED' } },
      'i/x: 2 modules ran, 3 were expected.',
    ],
  ])('name %s', (_what, expected, sentence) => {
    const expectations = 'modules' in expected ? { 'i/x': expected } : {}
    expect(differencesOf(ran, readExpectations(JSON.stringify(expectations)))).toContain(sentence)
  })

  it('with another shape are refused', () => {
    expect(() => readExpectations('{"i/x": {"modules": 0, "otherwise": {}}}')).toThrow()
    expect(() => readExpectations('{"i/x": {"modules": 1, "otherwise": {}, "more": 1}}')).toThrow()
  })
})

describe('the command line', () => {
  it('selects columns by id, by table and by plan', () => {
    const ids = (...names: string[]) => chosenColumns(COLUMNS, names).map(({ id }) => id)
    expect(ids('verifier/haip')).toEqual(['verifier/haip'])
    expect(ids('presenting')).toHaveLength(5)
    expect(ids('oid4vci-1_0-issuer-haip-test-plan')).toHaveLength(4)
    expect(ids()).toHaveLength(COLUMNS.length)
    expect(new Set(ids()).size).toBe(COLUMNS.length)
  })

  it.each([
    [['--plan', 'nothing'], '--plan nothing is none'],
    [['--plan', 'verif'], '--plan verif is none'],
  ])('refuses %j', (args, message) => {
    expect(() => chosenColumns(COLUMNS, readOptions(args).plans)).toThrow(message)
  })

  it.each([
    [['--parallel', '0'], '--parallel is a number from 1 to 8.'],
    [['--parallel', '1.5'], '--parallel is a number from 1 to 8.'],
    [['--port', '99999'], '--port is a number'],
    [['--profile', 'draft13'], '--profile is final or haip.'],
    [['--suite', 'http://localhost:8443'], '--suite is an https address.'],
    [['--suite', 'localhost'], '--suite is an https address.'],
  ])('refuses %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(message)
  })
})

type Answer = (request: IncomingMessage, body: string) => { status?: number; body?: unknown; headers?: object }

/** Starts a server that records requests. The test decides its answers. */
async function standIn() {
  const seen: { readonly line: string; readonly body: string; readonly headers: IncomingMessage['headers'] }[] = []
  let answer: Answer = () => ({})
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    seen.push({ line: `${request.method} ${request.url}`, body: text, headers: request.headers })
    const { status = 200, body = {}, headers = {} } = answer(request, text)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const url = await listenLocally(server)
  return {
    url,
    seen,
    answers: (next: Answer) => {
      seen.length = 0
      answer = next
    },
    close: () => closeServer(server),
  }
}

let remote: Awaited<ReturnType<typeof standIn>>
beforeAll(async () => {
  remote = await standIn()
})
afterAll(() => remote.close())

const ask = trustingFetch([])

describe('the client of the suite', () => {
  it('makes a plan with a name, a variant and a configuration', async () => {
    remote.answers(() => ({
      status: 201,
      body: { id: 'plan-1', name: 'p', modules: [{ testModule: 'm', variant: null }] },
    }))
    const plan = await suiteAt(`${remote.url}/`, ask).createPlan('p', { openid: 'plain' }, { alias: 'x' })
    expect(plan).toMatchObject({ id: 'plan-1', modules: [{ testModule: 'm' }] })
    const [{ line, body, headers } = { line: '', body: '', headers: {} }] = remote.seen
    expect(line).toBe(`POST /api/plan?${new URLSearchParams({ planName: 'p', variant: '{"openid":"plain"}' })}`)
    expect(JSON.parse(body)).toEqual({ alias: 'x' })
    expect(headers['content-type']).toBe('application/json')
  })

  it('makes a module with the variant that the plan chose for it', async () => {
    remote.answers(() => ({ status: 201, body: { name: 'm', id: 'run-1' } }))
    const module = { testModule: 'm', variant: { vci_credential_encryption: 'encrypted' } }
    expect(await suiteAt(remote.url, ask).createModule('plan-1', module)).toBe('run-1')
    const query = new URLSearchParams({ test: 'm', plan: 'plan-1', variant: JSON.stringify(module.variant) })
    expect(remote.seen[0]?.line).toBe(`POST /api/runner?${query}`)
  })

  it('reads a log from a given time, and uploads a screenshot for its placeholder', async () => {
    const suite = suiteAt(remote.url, ask)
    remote.answers(() => ({ body: [{ _id: 'e', src: 's', msg: 'm', time: 5, upload: 'p/1', more: [] }] }))
    expect(await suite.log('run-1', 5)).toMatchObject([{ upload: 'p/1' }])
    await suite.uploadImage('run-1', 'p/1', 'data:image/png;base64,AA==')
    expect(remote.seen.map(({ line }) => line)).toEqual([
      'GET /api/log/run-1?since=5',
      'POST /api/log/run-1/images/p%2F1',
    ])
    expect(remote.seen[1]?.body).toBe('data:image/png;base64,AA==')
  })

  it('says in one sentence that no suite answers at an address', async () => {
    const url = `https://localhost:${await freePort()}`
    const error = await suiteAt(url, trustingFetch([]))
      .version()
      .catch((thrown: unknown) => thrown)
    // For an error with this name, the launcher prints the message without the stack.
    expect(error).toMatchObject({
      name: 'Error',
      message: expect.stringMatching(`^The suite at ${url} does not answer`),
    })
    expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  })

  it('treats an ended module like a module that shows nothing', async () => {
    remote.answers(() => ({ status: 404 }))
    const suite = suiteAt(remote.url, ask)
    expect(await suite.shown('run-1')).toBeUndefined()
    await suite.visited('run-1', 'https://wallet.example/?a=b')
    await suite.cancel('run-1')
    expect(remote.seen.at(1)?.line).toBe(
      `POST /api/runner/browser/run-1/visit?${new URLSearchParams({ url: 'https://wallet.example/?a=b' })}`,
    )
  })

  it.each([
    ['a refusal', { status: 400, body: { error: 'Unknown variant' } }, /POST \/api\/plan with 400: .*Unknown variant/],
    ['another shape', { status: 201, body: { id: 1 } }, /POST \/api\/plan in another shape/],
    ['something else than JSON', { status: 201, body: '<html>' }, /POST \/api\/plan without JSON/],
  ])('reports the request that was answered with %s', async (_what, answer, message) => {
    remote.answers(() => answer)
    const made = suiteAt(remote.url, ask).createPlan('p', {}, {})
    await expect(made).rejects.toThrow(SuiteError)
    await expect(made).rejects.toThrow(message)
  })
})

describe('the browser', () => {
  it('follows redirects with its cookies, and presses a button with the hidden fields of the form', async () => {
    remote.answers(({ url, method }) => {
      if (url === '/start') return { status: 302, headers: { location: '/page', 'set-cookie': 's=1; Path=/' } }
      if (method === 'POST') return { body: 'done' }
      return {
        body: '<form method="post" action="/decide?a=1&amp;b=2"><input type="hidden" name="token" value="t&quot;1"><button name="decision" value="accept"></form>',
      }
    })
    const browser = newBrowser(ask)
    const page = await browser.open(`${remote.url}/start`)
    expect([page.url, page.status]).toEqual([`${remote.url}/page`, 200])
    expect((await browser.press(page, 'decision', 'accept')).html).toBe('done')
    const [, opened, pressed] = remote.seen
    expect(opened?.headers.cookie).toBe('s=1')
    expect([pressed?.line, pressed?.headers.cookie, pressed?.headers.origin]).toEqual([
      'POST /decide?a=1&b=2',
      's=1',
      remote.url,
    ])
    expect(Object.fromEntries(new URLSearchParams(pressed?.body))).toEqual({ token: 't"1', decision: 'accept' })
  })

  it('posts the fragment of a redirect like the script on the page of the suite', async () => {
    const post = `${remote.url}/test/a/x/implicit/abc`
    remote.answers(({ url }) => {
      if (url === '/start') return { status: 303, headers: { location: '/callback#code_verifier=1' } }
      return { body: `<script>xhr.open('POST', ${JSON.stringify(post).replaceAll('/', '\\/')}, true);</script>` }
    })
    await newBrowser(ask).open(`${remote.url}/start`)
    expect(remote.seen.at(-1)).toMatchObject({ line: 'POST /test/a/x/implicit/abc', body: '#code_verifier=1' })
  })

  it('ends with an error if redirects form a circle', async () => {
    remote.answers(() => ({ status: 302, headers: { location: '/again' } }))
    await expect(newBrowser(ask).open(`${remote.url}/again`)).rejects.toThrow('led on more than 20 times')
    expect(remote.seen.length).toBeLessThan(25)
  })

  it('reports a missing form', async () => {
    remote.answers(() => ({ body: '<p>Expired</p>', status: 400 }))
    const browser = newBrowser(ask)
    const page = await browser.open(`${remote.url}/gone`)
    await expect(async () => browser.press(page, 'decision', 'accept')).rejects.toThrow('There is no form at')
  })
})

/** Makes a suite in memory. It has one module, which has the listed states one after the other. */
function suiteOf(states: readonly [status: string, result?: string][], log: readonly LogEntry[] = []) {
  const calls: string[] = []
  let at = 0
  const suite: Suite = {
    url: 'https://suite.example',
    version: async () => ({ version: '1', revision: 'abc' }),
    createPlan: async () => ({ id: 'plan', modules: [] }),
    createModule: async () => 'run',
    start: async () => void calls.push('start'),
    info: async () => {
      const [status, result] = states[Math.min(at, states.length - 1)] ?? ['FINISHED']
      at += 1
      return { status, result: result ?? null }
    },
    shown: async () => ({ exposed: {}, urls: [] }),
    log: async (_id, since) => log.filter(({ time }) => (time ?? 0) >= (since ?? 0)),
    visited: async () => undefined,
    uploadImage: async (_id, placeholder) => void calls.push(`image ${placeholder}`),
    cancel: async () => void calls.push('cancel'),
  }
  return { suite, calls }
}

const player = (overrides: Partial<Player> = {}): Player => ({
  act: async () => false,
  evidence: async () => undefined,
  ...overrides,
})

const runOf = (suite: Suite, by: Player, idleMs = 2_000) =>
  runModule(suite, { id: 'plan', modules: [] }, { testModule: 'm' }, () => by, { idleMs, pollMs: 1 })

describe('one module', () => {
  const entries: LogEntry[] = [
    { _id: '1', src: 'Ok', msg: 'fine', time: 1, result: 'SUCCESS' },
    { _id: '2', src: 'Bad', msg: 'not fine', time: 2, result: 'FAILURE' },
  ]

  it('is served while it waits, and ends with its result, the failed conditions, and notes', async () => {
    const act = vi.fn(async ({ note }: Running) => {
      note('done')
      return true
    })
    const { suite } = suiteOf([['CREATED'], ['RUNNING'], ['WAITING'], ['WAITING'], ['FINISHED', 'FAILED']], entries)
    const ended = await runOf(suite, player({ act }))
    expect(act).toHaveBeenCalledTimes(2)
    expect(act.mock.calls[0]?.[0].log).toHaveLength(2)
    expect(ended).toMatchObject({
      module: 'm',
      outcome: 'FAILED',
      conditions: ['FAILURE Bad: not fine'],
      notes: ['done'],
    })
  })

  it('is started once if it does not start on its own', async () => {
    const { suite, calls } = suiteOf([['CONFIGURED'], ['CONFIGURED'], ['CONFIGURED'], ['FINISHED', 'PASSED']])
    expect((await runOf(suite, player())).outcome).toBe('PASSED')
    expect(calls).toEqual(['start'])
  })

  it.each([
    ['INTERRUPTED', 'FAILED', 'FAILED'],
    ['INTERRUPTED', 'UNKNOWN', 'FAILED'],
    ['FINISHED', 'REVIEW', 'REVIEW'],
  ])('%s with %s is %s', async (status, result, expected) => {
    expect((await runOf(suiteOf([[status, result]]).suite, player())).outcome).toBe(expected)
  })

  const missing: LogEntry[] = [{ _id: '1', time: 1, upload: 'placeholder', result: 'REVIEW' }]

  it('gets one screenshot if the product acted correctly', async () => {
    const { suite, calls } = suiteOf([['WAITING'], ['WAITING'], ['WAITING'], ['FINISHED', 'REVIEW']], missing)
    await runOf(suite, player())
    expect(calls).toEqual(['image placeholder'])
  })

  it('gets no screenshot otherwise, and the notes have the reason', async () => {
    const { suite, calls } = suiteOf([['WAITING']], missing)
    const ended = await runOf(suite, player({ evidence: async () => 'the session is in Error' }), 30)
    expect([ended.outcome, calls]).toEqual(['WAITING', ['cancel']])
    expect(ended.notes).toEqual(['No screenshot: the session is in Error'])
  })

  it('is ended if it waits without a next step, as FAILED if a condition has failed', async () => {
    const waiting = suiteOf([['WAITING']])
    expect((await runOf(waiting.suite, player(), 20)).outcome).toBe('WAITING')
    expect(waiting.calls).toEqual(['cancel'])
    expect((await runOf(suiteOf([['WAITING', 'FAILED']]).suite, player(), 20)).outcome).toBe('FAILED')
  })

  it('continues after a failed step, which is among the notes', async () => {
    const act = async () => {
      throw new Error('POST /credential-offers was answered 400')
    }
    const { suite } = suiteOf([['WAITING'], ['FINISHED', 'PASSED']])
    expect((await runOf(suite, player({ act }))).notes).toEqual(['POST /credential-offers was answered 400'])
  })
})

describe('the certificates of a run', () => {
  it('are certified by their root, which can be read from its file', async () => {
    const made = await makeCertificate({ name: 'Root' })
    const root = await readCertificate(made.pem)
    const leaf = await makeCertificate({
      name: 'Leaf',
      issuer: root,
      dns: ['suite.example'],
      uri: ['https://suite.example/test/a/x'],
    })
    expect(await leaf.certificate.verify({ publicKey: made.certificate.publicKey, signatureOnly: true })).toBe(true)
    expect(leaf.certificate.issuer).toBe(made.certificate.subject)
    const { kty, crv, x, y } = leaf.jwk
    const key = createPublicKey({ key: { kty: kty ?? '', crv: crv ?? '', x: x ?? '', y: y ?? '' }, format: 'jwk' })
    expect(Buffer.from(leaf.certificate.publicKey.rawData)).toEqual(key.export({ type: 'spki', format: 'der' }))
    expect(leaf.jwk.x5c).toEqual([Buffer.from(leaf.certificate.rawData).toString('base64')])
  })
})

describe('TLS in front of the service', () => {
  it('is trusted only with the root of the run, and tells the service that the request used https', async () => {
    const root = await makeCertificate({ name: 'Root' })
    const tls = await makeCertificate({ name: 'localhost', issuer: root, dns: ['localhost'] })
    const port = await freePort()
    const end = await startTlsProxy({ pem: tls.pem, port, servicePort: Number(new URL(remote.url).port) })
    try {
      remote.answers(() => ({ status: 201, body: 'behind', headers: { 'x-answer': 'yes' } }))
      const answer = await trustingFetch([publicPem(root)])(`https://localhost:${port}/a?b=c`, {
        method: 'POST',
        body: '1',
      })
      expect([answer.status, answer.headers.get('x-answer'), await answer.text()]).toEqual([201, 'yes', 'behind'])
      expect(remote.seen[0]).toMatchObject({
        line: 'POST /a?b=c',
        body: '1',
        headers: { host: `localhost:${port}`, 'x-forwarded-proto': 'https' },
      })
      const stranger = await makeCertificate({ name: 'Another root' })
      await expect(trustingFetch([publicPem(stranger)])(`https://localhost:${port}/`)).rejects.toThrow()
    } finally {
      await end()
    }
  })
})
