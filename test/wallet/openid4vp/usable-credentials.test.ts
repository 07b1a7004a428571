import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { zlibBase64url } from '../../../server/protocol/status-list/compression.js'
import { DIPLOMA, DIPLOMA_SD_JWT, type RemoteIssuer, startRemoteIssuer } from '../../support/remote-issuer.js'
import { type RemoteVerifier, startRemoteVerifier } from '../../support/remote-verifier.js'
import { startService, type TestService } from '../../support/service.js'
import { type HostedWallet, LOOPBACK, newWallet } from '../../support/wallet.js'
import { signJwt } from '../../support/wallet-callbacks.js'
import type { RemoteAnswer } from '../../support/wallet-http.js'

let service: TestService
let issuer: RemoteIssuer
let verifier: RemoteVerifier
let wallet: HostedWallet

/** The statuses by index, with the values of a Token Status List (§7.1): 0 VALID, 1 INVALID, 2 SUSPENDED. */
let statuses: number[] = []
/** If set, this handler answers instead of a status list. */
let instead: (() => RemoteAnswer) | undefined

async function statusList(path: string): Promise<RemoteAnswer> {
  if (instead !== undefined) return instead()
  const now = Math.floor(Date.now() / 1000)
  const bytes = Uint8Array.from({ length: 64 }, (_, at) => statuses[at] ?? 0)
  const jwt = await signJwt(
    issuer.key,
    { typ: 'statuslist+jwt', kid: issuer.key.kid },
    { sub: `${issuer.url}${path}`, iat: now, status_list: { bits: 8, lst: zlibBase64url(bytes) } },
  )
  return { body: jwt, headers: { 'content-type': 'application/statuslist+jwt' } }
}

/**
 * Each credential has a separate list, so that the test sees each status that is read. The index of a credential is the
 * number of its list.
 */
const lists = Object.fromEntries(
  Array.from({ length: 64 }, (_, at) => [`/status/${at}`, () => statusList(`/status/${at}`)]),
)

beforeAll(async () => {
  verifier = await startRemoteVerifier()
  issuer = await startRemoteIssuer({
    replace: lists,
    forge: (self, holder) => {
      const idx = statuses.length
      statuses.push(0)
      const status = { status_list: { idx, uri: `${self.url}/status/${idx}` } }
      return self.signSdJwtVc(holder.publicJwk, { ...DIPLOMA, number: idx }, undefined, { status })
    },
  })
  service = await startService({ env: { ...LOOPBACK, VERIFIER_TRUST_ANCHORS: verifier.anchorFile } })
})
afterAll(async () => {
  // The issuer's server ends first. The service still waits for a list that never arrives, and would not end before.
  await issuer.close()
  await service.close()
  await verifier.close()
})
beforeEach(async () => {
  statuses = []
  instead = undefined
  wallet = await newWallet(service)
})

/** Lets the wallet take `count` diplomas. The first diploma has the number 0. */
async function take(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const { status, text } = await wallet.process(await issuer.offer([DIPLOMA_SD_JWT]))
    if (status !== 200) throw new Error(text)
  }
}

const diploma = (id = 'diploma') => ({
  id,
  format: 'dc+sd-jwt',
  meta: { vct_values: [`${issuer.url}/vct/diploma`] },
  claims: [{ path: ['number'] }],
})

const numberOf = (presentation: unknown) => {
  const [, disclosure = ''] = String(presentation).split('~')
  return JSON.parse(Buffer.from(disclosure, 'base64url').toString())[2]
}

/** The presented diplomas by credential query, as numbers. */
async function presented(query: unknown = { credentials: [diploma()] }): Promise<Record<string, unknown>> {
  const answer = await wallet.process(await verifier.request(query))
  if (answer.status !== 200) throw new Error(answer.text)
  const { presentations = {} } = verifier.responses.at(-1) ?? {}
  return Object.fromEntries(Object.entries(presentations).map(([id, [one]]) => [id, numberOf(one)]))
}

/** The status lists that are fetched during an action. */
async function fetching(act: () => Promise<unknown>): Promise<string[]> {
  const before = issuer.seen.length
  await act()
  return issuer.seen.slice(before).flatMap(({ path }) => (path.startsWith('/status/') ? [path] : []))
}

describe('of several credentials that satisfy a query a hosted wallet presents', () => {
  it('the newest that is not revoked', async () => {
    await take(3)
    expect(await presented()).toEqual({ diploma: 2 })
    statuses[2] = 1
    expect(await presented()).toEqual({ diploma: 1 })
    statuses[1] = 1
    expect(await presented()).toEqual({ diploma: 0 })
  })

  it('no credential as long as it is suspended (Token Status List §7.1)', async () => {
    await take(2)
    statuses[1] = 2
    expect(await presented()).toEqual({ diploma: 0 })
    statuses[1] = 0
    expect(await presented()).toEqual({ diploma: 1 })
  })

  it('the newest if all are revoked, and the verifier reports this', async () => {
    await take(2)
    statuses = [1, 1]
    expect(await presented()).toEqual({ diploma: 1 })
  })

  it('one for each query, and the revoked credential for no query', async () => {
    await take(2)
    statuses[1] = 1
    expect(await presented({ credentials: [diploma('one'), diploma('two')] })).toEqual({ one: 0, two: 0 })
  })

  it('the alternative with a valid credential, although the verifier prefers another one (OpenID4VP 1.0 §6.4.2)', async () => {
    await take(2)
    statuses[1] = 1
    const only = (number: number, id: string) => ({ ...diploma(id), claims: [{ path: ['number'], values: [number] }] })
    const sets = {
      credentials: [only(1, 'first'), only(0, 'second')],
      credential_sets: [{ options: [['first'], ['second']] }],
    }
    expect(await presented(sets)).toEqual({ second: 0 })
    statuses = [1, 0]
    expect(await presented(sets)).toEqual({ first: 1 })
  })

  it('a valid credential before a credential of unknown status, and the latter before none', async () => {
    await take(2)
    let refused = 0
    instead = () => {
      refused += 1
      instead = undefined
      return { status: 503 }
    }
    expect([await presented(), refused]).toEqual([{ diploma: 0 }, 1])
    instead = () => ({ status: 503 })
    expect(await presented()).toEqual({ diploma: 1 })
  })
})

describe('cost of choosing', () => {
  it('the only matching credential is presented without a read of its status', async () => {
    await take(1)
    statuses[0] = 1
    expect(await fetching(presented)).toEqual([])
  })

  it('of several, statuses are read only until a valid one is found', async () => {
    await take(3)
    expect(await fetching(presented)).toEqual(['/status/2'])
    statuses[2] = 1
    expect(await fetching(presented)).toEqual(['/status/2', '/status/1'])
  })

  it('at most three seconds if a list does not arrive: the credential then counts as valid', async () => {
    await take(2)
    instead = () => ({ raw: () => {} })
    const before = performance.now()
    expect(await presented()).toEqual({ diploma: 1 })
    expect(performance.now() - before).toBeLessThan(7_000)
  })
})

describe('a person who confirms a flow', () => {
  const flow = async (query: unknown) => {
    const { json } = await service.request('POST', '/flows', {
      authorization: wallet.authorization,
      body: { qrContent: await verifier.request(query), did: wallet.did },
    })
    return json.data
  }

  it('presents the selected credentials with any status, and otherwise valid credentials', async () => {
    await take(3)
    statuses[2] = 1
    const first = { ...diploma('first'), claims: [{ path: ['number'], values: [2] }] }
    const { processId, matchingCredentials } = await flow({ credentials: [first, diploma('second')] })
    const selected = matchingCredentials.find(
      ({ credentialSubject }: { credentialSubject: { number: number } }) => credentialSubject.number === 1,
    )
    const confirmed = await service.request('POST', `/flows/${processId}/confirm`, {
      authorization: wallet.authorization,
      body: { type: 'presentation', selectedCredential: { id: selected.id } },
    })
    expect(confirmed.status).toBe(200)
    const { presentations = {} } = verifier.responses.at(-1) ?? {}
    expect([numberOf(presentations.first?.[0]), numberOf(presentations.second?.[0])]).toEqual([2, 1])
  })

  it('presents a revoked credential if the user selects it', async () => {
    await take(2)
    statuses[1] = 1
    const { processId, matchingCredentials } = await flow({ credentials: [diploma()] })
    const revoked = matchingCredentials.find(
      ({ credentialSubject }: { credentialSubject: { number: number } }) => credentialSubject.number === 1,
    )
    await service.request('POST', `/flows/${processId}/confirm`, {
      authorization: wallet.authorization,
      body: { type: 'presentation', selectedCredential: { id: revoked.id } },
    })
    expect(numberOf(verifier.responses.at(-1)?.presentations.diploma?.[0])).toBe(1)
  })
})
