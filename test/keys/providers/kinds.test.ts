import { createPublicKey, randomBytes } from 'node:crypto'
import { compactVerify, importJWK, type JWK } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type KeyProvider,
  type ProviderKey,
  ProviderRefusal,
  ProviderUnavailable,
} from '../../../server/keys/providers/provider.js'
import type { Reply } from './doubles/double.js'
import { opensslAccepts as accepts } from './foreign.js'
import { SUBJECTS, type Subject } from './subjects.js'

const soon = () => AbortSignal.timeout(30_000)
const DATA = Buffer.from('eyJhbGciOiJFUzI1NiJ9.eyJnaXZlbl9uYW1lIjoiTWFyaWEifQ')

/** Whether `jose` accepts a signature (RFC 7515 §5.2). */
async function joseAccepts({ publicJwk, alg }: ProviderKey, header: string, payload: string, signature: Uint8Array) {
  const jws = `${header}.${payload}.${Buffer.from(signature).toString('base64url')}`
  // jose has no ES256K.
  if (alg === 'ES256K') return true
  return compactVerify(jws, await importJWK(publicJwk as JWK, alg)).then(
    () => true,
    () => false,
  )
}

const opensslAccepts = ({ publicJwk, alg }: ProviderKey, data: Uint8Array, signature: Uint8Array) =>
  accepts(createPublicKey({ key: publicJwk as JWK, format: 'jwk' }), alg, data, signature)

const failureOf = async (work: Promise<unknown>): Promise<Error> => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(Error)
  return thrown as Error
}

describe.each(Object.entries(SUBJECTS))('a key provider of the kind %s', (_kind, start) => {
  async function begin(): Promise<
    Subject & { readonly provider: KeyProvider; refusalOf: (work: Promise<unknown>) => Promise<string> }
  > {
    const subject = await start()
    onTestFinished(() => subject.double.close())
    const provider = await subject.open()
    /** The message of a refusal, which holds no secret and no text of the provider. */
    const refusalOf = async (work: Promise<unknown>) => {
      const error = await failureOf(work)
      expect(error).toBeInstanceOf(ProviderRefusal)
      for (const secret of [...subject.secrets(), 'hunter2']) expect(error.message).not.toContain(secret)
      expect(error.message).toContain('hsm')
      return error.message
    }
    return { ...subject, provider, refusalOf }
  }

  test('cannot bring a text of its own into a message, also in place of an error code', async () => {
    const { provider, double, add, refusalOf } = await begin()
    const text = 'Token hunter2 is wrong'
    const error = { code: text, status: text, message: text }
    double.faults.api = () => ({ status: 400, body: { __type: text, code: text, error, errors: [text] } })
    expect(await refusalOf(provider.find(add('coded'), soon()))).toContain('status 400')
  })

  test('makes a key, finds it again and signs: jose and openssl accept the signature', async () => {
    const { provider, algorithms, open } = await begin()
    expect(provider.algorithms).toEqual(algorithms)
    for (const alg of provider.algorithms) {
      const key = await provider.generate(`issuer-${alg.toLowerCase()}`, alg, soon())
      expect(key.alg).toBe(alg)
      expect(Object.keys(key.publicJwk).sort()).toEqual(
        alg === 'EdDSA' ? ['crv', 'kty', 'x'] : ['crv', 'kty', 'x', 'y'],
      )
      expect(key.reference.length).toBeLessThanOrEqual(1000)
      expect(await provider.find(key.reference, soon())).toEqual(key)

      const header = Buffer.from(JSON.stringify({ alg })).toString('base64url')
      const payload = Buffer.from(JSON.stringify({ given_name: 'Maria' })).toString('base64url')
      const data = Buffer.from(`${header}.${payload}`)
      // Another process signs with the stored key and has never found it.
      const other = await open()
      const signature = await other.sign(JSON.parse(JSON.stringify(key)) as ProviderKey, data, soon())
      expect(await joseAccepts(key, header, payload, signature)).toBe(true)
      expect(await opensslAccepts(key, data, signature)).toBe(true)
      expect(await opensslAccepts(key, Buffer.concat([data, Buffer.from('x')]), signature)).toBe(false)
    }
  })

  test('signatures have their full length, also if r or s begins with zeros (RFC 7518 §3.4)', async () => {
    const { provider, add } = await begin()
    const key = await provider.find(add('payments'), soon())
    const all = await Promise.all(Array.from({ length: 12 }, () => provider.sign(key, randomBytes(20), soon())))
    expect(all.map(({ length }) => length)).toEqual(all.map(() => 64))
  })

  test('claims do not leave the service: the provider gets a hash', async () => {
    const { provider, add, double, isSign, signedOctets } = await begin()
    const key = await provider.find(add('payments'), soon())
    await provider.sign(key, DATA, soon())
    const [got, ...others] = double.got.filter(isSign)
    expect(others).toEqual([])
    expect(got && signedOctets(got).length).toBe(32)
    for (const { body, path } of double.got) expect(`${path} ${body}`).not.toContain('eyJnaXZlbl9uYW1lIjoiTWFyaWEifQ')
  })

  test('a key on another curve is refused, by its curve', async () => {
    const { provider, add, refusalOf } = await begin()
    expect(await refusalOf(provider.find(add('wide', { curve: 'P-521' }), soon()))).toMatch(/P-?521/i)
  })

  test('a key that may not sign is refused', async () => {
    const { provider, add, refusalOf } = await begin()
    expect(await refusalOf(provider.find(add('other-use', { maySign: false }), soon()))).toContain('may not sign')
  })

  test('a key that is not enabled is refused when it is found, and does not sign', async () => {
    const { provider, add, double, refusalOf } = await begin()
    const reference = add('payments')
    const key = await provider.find(reference, soon())
    double.chest.change('payments', { enabled: false })
    expect(await refusalOf(provider.find(reference, soon()))).toMatch(/not enabled|min_encryption_version/)
    await refusalOf(provider.sign(key, DATA, soon()))
  })

  test('an unknown key is refused', async () => {
    const { provider, refusalOf, add } = await begin()
    await refusalOf(provider.find(add('payments').replace('payments', 'absent'), soon()))
  })

  test.each(['../../v1/sys/seal', 'a/../b', 'a?b=c', 'a#b', 'https://evil.example/keys/a/b', ''])(
    'the reference %j leads to no other address',
    async (reference) => {
      const { provider, double, kind } = await begin()
      const before = double.got.length
      const error = await failureOf(provider.find(reference, soon()))
      expect(error).toBeInstanceOf(ProviderRefusal)
      const paths = double.got.slice(before).map(({ path }) => path)
      // KMS has one path, and gets the name of the key in the body.
      expect(paths.filter((path) => !/token|login|container/.test(path))).toEqual(kind === 'aws-kms' ? ['/'] : [])
    },
  )

  test('a missing permission is a refusal, for each operation', async () => {
    const { provider, add, double, forbidden, refusalOf, clock } = await begin()
    const key = await provider.find(add('payments'), soon())
    double.faults.api = () => forbidden
    const attempts = [
      () => provider.sign(key, DATA, soon()),
      () => provider.find(key.reference, soon()),
      () => provider.generate('new', 'ES256', soon()),
    ]
    for (const attempt of attempts) {
      // Vault answers alike for an ended token, so an old token is replaced once.
      clock.pass(60)
      const first = await failureOf(attempt())
      if (!(first instanceof ProviderRefusal)) expect(first).toBeInstanceOf(ProviderUnavailable)
      expect(await refusalOf(attempt())).toContain(String(forbidden.status))
    }
  })

  test.each([429, 500, 503])('the status %i is worth a repetition', async (status) => {
    const { provider, add, double } = await begin()
    const key = await provider.find(add('payments'), soon())
    double.faults.api = () => ({ status, body: { error: 'hunter2' } })
    const error = await failureOf(provider.sign(key, DATA, soon()))
    expect(error).toBeInstanceOf(ProviderUnavailable)
    expect(error.message).toContain(String(status))
    expect(error.message).not.toContain('hunter2')
    double.faults.api = undefined
    await provider.sign(key, DATA, soon())
  })

  test('a key is generated by one request, also if the answer is an error', async () => {
    const { provider, double, isGenerate } = await begin()
    double.faults.api = () => ({ status: 500, body: {} })
    expect(await failureOf(provider.generate('once', 'ES256', soon()))).toBeInstanceOf(ProviderUnavailable)
    expect(double.got.filter(isGenerate).length).toBe(1)
  })

  test('the signal ends a call whose provider hangs', async () => {
    const { provider, add, double } = await begin()
    const key = await provider.find(add('payments'), soon())
    double.faults.api = () => 'handled'
    const started = performance.now()
    expect(await failureOf(provider.sign(key, DATA, AbortSignal.timeout(200)))).toBeInstanceOf(Error)
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  test('the signal of one caller does not end the login that other callers wait for', async () => {
    const { provider, add, double } = await begin()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    double.faults.credentials = (_got, response) => {
      held.then(() => response.writeHead(503).end())
      return 'handled'
    }
    const reference = add('payments')
    const first = provider.find(reference, AbortSignal.timeout(100))
    const second = provider.find(reference, soon())
    expect((await failureOf(first)).name).toBe('TimeoutError')
    release()
    expect(await failureOf(second)).toBeInstanceOf(ProviderUnavailable)
    double.faults.credentials = undefined
    expect((await provider.find(reference, soon())).alg).toBe('ES256')
  })

  test.each<[string, Reply]>([
    ['is no JSON', { status: 200, body: '<html>hunter2</html>' }],
    ['is an array', { status: 200, body: [] }],
    ['is empty', { status: 200, body: {} }],
    ['is a redirect', { status: 307, body: '', headers: { location: 'https://evil.example/' } }],
    ['has a text that is too long', { status: 200, body: { signature: 'A'.repeat(200_000) } }],
  ])('an answer that %s is no signature, and worth a repetition', async (_what, reply) => {
    const { provider, add, double } = await begin()
    const key = await provider.find(add('payments'), soon())
    double.faults.api = () => reply
    for (const work of [() => provider.sign(key, DATA, soon()), () => provider.find(key.reference, soon())]) {
      const error = await failureOf(work())
      expect(error.message).not.toContain('hunter2')
      // Vault promises by a member that a key cannot be exported; without the member the key is refused.
      if (!(error instanceof ProviderRefusal && /exportable|may not sign|not enabled|of type/.test(error.message)))
        expect(error).toBeInstanceOf(ProviderUnavailable)
    }
  })

  test.each([302, 307])('a redirect (%i) is not followed, so no other address gets the credentials', async (status) => {
    const { provider, add, double } = await begin()
    const key = await provider.find(add('payments'), soon())
    double.faults.api = ({ path }) =>
      path === '/elsewhere' ? undefined : { status, body: '', headers: { location: `${double.origin}/elsewhere` } }
    expect(await failureOf(provider.find(key.reference, soon()))).toBeInstanceOf(ProviderUnavailable)
    expect(await failureOf(provider.sign(key, DATA, soon()))).toBeInstanceOf(ProviderUnavailable)
    expect(double.got.filter(({ path }) => path === '/elsewhere')).toEqual([])
  })

  test('an endless answer is cut off', async () => {
    const { provider, add, double } = await begin()
    const key = await provider.find(add('payments'), soon())
    let sent = 0
    double.faults.api = (_got, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        while (!response.destroyed && sent < 100_000_000) {
          sent += 65_536
          if (!response.write(Buffer.alloc(65_536, 32))) break
        }
      }
      response.on('drain', more)
      more()
      return 'handled'
    }
    expect(await failureOf(provider.sign(key, DATA, soon()))).toBeInstanceOf(ProviderUnavailable)
    expect(sent).toBeLessThan(20_000_000)
  })

  test.each(['', 'AA==', '!!', 'MAYCAQECAQE=', 'A'.repeat(87), 'A'.repeat(86)])(
    'a signature %j in an otherwise right answer is refused or does not fit',
    async (signature) => {
      const { provider, add, double, withSignature, isSign } = await begin()
      const key = await provider.find(add('payments'), soon())
      double.faults.api = (got) => (isSign(got) ? { status: 200, body: withSignature({}, signature) } : undefined)
      const made = await provider.sign(key, DATA, soon()).catch((error: unknown) => error)
      // 86 characters are 64 octets: the wrapper's verification refuses the signature.
      if (made instanceof Uint8Array) expect(await opensslAccepts(key, DATA, made)).toBe(false)
      else expect(made).toBeInstanceOf(ProviderUnavailable)
    },
  )

  test('many calls at once log in once', async () => {
    const { provider, add, double } = await begin()
    const reference = add('payments')
    await Promise.all(Array.from({ length: 20 }, () => provider.find(reference, soon())))
    expect(double.issued.size).toBe(1)
  })

  test('credentials are renewed before their end, while calls go on', async () => {
    const { provider, add, double, clock } = await begin()
    const key = await provider.find(add('payments'), soon())
    const logins = () => double.got.filter((got) => /token|login|container|renew/.test(got.path)).length
    const before = logins()
    await provider.sign(key, DATA, soon())
    expect(logins()).toBe(before)

    // The service of credentials is away near the end of the credential. The credential is still good.
    clock.pass(3600 - 200)
    double.faults.credentials = () => ({ status: 503, body: {} })
    await provider.sign(key, DATA, soon())
    await expect.poll(logins).toBeGreaterThan(before)
    double.faults.credentials = undefined
    clock.pass(30)
    const isRenewed = () =>
      [...double.issued.values()].some(({ expiresAt }) => expiresAt > clock.now().getTime() + 3000_000)
    const signed = async () => isRenewed() || (await provider.sign(key, DATA, soon()).then(isRenewed))
    await expect.poll(signed).toBe(true)

    // The first credential has ended. The second credential is used without another login.
    clock.pass(400)
    const renewed = logins()
    await provider.sign(key, DATA, soon())
    expect(logins()).toBe(renewed)
  })

  test('a credential that the provider ended is replaced: one call fails and is worth a repetition', async () => {
    const { provider, add, revoke, clock } = await begin()
    const key = await provider.find(add('payments'), soon())
    clock.pass(60)
    revoke()
    expect(await failureOf(provider.sign(key, DATA, soon()))).toBeInstanceOf(ProviderUnavailable)
    expect(await opensslAccepts(key, DATA, await provider.sign(key, DATA, soon()))).toBe(true)
  })

  test('a refused login is a refusal that names no secret', async () => {
    const { provider, double, refusalOf, kind } = await begin()
    double.faults.credentials = () => ({
      status: kind === 'vault-transit' ? 400 : 401,
      body: { error: 'invalid_client', errors: ['hunter2'] },
    })
    await refusalOf(provider.check(soon()))
  })

  test('the check accepts a provider that knows the credentials, and nothing else', async () => {
    const { provider, double, revoke, clock } = await begin()
    await provider.check(soon())
    expect(double.got.some(({ method, path }) => method !== 'GET' && /sign|create/i.test(path))).toBe(false)
    clock.pass(60)
    revoke()
    expect(await failureOf(provider.check(soon()))).toBeInstanceOf(ProviderUnavailable)
    await provider.check(soon())
    await double.close()
    expect(await failureOf(provider.check(soon()))).toBeInstanceOf(ProviderUnavailable)
  })
})

describe.each(['azure-keyvault', 'vault-transit'] as const)('%s can export keys', (kind) => {
  test('a key that can be exported is refused', async () => {
    const subject = await SUBJECTS[kind]()
    onTestFinished(() => subject.double.close())
    const provider = await subject.open()
    const error = await failureOf(provider.find(subject.add('payments', { exportable: true }), soon()))
    expect(error).toBeInstanceOf(ProviderRefusal)
    expect(error.message).toContain('can be exported')
  })
})

describe.each(['azure-keyvault', 'google-kms'] as const)('%s has keys in software', (kind) => {
  test('a key outside a hardware module is refused where the settings ask for a module', async () => {
    const subject = await SUBJECTS[kind]()
    onTestFinished(() => subject.double.close())
    const provider = await subject.open()
    const error = await failureOf(provider.find(subject.add('soft', { inHardware: false }), soon()))
    expect(error).toBeInstanceOf(ProviderRefusal)
    expect(error.message).toContain('lies in no hardware module')
  })
})
