import { describe, expect, it } from 'vitest'
import { didDocument } from '../../../server/protocol/did/did-document.js'
import { didJwk } from '../../../server/protocol/did/did-jwk.js'
import { didKeyFromJwk } from '../../../server/protocol/did/did-key.js'
import { DidResolutionError, resolveDid } from '../../../server/protocol/did/resolve-did.js'
import { generateKeyPair } from '../../../server/protocol/jose/jws.js'

const DID = 'did:web:issuer.example:a'
const { publicJwk } = await generateKeyPair('ES256')
const document = didDocument({ did: DID, keys: [{ id: '#k', jwk: publicJwk }] })

/** Fakes the network: serves the given documents by address, and records the requests. */
function world(documents: Record<string, unknown>) {
  const asked: string[] = []
  const fetchJson = async (url: string) => {
    asked.push(url)
    if (!(url in documents)) throw new Error('connect ECONNREFUSED 10.0.0.1:443')
    return documents[url]
  }
  return { asked, fetchJson, allowHttp: false }
}

describe('resolveDid (DID Core 1.0 §7.1)', () => {
  it('computes did:key and did:jwk without a request', async () => {
    const io = world({})
    for (const did of [didKeyFromJwk(publicJwk), didJwk(publicJwk)]) {
      await expect(resolveDid(did, io)).resolves.toMatchObject({
        id: did,
        verificationMethod: [{ publicKeyJwk: publicJwk }],
      })
    }
    expect(io.asked).toEqual([])
  })

  it('fetches did:web and keeps its keys', async () => {
    const io = world({ 'https://issuer.example/a/did.json': JSON.parse(JSON.stringify(document)) })
    const { id, verificationMethod, authentication, assertionMethod } = document
    await expect(resolveDid(DID, io)).resolves.toEqual({ id, verificationMethod, authentication, assertionMethod })
    expect(io.asked).toEqual(['https://issuer.example/a/did.json'])
  })

  it('refuses the document of another DID', async () => {
    const io = world({ 'https://issuer.example/a/did.json': { ...document, id: 'did:web:issuer.example:b' } })
    await expect(resolveDid(DID, io)).rejects.toThrow(`The DID document of ${DID} is that of another DID.`)
  })

  it.each([['text'], [null], [[document]], [{ ...document, id: undefined }]])(
    'refuses %j as a document',
    async (body) => {
      const io = world({ 'https://issuer.example/a/did.json': body })
      await expect(resolveDid(DID, io)).rejects.toThrow(`The DID document of ${DID} is malformed.`)
    },
  )

  it('reports that a document could not be fetched, without the reason', async () => {
    const error: unknown = await resolveDid(DID, world({})).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(DidResolutionError)
    expect(error).toMatchObject({
      message: `The DID document of ${DID} could not be fetched.`,
      cause: expect.any(Error),
    })
  })

  it.each(['did:ion:abc', 'did:web:issuer.example#k', 'did:web:issuer.example:..:a', 'https://issuer.example', ''])(
    'refuses %j without a request',
    async (did) => {
      const io = world({})
      await expect(resolveDid(did, io)).rejects.toBeInstanceOf(DidResolutionError)
      expect(io.asked).toEqual([])
    },
  )
})
