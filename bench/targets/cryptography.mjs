import { exportJWK, generateKeyPair as generateJoseKeyPair, jwtVerify, SignJWT } from 'jose'
import { answerMemory } from './memory.mjs'

// What the signatures themselves cost, in a process that does nothing else, with the service's own functions.
const dist = new URL('../../dist/server/', import.meta.url)
const { createSigner, generateKeyPair, signCompact, verifyCompact } = await import(
  new URL('protocol/jose/jws.js', dist).href
)

const { privateJwk, publicJwk } = await generateKeyPair('ES256')
const signer = await createSigner(privateJwk, 'did:example:issuer#key-1')
const claims = { iss: 'did:example:issuer', vc: { credentialSubject: { productName: 'Espresso machine' } } }
const jws = await signCompact(signer, { typ: 'JWT' }, claims)

const rsa = await generateJoseKeyPair('RS256')
const token = await new SignJWT({ sub: 'alice' })
  .setProtectedHeader({ alg: 'RS256', kid: 'key-1' })
  .setExpirationTime('1d')
  .sign(rsa.privateKey)
await exportJWK(rsa.publicKey)

const operations = {
  sign: () => signCompact(signer, { typ: 'JWT' }, claims),
  verify: () => verifyCompact(jws, publicJwk),
  token: () => jwtVerify(token, rsa.publicKey, { algorithms: ['RS256'] }),
}

answerMemory()
process.on('message', async (message) => {
  if (typeof message !== 'object' || message === null) return
  const { operation, atOnce, seconds } = message
  const run = operations[operation]
  const times = []
  const cpuBefore = process.cpuUsage()
  const started = performance.now()
  const end = started + seconds * 1000
  const actor = async () => {
    while (performance.now() < end) {
      const begun = performance.now()
      await run()
      times.push(performance.now() - begun)
      // Whoever awaits settled promises only would keep the others from beginning.
      if (times.length % 64 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, actor))
  const elapsed = performance.now() - started
  const { user, system } = process.cpuUsage(cpuBefore)
  times.sort((a, b) => a - b)
  process.send?.({
    perSecond: times.length / (elapsed / 1000),
    p50: times[Math.floor(times.length / 2)],
    p99: times[Math.floor(times.length * 0.99)],
    cpuMs: (user + system) / 1000 / times.length,
    residentMiB: process.memoryUsage().rss / 2 ** 20,
  })
})
