import { exportJWK, generateKeyPair as generateJoseKeyPair, jwtVerify, SignJWT } from 'jose'
import { answerOperations } from './operations.mjs'

// What the signatures themselves cost, in a process that does nothing else, with the service's own functions.
const dist = new URL(process.env.BENCH_DIST ?? '../../dist/server/', import.meta.url)
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

answerOperations({
  sign: () => signCompact(signer, { typ: 'JWT' }, claims),
  verify: () => verifyCompact(jws, publicJwk),
  token: () => jwtVerify(token, rsa.publicKey, { algorithms: ['RS256'] }),
})
