import express from 'express'
import { startAgent } from './credo/agent.mjs'

// Credo as an issuer and a verifier, with two routes for the backends that make offers and requests. Credo has no such
// routes: its users write them. These two routes authenticate no caller.
const port = Number(process.env.PORT)
const url = `http://127.0.0.1:${port}`
const ID = 'bench'
const CONFIGURATION = 'purchase'

const app = express()
const { agent, didUrl } = await startAgent({
  app,
  issuer: {
    baseUrl: `${url}/issuers`,
    credentialRequestToCredentialMapper: ({ issuanceSession, holderBinding, credentialConfiguration }) => {
      const { subject } = issuanceSession.issuanceMetadata
      return {
        type: 'credentials',
        format: 'dc+sd-jwt',
        credentials: holderBinding.keys.map((holder) => ({
          payload: { vct: credentialConfiguration.vct, iat: Math.floor(Date.now() / 1000), ...subject },
          disclosureFrame: { _sd: Object.keys(subject) },
          holder,
          issuer: { method: 'did', didUrl },
        })),
      }
    },
  },
  verifier: { baseUrl: `${url}/verifiers` },
})
const { issuer, verifier } = agent.openid4vc
await issuer.createIssuer({
  issuerId: ID,
  accessTokenSignerKeyType: { kty: 'EC', crv: 'P-256' },
  credentialConfigurationsSupported: {
    [CONFIGURATION]: {
      format: 'dc+sd-jwt',
      vct: `${url}/vct/purchase`,
      cryptographic_binding_methods_supported: ['did:jwk'],
      credential_signing_alg_values_supported: ['ES256'],
      proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } },
    },
  },
})
await verifier.createVerifier({ verifierId: ID })

const first = express.Router().use(express.json())

first.get('/', (_request, response) => response.sendStatus(200))

first.post('/offers', async (request, response) => {
  const { credentialOffer } = await issuer.createCredentialOffer({
    issuerId: ID,
    credentialConfigurationIds: [CONFIGURATION],
    preAuthorizedCodeFlowConfig: {},
    issuanceMetadata: { subject: request.body.credentialSubject },
    version: 'v1',
  })
  response.status(201).json({ credentialOfferUri: credentialOffer })
})

first.post('/requests', async (request, response) => {
  const { verificationSession } = await verifier.createAuthorizationRequest({
    verifierId: ID,
    requestSigner: { method: 'did', didUrl },
    dcql: { query: request.body.dcqlQuery },
    responseMode: 'direct_post.jwt',
    version: 'v1',
  })
  const { id, authorizationRequestUri } = verificationSession
  response.status(201).json({ verificationSessionId: id, request_uri: authorizationRequestUri })
})

first.get('/results/:id', async (request, response) => {
  const { dcql } = await verifier.getVerifiedAuthorizationResponse(request.params.id)
  const presentations = Object.entries(dcql.presentations)
  response.json(Object.fromEntries(presentations.map(([id, [presentation]]) => [id, presentation.prettyClaims])))
})

app.use('/first-party', first)
process.on('disconnect', () => process.exit())
app.listen(port, '127.0.0.1')
