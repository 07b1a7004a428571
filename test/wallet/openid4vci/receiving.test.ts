import { expect, it } from 'vitest'
import type { StoredDid } from '../../../server/dids/store.js'
import { createLog } from '../../../server/log/log.js'
import { WalletError } from '../../../server/wallet/exchange/wallet-error.js'
import { createReceiving } from '../../../server/wallet/openid4vci/receiving.js'
import type { Offered, TakeRequest } from '../../../server/wallet/openid4vci/take-offer.js'
import { heldCredential } from '../held-credential.js'

const DID = { did: 'did:example:holder', keys: [] } as unknown as StoredDid
const OFFER = { credential_issuer: 'https://issuer.example', credential_configuration_ids: ['Diploma'] }
const REQUEST = { holderId: 'a holder', actor: 'alice', offer: OFFER, dids: [DID] }

const TAKEN = { receipts: [] } as unknown as Offered['taken'][number]
const deferralOf = (count: number) =>
  ({ transactions: Array.from({ length: count }, () => ({})) }) as unknown as Offered['deferral']

/** Makes a wallet whose issuer issues the given credentials. Records the requests to the issuer. */
function receiving(offered: Offered, waitFor: () => Promise<void> = async () => {}) {
  const asked: TakeRequest[] = []
  let kept = 0
  const { take } = createReceiving({
    keys: { signer: () => Promise.reject(new Error('No key is asked for.')) },
    takeOffer: async (request) => {
      asked.push(request)
      return offered
    },
    keep: async () => {
      kept += 1
      return heldCredential(`kept ${kept}`)
    },
    waitFor,
    log: createLog('silent'),
  })
  return { take, asked }
}

it('a holder without a DID takes nothing: 400, and the issuer is not called', async () => {
  const { take, asked } = receiving({ taken: [TAKEN], deferral: undefined })
  await expect(take({ ...REQUEST, dids: [] })).rejects.toMatchObject({ status: 400 })
  expect(asked).toEqual([])
})

it('keeps each credential in its order, with one copy unless more are asked for', async () => {
  const { take, asked } = receiving({ taken: [TAKEN, TAKEN], deferral: undefined })
  const { held, deferred } = await take(REQUEST)
  expect([held.map(({ id }) => id), deferred]).toEqual([['kept 1', 'kept 2'], 0])
  await take({ ...REQUEST, copies: 3, txCode: '123' })
  expect(asked).toMatchObject([{ copies: 1 }, { copies: 3, txCode: '123' }])
})

it('returns the number of credentials that are still to come', async () => {
  const { take } = receiving({ taken: [], deferral: deferralOf(2) })
  expect(await take(REQUEST)).toEqual({ held: [], deferred: 2 })
})

const full = () =>
  Promise.reject(new WalletError('The wallet already waits for the maximum number of deferred credentials.'))

it('taken credentials are not lost if others cannot be waited for', async () => {
  const { take } = receiving({ taken: [TAKEN], deferral: deferralOf(1) }, full)
  expect(await take(REQUEST)).toMatchObject({ held: [{ id: 'kept 1' }], deferred: 0 })
})

it('if nothing was taken, it fails because the others cannot be waited for', async () => {
  const { take } = receiving({ taken: [], deferral: deferralOf(1) }, full)
  await expect(take(REQUEST)).rejects.toThrow('the maximum number of deferred credentials')
})
