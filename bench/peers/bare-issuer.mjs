import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { Oauth2AuthorizationServer, Oauth2ResourceServer, setGlobalConfig } from '@openid4vc/oauth2'
import { Openid4vciIssuer, Openid4vciVersion } from '@openid4vc/openid4vci'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import express from 'express'
import { callbacksOf, publicJwkOf, signText } from './bare-issuer/callbacks.mjs'

// An issuer that consists only of the libraries (OpenID4VCI, OAuth, SD-JWT VC) and Express. All state is in memory.
const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'
const CONFIGURATION = 'purchase'
const TOKEN_SECONDS = 300
const port = Number(process.env.PORT)
const url = `http://127.0.0.1:${port}`
setGlobalConfig({ allowInsecureUrls: true })

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const privateJwk = pair.privateKey.export({ format: 'jwk' })
const publicJwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'key-1', alg: 'ES256', use: 'sig' }
const jwks = { keys: [publicJwk] }
const callbacks = {
  ...callbacksOf({ privateJwk, publicJwk }),
  // For each access token the library fetches the keys of its own server. This function answers the fetch without a
  // request.
  fetch: async () => new Response(JSON.stringify(jwks), { headers: { 'content-type': 'application/jwk-set+json' } }),
}
const issuer = new Openid4vciIssuer({ callbacks })
const authorizationServer = new Oauth2AuthorizationServer({ callbacks })
const resourceServer = new Oauth2ResourceServer({ callbacks })
const signingKey = createPrivateKey({ key: privateJwk, format: 'jwk' })
const sdJwtVc = new SDJwtVcInstance({
  signer: (data) => signText(signingKey, data),
  signAlg: 'ES256',
  hasher: (data, algorithm) => createHash(algorithm.replace('-', '')).update(data).digest(),
  hashAlg: 'sha-256',
  saltGenerator: (length) => randomBytes(length).toString('base64url'),
})

const credentialIssuer = issuer.createCredentialIssuerMetadata({
  credential_issuer: url,
  credential_endpoint: `${url}/credential`,
  nonce_endpoint: `${url}/nonce`,
  credential_configurations_supported: {
    [CONFIGURATION]: {
      format: 'dc+sd-jwt',
      vct: `${url}/vct/purchase`,
      cryptographic_binding_methods_supported: ['did:jwk'],
      credential_signing_alg_values_supported: ['ES256'],
      proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } },
    },
  },
})
const server = authorizationServer.createAuthorizationServerMetadata({
  issuer: url,
  token_endpoint: `${url}/token`,
  jwks_uri: `${url}/jwks`,
  grant_types_supported: [PRE_AUTHORIZED],
  'pre-authorized_grant_anonymous_access_supported': true,
})
const issuerMetadata = {
  originalDraftVersion: Openid4vciVersion.V1,
  credentialIssuer,
  authorizationServers: [server],
  knownCredentialConfigurations: issuer.getKnownCredentialConfigurationsSupported(credentialIssuer),
}

/** Offers by id, by their unused code, and by their used code until the credential is taken. */
const offers = new Map()
const open = new Map()
const redeemed = new Map()
const nonces = new Map()

/** Returns and removes a value that may be used once. */
function used(map, key) {
  const value = map.get(key)
  if (!map.delete(key)) throw new Error(`${key} is unknown or was used.`)
  return value
}

/** Converts a request to the library's format. @param request the request of Express */
const requestOf = (request) => ({
  method: request.method,
  url: `${url}${request.originalUrl}`,
  headers: new Headers(request.headers),
})

const app = express()

app.get('/first-party', (_request, response) => response.sendStatus(200))

app.post('/first-party/offers', express.json(), async (request, response) => {
  const id = randomUUID()
  const { credentialOffer, credentialOfferObject } = await issuer.createCredentialOffer({
    issuerMetadata,
    credentialConfigurationIds: [CONFIGURATION],
    grants: { [PRE_AUTHORIZED]: {} },
    credentialOfferUri: `${url}/offers/${id}`,
  })
  const code = credentialOfferObject.grants[PRE_AUTHORIZED]['pre-authorized_code']
  const offer = { code, offer: credentialOfferObject, subject: request.body.credentialSubject }
  offers.set(id, offer)
  open.set(code, offer)
  response.status(201).json({ credentialOfferUri: credentialOffer })
})

app.get('/offers/:id', (request, response) => response.json(offers.get(request.params.id).offer))
app.get('/.well-known/openid-credential-issuer', (_request, response) => response.json(credentialIssuer))
app.get('/.well-known/oauth-authorization-server', (_request, response) => response.json(server))
app.get('/jwks', (_request, response) => response.json(jwks))

app.post('/token', express.urlencoded({ extended: false }), async (request, response) => {
  const { grant, accessTokenRequest } = authorizationServer.parseAccessTokenRequest({
    accessTokenRequest: request.body,
    request: requestOf(request),
  })
  const offer = used(open, grant.preAuthorizedCode)
  await authorizationServer.verifyPreAuthorizedCodeAccessTokenRequest({
    grant,
    accessTokenRequest,
    request: requestOf(request),
    expectedPreAuthorizedCode: offer.code,
    authorizationServerMetadata: server,
  })
  const answer = await authorizationServer.createAccessTokenResponse({
    audience: url,
    authorizationServer: url,
    expiresInSeconds: TOKEN_SECONDS,
    subject: offer.code,
    signer: { method: 'jwk', alg: 'ES256', publicJwk },
  })
  redeemed.set(offer.code, offer)
  response.json(answer)
})

app.post('/nonce', (_request, response) => {
  const nonce = randomBytes(32).toString('base64url')
  nonces.set(nonce, Date.now() + TOKEN_SECONDS * 1000)
  response.json(issuer.createNonceResponse({ cNonce: nonce, cNonceExpiresIn: TOKEN_SECONDS }))
})

app.post('/credential', express.json(), async (request, response) => {
  const { tokenPayload } = await resourceServer.verifyResourceRequest({
    authorizationServers: [server],
    request: requestOf(request),
    resourceServer: url,
  })
  const { proofs } = issuer.parseCredentialRequest({ issuerMetadata, credentialRequest: request.body })
  const [jwt] = proofs.jwt
  const { nonce } = JSON.parse(Buffer.from(jwt.split('.')[1], 'base64url').toString())
  const { signer } = await issuer.verifyCredentialRequestJwtProof({
    issuerMetadata,
    jwt,
    expectedNonce: nonce,
    nonceExpiresAt: new Date(used(nonces, nonce)),
  })
  const { subject } = used(redeemed, tokenPayload.sub)
  const payload = { iss: url, iat: Math.floor(Date.now() / 1000), vct: `${url}/vct/purchase`, ...subject }
  const credential = await sdJwtVc.issue(
    { ...payload, cnf: { kid: signer.didUrl, jwk: publicJwkOf(signer) } },
    { _sd: Object.keys(subject) },
    { header: { kid: publicJwk.kid } },
  )
  const credentialResponse = issuer.createCredentialResponse({
    credentialRequest: { proofs },
    credentials: [{ credential }],
  })
  response.json(credentialResponse)
})

process.on('disconnect', () => process.exit())
app.listen(port, '127.0.0.1')
