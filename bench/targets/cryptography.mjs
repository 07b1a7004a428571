import { accessTokenCheck } from './access-tokens.mjs'
import { answerOperations } from './operations.mjs'

// A program for comparison. It only makes and checks signatures, with the service's own functions.
const dist = new URL(process.env.BENCH_DIST ?? '../../dist/server/', import.meta.url)
const { createSigner, generateKeyPair, signCompact, verifyCompact } = await import(
  new URL('protocol/jose/jws.js', dist).href
)

const { privateJwk, publicJwk } = await generateKeyPair('ES256')
const signer = await createSigner(privateJwk, 'did:example:issuer#key-1')
const claims = { iss: 'did:example:issuer', vc: { credentialSubject: { productName: 'Espresso machine' } } }
const jws = await signCompact(signer, { typ: 'JWT' }, claims)

answerOperations({
  sign: () => signCompact(signer, { typ: 'JWT' }, claims),
  verify: () => verifyCompact(jws, publicJwk),
  token: await accessTokenCheck(dist),
})
