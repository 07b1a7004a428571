import { describe, expect, it } from 'vitest'
import { createRequestNonces } from '../../../server/issuer/openid4vci/request-nonces.js'
import { sha256 } from '../../../server/keys/secret-hash.js'

const EXPIRY = new Date('2026-05-04T10:05:00Z')

/**
 * Makes the check of nonces with a store in which some nonces are already used. Also returns the recorded calls of the
 * store.
 */
function noncesWith(...usedUp: string[]) {
  const asked: string[] = []
  const spent = new Set(usedUp.map(sha256))
  const begin = createRequestNonces({
    store: {
      useNonce: async ({ hash }) => {
        asked.push(hash)
        const fresh = !spent.has(hash)
        spent.add(hash)
        return fresh
      },
    },
    seals: { nonceExpiresAt: () => EXPIRY },
  })
  return { begin, asked }
}

const row = (nonce: string) => ({ hash: sha256(nonce), expiresAt: EXPIRY })

describe('the nonces of a credential request', () => {
  it('are used up with the issuance, each once, if the service contacted no other host before', () => {
    const { begin, asked } = noncesWith()
    expect(begin().unused(['one', 'two', 'one'])).toEqual([row('one'), row('two')])
    expect(asked).toEqual([])
  })

  it('that were used up earlier in the request are not used up again with the issuance', async () => {
    const { begin, asked } = noncesWith()
    const nonces = begin()
    await nonces.use(['one'])
    expect(nonces.unused(['one', 'two'])).toEqual([row('two')])
    expect(asked).toEqual([sha256('one')])
  })

  it('of several proofs may be the same nonce: it is used up only once', async () => {
    const { begin, asked } = noncesWith()
    const nonces = begin()
    await Promise.all([nonces.use(['one', 'one']), nonces.use(['one'])])
    await nonces.use(['one'])
    expect(asked).toEqual([sha256('one')])
  })

  it('are refused if another request has used one of them, for all its proofs', async () => {
    const { begin } = noncesWith('two')
    const nonces = begin()
    const refusal = expect.objectContaining({ error: 'invalid_nonce' })
    await expect(nonces.use(['one', 'two'])).rejects.toEqual(refusal)
    await expect(nonces.use(['two'])).rejects.toEqual(refusal)
    await nonces.use(['one'])
  })

  it('belong to one request only: for the next request they are used', async () => {
    const { begin } = noncesWith()
    await begin().use(['one'])
    await expect(begin().use(['one'])).rejects.toEqual(expect.objectContaining({ error: 'invalid_nonce' }))
  })
})
