import { hash, randomBytes, X509Certificate } from 'node:crypto'
import { answerOperations } from './operations.mjs'

// A program that shows the cost of each credential format alone. It calls the service's own functions and does no other
// work. The mobile document and the SD-JWT VC have the same claims and an issuer with a certificate. All claims are
// presented.
const dist = new URL(process.env.BENCH_DIST ?? '../../dist/server/', import.meta.url)
const load = (path) => import(new URL(path, dist).href)
const { standardFormats: formats } = await load('formats/registry.js')
const { x5cIssuerKey } = await load('protocol/issuer-keys/x5c-issuer.js')
const { createSigner, generateKeyPair, signCompact } = await load('protocol/jose/jws.js')
const { presentMdoc, redirectTranscript } = await load('protocol/mdoc/mdoc.js')
const { Work } = await load('protocol/work.js')

const { root, leaf, privateJwk, subject, body, mdoc, namespace } = JSON.parse(process.env.FORMATS ?? '')
const ISSUER = 'https://issuer.example'
const VERIFIER = 'x509_hash:verifier'
const NONCE = 'n-0S6_WzA2Mj'
const RESPONSE_URI = 'https://verifier.example/openid4vp/response'
const UNBOUNDED = new Work(Number.POSITIVE_INFINITY)

const installation = { issuerBaseUrl: ISSUER, sdJwtIssuer: 'url' }
const signer = await createSigner(privateJwk, 'did:web:issuer.example#key-1')
const holderKeys = await generateKeyPair('ES256')
const holder = await createSigner(holderKeys.privateJwk, 'holder')
const now = new Date()

let index = 0
const issue = async (format) => {
  index += 1
  const { compact } = await formats.named(format).issuing.sign({
    signer,
    issuerDid: 'did:web:issuer.example',
    x5c: [leaf],
    installation,
    type: { name: 'Licence', selectivelyDisclosable: null, body, mdoc },
    schema: { id: `${ISSUER}/schemas/1`, type: 'JsonSchemaValidator2018' },
    subject,
    binding: { holderKey: holderKeys.publicJwk },
    id: '0b7c5e0e-5d0f-4b0c-9f0a-3a3f7a1f2c11',
    status: { token: { uri: `${ISSUER}/token-status-lists/1`, idx: index } },
    issuedAt: now,
    expiresAt: new Date(now.getTime() + 30 * 86_400_000),
    randomBytes: (length) => new Uint8Array(randomBytes(length)),
  })
  return compact
}

const presentations = {
  'dc+sd-jwt': async () => {
    const sdJwt = await issue('dc+sd-jwt')
    const binding = {
      iat: Math.floor(now.getTime() / 1000),
      aud: VERIFIER,
      nonce: NONCE,
      sd_hash: hash('sha256', sdJwt, 'base64url'),
    }
    return `${sdJwt}${await signCompact(holder, { typ: 'kb+jwt', kid: undefined }, binding)}`
  },
  mso_mdoc: async () =>
    presentMdoc({
      issuerSigned: await issue('mso_mdoc'),
      disclose: Object.keys(subject).map((name) => [namespace, name]),
      sessionTranscript: redirectTranscript({ clientId: VERIFIER, nonce: NONCE, responseUri: RESPONSE_URI }),
      signer: holder,
    }),
}

const trustAnchors = [new X509Certificate(Buffer.from(root, 'base64'))]
const metas = { 'dc+sd-jwt': { vct_values: [`${ISSUER}/vct/Licence`] }, mso_mdoc: { doctype_value: mdoc.doctype } }
const refuse = () => Promise.reject(new Error('Nothing is fetched.'))

const verify = (format, presentation) =>
  formats.named(format).verifying.verifyPresentation(presentation, {
    options: {
      now,
      resolveIssuerKey: async ({ x5c }, { iss }) => x5cIssuerKey(x5c, iss, { trustAnchors, now }),
      work: UNBOUNDED,
    },
    installation,
    nonce: NONCE,
    audience: VERIFIER,
    handover: { clientId: VERIFIER, responseUri: RESPONSE_URI, encryptionKey: undefined },
    requestedAt: new Date(now.getTime() - 1000),
    meta: metas[format],
    claims: [],
    proofRequired: 'always',
    fetchTypeMetadata: refuse,
    holderKeyOfKid: refuse,
    holderKeyOfJwt: refuse,
    checkStatus: async () => {},
    work: UNBOUNDED,
  })

/** Number of different credentials, so that consecutive verifications do not verify the same credential. */
const HELD = 32

const operations = {}
for (const [format, present] of Object.entries(presentations)) {
  const held = []
  while (held.length < HELD) held.push(await present())
  const [{ content }] = await verify(format, held[0])
  const claims = content.claims[namespace] ?? content.claims
  if (Object.keys(claims).length !== Object.keys(subject).length) throw new Error(`${format} shows other claims.`)
  let turn = 0
  operations[`issuing ${format}`] = () => issue(format)
  operations[`verifying ${format}`] = () => {
    turn += 1
    return verify(format, held[turn % HELD])
  }
}
answerOperations(operations)
