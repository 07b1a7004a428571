import { describe, expect, it } from 'vitest'
import { createDidResolver } from '../../server/dids/resolver.js'
import { type DidDocument, didDocument } from '../../server/protocol/did/did-document.js'
import { didJwk } from '../../server/protocol/did/did-jwk.js'
import { DidResolutionError } from '../../server/protocol/did/resolve-did.js'
import { generateKeyPair } from '../../server/protocol/jose/jws.js'

const REMOTE = 'did:web:remote.example'
const REMOTE_URL = 'https://remote.example/.well-known/did.json'
const OWN = 'did:web:issuer.example:a'

const documentOf = (did: string): DidDocument => didDocument({ did, keys: [] })
const keysOf = (did: string) => ({ id: did, verificationMethod: [], authentication: [], assertionMethod: [] })

type SetUp = { maxEntries?: number; ttlSeconds?: number; document?: (did: string) => object }

/** Makes a resolver whose clock the test sets, and counts the resolver's requests. */
function setUp({ document = documentOf, ...options }: SetUp = {}) {
  const state = { now: 0, fetched: [] as string[], asked: [] as string[], online: true }
  const own = new Map<string, DidDocument>()
  const resolver = createDidResolver({
    localDocument: async (did) => {
      state.asked.push(did)
      return own.get(did)
    },
    fetchJson: async (url) => {
      state.fetched.push(url)
      if (!state.online) throw new Error('offline')
      return document(`did:web:${new URL(url).hostname}`)
    },
    allowHttp: false,
    clock: () => new Date(state.now * 1000),
    ...options,
  })
  return { state, own, resolver }
}

describe('createDidResolver', () => {
  it('fetches a foreign did:web once in five minutes', async () => {
    const { state, resolver } = setUp()
    await expect(resolver.resolve(REMOTE)).resolves.toEqual(keysOf(REMOTE))
    state.now = 299
    await resolver.resolve(REMOTE)
    expect(state.fetched).toEqual([REMOTE_URL])
    state.now = 300
    await resolver.resolve(REMOTE)
    expect(state.fetched).toEqual([REMOTE_URL, REMOTE_URL])
  })

  it('remembers a document for the configured time', async () => {
    const { state, resolver } = setUp({ ttlSeconds: 10 })
    await resolver.resolve(REMOTE)
    state.now = 10
    await resolver.resolve(REMOTE)
    expect(state.fetched).toHaveLength(2)
  })

  it('asks once for all simultaneous callers', async () => {
    const { state, resolver } = setUp()
    const documents = await Promise.all(Array.from({ length: 20 }, () => resolver.resolve(REMOTE)))
    expect(new Set(documents).size).toBe(1)
    expect(state.fetched).toEqual([REMOTE_URL])
  })

  it('caches a failure for 15 seconds, for all callers', async () => {
    const { state, resolver } = setUp()
    state.online = false
    const failures = await Promise.allSettled([resolver.resolve(REMOTE), resolver.resolve(REMOTE)])
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    state.online = true
    state.now = 14
    await expect(resolver.resolve(REMOTE)).rejects.toBeInstanceOf(DidResolutionError)
    expect(state.fetched).toHaveLength(1)
    state.now = 15
    await expect(resolver.resolve(REMOTE)).resolves.toEqual(keysOf(REMOTE))
  })

  it('counts the time from the answer, not from the request', async () => {
    const state = { now: 0, fetched: 0 }
    let answer: (document: unknown) => void = () => undefined
    const resolver = createDidResolver({
      localDocument: async () => undefined,
      fetchJson: () => {
        state.fetched += 1
        return new Promise((resolve) => {
          answer = resolve
        })
      },
      allowHttp: false,
      clock: () => new Date(state.now * 1000),
    })
    const first = resolver.resolve(REMOTE)
    await new Promise(setImmediate)
    state.now = 100
    answer(documentOf(REMOTE))
    await first
    state.now = 399
    await resolver.resolve(REMOTE)
    expect(state.fetched).toBe(1)
  })

  it('reads the documents of this service at every call, so that a new key is valid at once', async () => {
    const { state, own, resolver } = setUp()
    own.set(OWN, documentOf(OWN))
    await expect(resolver.resolve(OWN)).resolves.toBe(own.get(OWN))
    const { publicJwk } = await generateKeyPair('ES256')
    own.set(OWN, didDocument({ did: OWN, keys: [{ id: '#new', jwk: publicJwk }] }))
    await expect(resolver.resolve(OWN)).resolves.toBe(own.get(OWN))
    expect(state.asked).toEqual([OWN, OWN])
    expect(state.fetched).toEqual([])
  })

  it('prefers the own document to a cached document', async () => {
    const { own, resolver } = setUp()
    await resolver.resolve(REMOTE)
    const mine = documentOf(REMOTE)
    own.set(REMOTE, mine)
    await expect(resolver.resolve(REMOTE)).resolves.toBe(mine)
  })

  it('does not cache a failed read of its own store', async () => {
    const outage = new Error('database is away')
    let away = true
    const resolver = createDidResolver({
      localDocument: async (did) => {
        if (away) throw outage
        return documentOf(did)
      },
      fetchJson: async () => undefined,
      allowHttp: false,
      clock: () => new Date(0),
    })
    await expect(resolver.resolve(OWN)).rejects.toBe(outage)
    away = false
    await expect(resolver.resolve(OWN)).resolves.toEqual(documentOf(OWN))
  })

  it('computes did:jwk without asking store or network', async () => {
    const { state, resolver } = setUp()
    const did = didJwk((await generateKeyPair('EdDSA')).publicJwk)
    await expect(resolver.resolve(did)).resolves.toMatchObject({ id: did })
    expect([...state.asked, ...state.fetched]).toEqual([])
  })

  it.each(['did:ion:abc', 'did:web:remote.example#key', 'did:web:127.0.0.1', 'no DID'])(
    'refuses %s without a request',
    async (did) => {
      const { state, resolver } = setUp()
      await expect(resolver.resolve(did)).rejects.toBeInstanceOf(DidResolutionError)
      expect(state.fetched).toEqual([])
    },
  )

  it('caches at most the configured number of documents, and removes the least used document first', async () => {
    const { state, resolver } = setUp({ maxEntries: 2 })
    await resolver.resolve('did:web:a.example')
    await resolver.resolve('did:web:b.example')
    await resolver.resolve('did:web:a.example')
    await resolver.resolve('did:web:c.example')
    await resolver.resolve('did:web:a.example')
    expect(state.fetched).toHaveLength(3)
    await resolver.resolve('did:web:b.example')
    expect(state.fetched).toHaveLength(4)
  })

  it('caches at most 4 MiB, even if this is a few documents: the cached part of each document counts', async () => {
    const document = (did: string) => ({
      id: did,
      verificationMethod: [{ id: '#a', type: 'x'.repeat(250_000), controller: did }],
      authentication: ['#a'],
    })
    const { state, resolver } = setUp({ document })
    const dids = Array.from({ length: 9 }, (_, index) => `did:web:host-${index}.example`)
    for (const did of dids) await resolver.resolve(did)
    expect(state.fetched).toHaveLength(9)
    // Each document takes 500 KB, because a character takes two bytes. So the ninth document has replaced the first
    // document in the cache.
    for (const did of dids.slice(1)) await resolver.resolve(did)
    expect(state.fetched).toHaveLength(9)
    await resolver.resolve(dids[0] ?? '')
    expect(state.fetched).toHaveLength(10)
  })

  it('caches no unused part of a document, so 500 large documents are all cached', async () => {
    const document = (did: string) => ({
      ...documentOf(did),
      '@context': Array(80_000).fill({}),
      service: [{ id: 'a' }],
    })
    const { state, resolver } = setUp({ document })
    const dids = Array.from({ length: 500 }, (_, index) => `did:web:host-${index}.example`)
    for (const did of [...dids, ...dids]) await resolver.resolve(did)
    expect(state.fetched).toHaveLength(500)
  })

  it('asks for permission before it resolves a DID of another host, cached or not, and for no other DID', async () => {
    const { state, own, resolver } = setUp()
    const asked: string[] = []
    const refusal = new Error('no')
    const admit = (did: string) => {
      asked.push(did)
      if (asked.length > 1) throw refusal
    }
    own.set(OWN, documentOf(OWN))
    await resolver.resolve(OWN, admit)
    await resolver.resolve(didJwk((await generateKeyPair('EdDSA')).publicJwk), admit)
    await resolver.resolve(REMOTE, admit)
    await expect(resolver.resolve(REMOTE, admit)).rejects.toBe(refusal)
    await expect(resolver.resolve('did:web:other.example', admit)).rejects.toBe(refusal)
    expect(asked).toEqual([REMOTE, REMOTE, 'did:web:other.example'])
    expect(state.fetched).toEqual([REMOTE_URL])
  })
})
