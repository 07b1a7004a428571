import { execFile } from 'node:child_process'
import { hash, type KeyObject } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type CryptoKey, decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Evidence } from '../../../server/verifier/evidence/package.js'
import { startService, type TestService } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { answer, ask, fetchRequest, present } from '../actors.js'
import { anchorFiles, certifiedStatusList, MEMBERSHIP, makeLeaf, makeRoot, membership } from '../certified.js'
import { startWebServer, type WebServer } from '../web-server.js'
import { evidenceOf, failuresOf, tampered } from './kept.js'

const root = makeRoot()
const lists = makeRoot('Lists')
const leaf = makeLeaf(root)
const LIST = '/list'
const PRESENTATION = 'presentation 1 (club)'

let files: Awaited<ReturnType<typeof anchorFiles>>
let folder: string
let web: WebServer
let service: TestService
let wallet: WalletActor
let evidence: Evidence

beforeAll(async () => {
  files = await anchorFiles()
  folder = await mkdtemp(join(tmpdir(), 'credence-evidence-'))
  web = await startWebServer()
  service = await startService({
    maintenance: false,
    env: {
      TRUST_ANCHORS: await files.write('roots', root),
      STATUS_TRUST_ANCHORS: await files.write('lists', lists),
      TRUSTED_ISSUERS: 'x5c',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    },
  })
  wallet = await newWallet()
  const uri = `http://127.0.0.1:${web.port}${LIST}`
  web.documents.set(LIST, {
    type: 'application/statuslist+jwt',
    body: await certifiedStatusList(makeLeaf(lists, { subject: 'Signer of lists' }), uri, []),
  })
  const asked = await ask(service, {
    responseMode: 'direct_post',
    keepEvidence: true,
    dcqlQuery: { credentials: [{ id: 'club', format: 'dc+sd-jwt', meta: { vct_values: [MEMBERSHIP] } }] },
  })
  const payload = await fetchRequest(asked)
  const credential = await membership(leaf, wallet, { status: { status_list: { uri, idx: 7 } } })
  const shown = await present({ id: '', format: 'dc+sd-jwt', credential }, wallet, payload, { disclose: [] })
  expect((await answer(payload, { club: [shown] })).status).toBe(200)
  evidence = await evidenceOf(service, asked)
})
afterAll(async () => {
  await service.close()
  await web[Symbol.asyncDispose]()
  await files[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

/** Returns a changed copy. */
function altered(change: (copy: Evidence) => void): Evidence {
  const copy = structuredClone(evidence)
  change(copy)
  return copy
}

const only = <Item>(items: readonly Item[]): Item => {
  const [item] = items
  if (item === undefined) throw new Error('There is none.')
  return item
}

const ofPresentation = (change: (text: string) => string) =>
  altered(({ presentations }) => {
    const one = only(presentations)
    one.presentation = change(String(one.presentation))
  })

const ofList = (change: (text: string) => string) =>
  altered(({ sources }) => {
    const list = sources.find(({ kind }) => kind === 'status-list')
    if (list !== undefined) list.content = change(String(list.content))
  })

const ALTERED: readonly (readonly [string, () => Evidence, string])[] = [
  [
    'a credential',
    () => ofPresentation((text) => tampered(text, (text.split('~', 1)[0] ?? '').length - 40)),
    `${PRESENTATION}: signature: Credential signature is invalid.`,
  ],
  [
    "a holder's proof",
    () => ofPresentation((text) => tampered(text, text.length - 40)),
    `${PRESENTATION}: holder-binding: Key Binding JWT signature is invalid.`,
  ],
  [
    'the nonce',
    () =>
      altered(({ request }) => {
        request.nonce = tampered(request.nonce)
      }),
    'request: nonce differs from the request object.',
  ],
  [
    'the request object',
    () =>
      altered(({ request }) => {
        request.signed = tampered(String(request.signed), String(request.signed).length - 40)
      }),
    'request: The request object: The signature is not valid.',
  ],
  [
    'the signature of a status list',
    () => ofList((text) => tampered(text, text.length - 40)),
    `${PRESENTATION}: status: Status list signature is invalid.`,
  ],
  [
    'a root',
    () =>
      altered(({ trustAnchors }) => {
        trustAnchors.credentials = trustAnchors.credentials.map((der) => tampered(der, der.length - 40))
      }),
    'trust anchor CN=Root: It is damaged.',
  ],
  [
    'a root of status lists',
    () =>
      altered(({ trustAnchors }) => {
        trustAnchors.statusLists = trustAnchors.statusLists.map((der) => tampered(der, der.length - 40))
      }),
    'trust anchor CN=Lists: It is damaged.',
  ],
  [
    'a certificate of the chain',
    () =>
      altered(({ keys }) => {
        const key = only(keys)
        key.certificates = key.certificates?.map((der, at) => (at === 1 ? tampered(der) : der)) ?? []
      }),
    `${PRESENTATION}: issuer-key: Credential key cannot be found: The key of CN=Club is not the key in the evidence.`,
  ],
  [
    'the key of the issuer',
    () =>
      altered(({ keys }) => {
        const key = only(keys)
        key.jwk = { ...key.jwk, x: tampered(String(key.jwk.x)) }
      }),
    `${PRESENTATION}: issuer-key: Credential key cannot be found`,
  ],
  [
    'the recorded issuer',
    () =>
      altered(({ presentations }) => {
        only(presentations).issuers = ['https://another.example']
      }),
    `${PRESENTATION}: issuer-trust: The issuer is not the trusted issuer.`,
  ],
  [
    'a recorded outcome',
    () =>
      altered(({ presentations }) => {
        const check = only(presentations).checks.find((one) => one.check === 'signature')
        if (check !== undefined) check.outcome = 'failed'
      }),
    `${PRESENTATION}: signature: It is recorded as failed, but it does not fail.`,
  ],
  [
    'the moment of the answer',
    () =>
      altered((copy) => {
        copy.answeredAt = new Date(Date.parse(copy.answeredAt) + 3_600_000).toISOString()
      }),
    `${PRESENTATION}: status: Status list has expired.`,
  ],
  [
    'the query',
    () =>
      altered(({ request }) => {
        request.dcqlQuery = { credentials: [{ id: 'club', format: 'dc+sd-jwt', meta: { vct_values: ['other'] } }] }
      }),
    'request: dcql_query differs from the request object.',
  ],
  ...(['clientId', 'responseUri'] as const).map(
    (member) =>
      [
        `${member} of the request`,
        () => altered(({ request }) => void delete request[member]),
        `request: ${member === 'clientId' ? 'client_id' : 'response_uri'} differs from the request object.`,
      ] as const,
  ),
  [
    'the list of recorded issuers',
    () =>
      altered(({ presentations }) => {
        only(presentations).issuers = []
      }),
    `${PRESENTATION}: issuer-trust: The issuer is not the trusted issuer.`,
  ],
  [
    'the list of recorded checks',
    () =>
      altered(({ presentations }) => {
        const one = only(presentations)
        one.checks = one.checks.filter(({ check }) => check !== 'signature')
      }),
    `${PRESENTATION}: signature: It is not recorded.`,
  ],
  [
    'a presentation that was left out',
    () =>
      altered((copy) => {
        copy.presentations = []
      }),
    'outcome: verified: ',
  ],
  [
    'the outcome',
    () =>
      altered((copy) => {
        copy.state = 'Error'
      }),
    'outcome: refused: Every check passes.',
  ],
  [
    'the transaction data',
    () =>
      altered(({ request }) => {
        request.transactionData = [
          Buffer.from('{"type":"urn:example:payment","credential_ids":["club"]}').toString('base64url'),
        ]
      }),
    'outcome: verified: transactionData.0 is not authorized exactly once.',
  ],
  [
    'a document that is missing',
    () =>
      altered((copy) => {
        copy.sources = []
      }),
    `${PRESENTATION}: status: Status list could not be fetched`,
  ],
]

describe('a request object of somebody else', () => {
  interface Pair {
    readonly privateKey: CryptoKey | KeyObject
    readonly publicKey: CryptoKey | KeyObject
  }
  const stranger = (): Promise<Pair> => generateKeyPair('ES256', { extractable: true })

  /** The faults of the request in evidence whose request object another key signed. */
  async function faults(clientId: string, { privateKey, publicKey }: Pair, x5c?: string): Promise<string[]> {
    const signed = await new SignJWT({ ...decodeJwt(String(evidence.request.signed)), client_id: clientId })
      .setProtectedHeader({ alg: 'ES256', ...(x5c === undefined ? {} : { x5c: [x5c] }) })
      .sign(privateKey)
    const key = await exportJWK(publicKey)
    const copy = altered(({ request }) => Object.assign(request, { signed, key, clientId, copies: [] }))
    return (await failuresOf(copy)).filter((failure) => failure.startsWith('request'))
  }

  it('is not of the DID in the client identifier', async () => {
    expect(await faults(String(evidence.request.clientId), await stranger())).toEqual([
      'request: The client identifier is for a different key.',
    ])
  })

  it('is not of the certificate in the client identifier', async () => {
    const own = `x509_hash:${hash('sha256', Buffer.from(leaf.x5c, 'base64'), 'base64url')}`
    const pair = { privateKey: leaf.privateKey, publicKey: leaf.certificate.publicKey }
    expect(await faults(own, pair, leaf.x5c)).toEqual([])
    expect(await faults(`x509_hash:${'A'.repeat(43)}`, pair, leaf.x5c)).toEqual([
      'request: The client identifier is not the hash of the certificate.',
    ])
    expect(await faults(own, await stranger(), leaf.x5c)).toEqual([
      'request: The certificate of the request is for a different key.',
    ])
  })
})

describe('npm run verify-evidence', () => {
  it('finds nothing in evidence that nobody touched', async () => {
    expect(await failuresOf(evidence)).toEqual([])
  })

  it('finds nothing twenty years later, when every status list has expired', async () => {
    vi.useFakeTimers({ now: Date.now() + 20 * 365 * 86_400_000, toFake: ['Date'] })
    try {
      expect(await failuresOf(evidence)).toEqual([])
    } finally {
      vi.useRealTimers()
    }
  })

  it.each(ALTERED)('names %s that was altered', async (_, make, failure) => {
    const failures = await failuresOf(make())
    expect(failures.filter((one) => one.startsWith(failure))).toHaveLength(1)
  })

  const program = promisify(execFile)
  /** Runs the script, without a database in its environment. @returns its exit code and output */
  async function run(content: unknown): Promise<{ code: number; output: string }> {
    const file = join(folder, `${crypto.randomUUID()}.json`)
    await writeFile(file, JSON.stringify(content))
    const { PATH = '' } = process.env
    try {
      const args = ['--import', 'tsx', 'scripts/verify-evidence.ts', file]
      const { stdout } = await program(process.execPath, args, { env: { PATH } })
      return { code: 0, output: stdout }
    } catch (thrown) {
      const { code, stdout, stderr } = thrown as { code: number; stdout: string; stderr: string }
      return { code, output: stdout + stderr }
    }
  }

  it('prints each check of a file, and ends with 0', async () => {
    const { code, output } = await run(evidence)
    expect(output.split('\n')).toEqual([
      '✓ request',
      ...evidence.presentations.flatMap(({ checks }) => checks.map(({ check }) => `✓ ${PRESENTATION}: ${check}`)),
      '✓ outcome: verified',
      '',
    ])
    expect(code).toBe(0)
  })

  it.each(
    ALTERED.filter(([name]) =>
      ['a credential', 'the nonce', 'the signature of a status list', 'a root'].includes(name),
    ),
  )('ends with 1 and names %s that was altered', async (_, make, failure) => {
    const { code, output } = await run(make())
    expect([code, output]).toEqual([1, expect.stringContaining(`✗ ${failure}`)])
  })

  it('ends with 1 for a file that is no evidence', async () => {
    expect((await run({ version: 2 })).code).toBe(1)
  })
})
