import { constants, publicEncrypt, randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ProviderRefusal, ProviderUnavailable } from '../../../server/keys/providers/provider.js'
import { kekId } from '../../../server/protocol/jose/sealed.js'
import { query } from '../../support/postgres.js'
import { startService } from '../../support/service.js'
import type { WrappingWish } from './doubles/double.js'
import { environmentWith, SUBJECTS } from './subjects.js'

const soon = () => AbortSignal.timeout(30_000)
const KEY = new Uint8Array(randomBytes(32))
const PLACE = `envelope-key:${kekId(KEY)}`

const failureOf = (work: Promise<unknown> | undefined): Promise<Error> =>
  Promise.resolve(work).then(
    () => {
      throw new Error('It did not fail.')
    },
    (error: Error) => error,
  )

/** Key Vault has two forms of wrapping keys. */
const FORMS: readonly (readonly [string, keyof typeof SUBJECTS, WrappingWish])[] = [
  ['aws-kms', 'aws-kms', {}],
  ['azure-keyvault with oct-HSM', 'azure-keyvault', {}],
  ['azure-keyvault with RSA', 'azure-keyvault', { isRsa: true }],
  ['google-kms', 'google-kms', {}],
  ['vault-transit', 'vault-transit', {}],
]

describe.each(FORMS)('a wrapping key of the kind %s', (_name, kind, form) => {
  async function begin() {
    const subject = await SUBJECTS[kind]()
    onTestFinished(() => subject.double.close())
    const provider = await subject.open()
    const wrap = (reference: string, place = PLACE) => provider.wrap?.(reference, KEY, place, soon()) ?? ''
    const unwrap = (reference: string, wrapped: string, place = PLACE) =>
      provider.unwrap?.(reference, wrapped, place, soon())
    return { ...subject, provider, wrap, unwrap }
  }

  test('wraps a key, and another process unwraps it', async () => {
    const { addWrapping, wrap, open } = await begin()
    const reference = addWrapping('wrapping', form)
    const wrapped = await wrap(reference)
    expect(wrapped).toMatch(/^[\x21-\x7e]{1,4000}$/)
    expect(wrapped).not.toContain(Buffer.from(KEY).toString('base64url'))
    const other = await open()
    expect(Buffer.from((await other.unwrap?.(reference, wrapped, PLACE, soon())) ?? [])).toEqual(Buffer.from(KEY))
  })

  test('refuses a wrapped key that was altered, cut, or that another key wrapped', async () => {
    const { addWrapping, wrap, unwrap } = await begin()
    const [reference, other] = [addWrapping('wrapping', form), addWrapping('other', form)]
    const wrapped = await wrap(reference)
    const middle = Math.floor(wrapped.length / 2)
    const flipped = `${wrapped.slice(0, middle)}${wrapped[middle] === 'A' ? 'B' : 'A'}${wrapped.slice(middle + 1)}`
    for (const text of [flipped, wrapped.slice(0, -8), '', 'x', '../../keys', '\u0000'])
      expect(await failureOf(unwrap(reference, text)), text).toBeInstanceOf(ProviderRefusal)
    expect(await failureOf(unwrap(other, wrapped))).toBeInstanceOf(ProviderRefusal)
  })

  test('refuses a wrapped key of another place, where the provider has authenticated data or a signature', async () => {
    const { addWrapping, wrap, unwrap } = await begin()
    const reference = addWrapping('wrapping', form)
    const wrapped = await wrap(reference)
    const result = await Promise.resolve(unwrap(reference, wrapped, 'envelope-key:other')).catch(
      (error: Error) => error,
    )
    // AES key wrap has no authenticated data. The service then compares the key with the id of its row.
    if (kind === 'azure-keyvault' && form.isRsa !== true)
      expect(Buffer.from(result as Uint8Array)).toEqual(Buffer.from(KEY))
    else expect(result).toBeInstanceOf(ProviderRefusal)
  })

  test.each<[string, WrappingWish, RegExp]>([
    ['must not wrap', { mayWrap: false }, /cannot wrap/],
    ['is disabled', { enabled: false }, /is not enabled|status 4\d\d/],
  ])('refuses a key that %s by name', async (_what, wish, reason) => {
    const { addWrapping, wrap } = await begin()
    const error = await failureOf(Promise.resolve(wrap(addWrapping('wrapping', { ...form, ...wish }))))
    expect(error).toBeInstanceOf(ProviderRefusal)
    expect(error.message).toMatch(reason)
  })

  test('refuses an asymmetric key, with which everybody could wrap, unless a signature protects the wrapped key', async () => {
    const { addWrapping, wrap } = await begin()
    const reference = addWrapping('asymmetric', { isRsa: true })
    if (kind === 'azure-keyvault') expect(await wrap(reference)).toMatch(/^\w+\.[\w-]+\.[\w-]+$/)
    else expect((await failureOf(Promise.resolve(wrap(reference)))).message).toMatch(/cannot wrap/)
  })

  test('is worth a repetition while the provider is away, and a missing permission is a refusal', async () => {
    const { addWrapping, wrap, unwrap, double, forbidden, clock } = await begin()
    const reference = addWrapping('wrapping', form)
    const wrapped = await wrap(reference)
    double.faults.api = () => ({ status: 503, body: {} })
    expect(await failureOf(unwrap(reference, wrapped))).toBeInstanceOf(ProviderUnavailable)
    double.faults.api = () => forbidden
    clock.pass(60)
    await failureOf(unwrap(reference, wrapped))
    const error = await failureOf(unwrap(reference, wrapped))
    expect(error).toBeInstanceOf(ProviderRefusal)
    expect(error.message).not.toContain('hunter2')
  })

  test('serves a whole service: one unwrap at each start, none for a request', async () => {
    const subject = await SUBJECTS[kind]()
    onTestFinished(() => subject.double.close())
    const KEY_ENCRYPTION_PROVIDER = `hsm:${subject.addWrapping('wrapping', form)}`
    const env = { ...(await environmentWith(subject)), KEY_ENCRYPTION_PROVIDER }
    await using service = await startService({ env, clock: subject.clock.now })
    const unwraps = () => subject.double.got.filter(subject.isUnwrap).length
    expect(unwraps()).toBe(1)
    const { databaseUrl, identityProvider } = service
    const [row] = await query<{ wrapping: string }>(databaseUrl, 'SELECT wrapping FROM envelope_keys')
    expect(row?.wrapping).toBe(KEY_ENCRYPTION_PROVIDER)
    await using again = await startService({ env, databaseUrl, identityProvider, clock: subject.clock.now })
    expect(unwraps()).toBe(2)
    const authorization = await again.bearer('alice')
    const body = { type: 'jwt_vc_json', credential_subject: { product: 'Mill' }, format: 'dc+sd-jwt' }
    subject.double.faults.api = () => ({ status: 503, body: {} })
    for (let count = 0; count < 3; count += 1) await again.request('POST', '/credentials/sign', { authorization, body })
    expect(unwraps()).toBe(2)
    subject.double.faults.api = undefined
    const start = () => startService({ env, databaseUrl, identityProvider }).catch((error: Error) => error)
    await query(databaseUrl, 'UPDATE envelope_keys SET id = reverse(id)')
    const swapped = await start()
    expect(swapped).toMatchObject({ name: 'ConfigurationError' })
    expect((swapped as Error).message).toMatch(/^KEY_ENCRYPTION_PROVIDER .*(altered|cannot be unwrapped)/)
    await query(databaseUrl, 'UPDATE envelope_keys SET id = reverse(id)')
    subject.double.faults.api = () => ({ status: 503, body: {} })
    const away = await start()
    expect(away).toMatchObject({ name: 'ConfigurationError' })
    expect((away as Error).message).toContain(`KEY_ENCRYPTION_PROVIDER (${KEY_ENCRYPTION_PROVIDER})`)
    for (const secret of subject.secrets()) expect((away as Error).message).not.toContain(secret)
  })
})

test('an attacker cannot insert a key that the public part of an RSA key wraps', async () => {
  const subject = await SUBJECTS['azure-keyvault']()
  onTestFinished(() => subject.double.close())
  const provider = await subject.open()
  const reference = subject.addWrapping('wrapping', { isRsa: true })
  const wrapped = (await provider.wrap?.(reference, KEY, PLACE, soon())) ?? ''
  const [version = '', , signature = ''] = wrapped.split('.')
  const own = randomBytes(32)
  const key = subject.double.chest.wrapping.get('wrapping')?.rsa?.publicKey
  if (key === undefined) throw new Error('There is no key.')
  const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  const planted = publicEncrypt({ key, ...oaep }, own).toString('base64url')
  for (const text of [`${version}.${planted}`, `${version}.${planted}.${signature}`, `${version}.${planted}.AA`])
    expect(await failureOf(provider.unwrap?.(reference, text, PLACE, soon())), text).toBeInstanceOf(ProviderRefusal)
  expect(subject.double.got.filter(subject.isUnwrap)).toEqual([])
})
