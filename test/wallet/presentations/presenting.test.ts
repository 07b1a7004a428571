import { expect, it } from 'vitest'
import { WalletError } from '../../../server/wallet/exchange/wallet-error.js'
import type { Match } from '../../../server/wallet/openid4vp/match-query.js'
import type { PresentationRequest } from '../../../server/wallet/openid4vp/presentation-request.js'
import type { PresentationContent } from '../../../server/wallet/presentations/presentations.js'
import { createPresenting } from '../../../server/wallet/presentations/presenting.js'
import { heldCredential } from '../held-credential.js'

const HOLDER = { holderId: 'a holder', actor: 'alice' }
const REQUEST = { clientId: 'x509_san_dns:verifier.example', payload: {} } as PresentationRequest
const requestOf = (name: unknown) =>
  ({ ...REQUEST, payload: { client_metadata: { client_name: name } } }) as PresentationRequest

const unused = () => Promise.reject(new Error('Nothing may be asked here.'))

/** Makes an answer with one credential. Records the steps in their order. */
async function answering(
  present: () => Promise<string | undefined>,
  ids: readonly string[] = ['diploma'],
  request = REQUEST,
) {
  const happened: unknown[] = []
  const matches: Match[] = ids.map((id) => ({
    queryId: 'q',
    held: heldCredential(id),
    disclose: [],
    holderBinding: true,
  }))
  const { answer } = createPresenting({
    credentials: {
      newestOf: unused,
      markPresented: async (held) => {
        happened.push(['marked', ...held.map(({ copyId }) => copyId)])
      },
    },
    statusReader: () => unused,
    matchRequest: unused,
    present: () => {
      happened.push('presented')
      return present()
    },
    record: async (holderId: string, actor: string, content: PresentationContent) => {
      happened.push({ holderId, actor, ...content })
    },
    clock: () => new Date(0),
  })
  const result = await answer(unused, HOLDER, request, matches).catch((thrown: unknown) => thrown)
  return { result, happened }
}

const RECORD = {
  ...HOLDER,
  verifier: 'x509_san_dns:verifier.example',
  credentials: [{ queryId: 'q', credentialId: 'diploma', claims: [] }],
}

it('a copy counts as used before the verifier may have seen it', async () => {
  const { result, happened } = await answering(async () => 'https://verifier.example/next')
  expect(result).toBe('https://verifier.example/next')
  expect(happened).toEqual([
    ['marked', 'copy of diploma'],
    'presented',
    { ...RECORD, state: 'accepted', redirectUri: 'https://verifier.example/next' },
  ])
})

it('without an address from the verifier the answer has none', async () => {
  const { result, happened } = await answering(async () => undefined)
  expect([result, happened.at(-1)]).toEqual([undefined, { ...RECORD, state: 'accepted' }])
})

it('a refusal is recorded with its reason, and is returned', async () => {
  const refusal = new WalletError('The verifier refused the presentation: access_denied')
  const { result, happened } = await answering(() => Promise.reject(refusal))
  expect(result).toBe(refusal)
  expect(happened.at(-1)).toEqual({ ...RECORD, state: 'failed', errorMessage: refusal.message })
})

it('an unexpected error is not shown to the owner', async () => {
  const { result, happened } = await answering(() => Promise.reject(new TypeError('a secret')))
  expect(result).toBeInstanceOf(TypeError)
  expect(happened.at(-1)).toEqual({ ...RECORD, state: 'failed', errorMessage: 'The presentation failed.' })
})

it.each([
  ['a name', ' Corner Shop ', { verifierName: 'Corner Shop' }],
  ['a name that is too long', 'x'.repeat(300), { verifierName: 'x'.repeat(200) }],
  ['a name that is no text', 7, {}],
  ['an empty name', '  ', {}],
])('the name that the verifier gives itself is recorded: %s', async (_, name, recorded) => {
  const { happened } = await answering(async () => undefined, ['diploma'], requestOf(name))
  expect(happened.at(-1)).toEqual({ ...RECORD, ...recorded, state: 'accepted' })
})

it('without a credential nothing is sent and nothing recorded (OpenID4VP 1.0 §6.4.2)', async () => {
  const { result, happened } = await answering(async () => undefined, [])
  expect([result, happened]).toMatchObject([{ status: 500 }, []])
})
