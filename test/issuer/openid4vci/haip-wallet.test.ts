import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expect, it } from 'vitest'
import { SD_JWT, SUBJECT } from './actors.js'
import { startHaip } from './haip-actors.js'
import { haipLibraryWallet } from './haip-library-wallet.js'

/** Each credential contains the wallet's key and the issuer's certificates. */
function expectHaip(credentials: readonly string[], holder: { publicJwk: { x?: string } }, issuer: string): void {
  expect(credentials).toHaveLength(2)
  for (const credential of credentials) {
    const [jwt = ''] = credential.split('~')
    expect(decodeJwt(jwt)).toMatchObject({ iss: issuer, cnf: { jwk: { x: holder.publicJwk.x } } })
    expect(decodeProtectedHeader(jwt)).toMatchObject({
      typ: 'dc+sd-jwt',
      alg: 'ES256',
      x5c: [{}, {}].map(() => expect.any(String)),
    })
  }
}

it('@openid4vc/openid4vci takes an offer under HAIP 1.0: PAR, PKCE, DPoP, wallet attestation, a key attestation in the proof, refresh', async () => {
  const { issuer, close } = await startHaip()
  try {
    const wallet = await haipLibraryWallet(issuer)
    const made = await issuer.makeOffer({ credentialConfigurationIds: [SD_JWT] })
    const taken = await wallet.takeOffer(made.credentialOfferUri)
    expect(taken.tokenType).toBe('DPoP')
    expectHaip(taken.credentials, wallet.holder, issuer.service.config.issuerBaseUrl)
  } finally {
    await close()
  }
})

it('and can begin without an offer, by scope, if its user can sign in', async () => {
  const { issuer, close } = await startHaip({ ISSUER_PROFILE: 'haip', AUTH_DISABLED: 'true' })
  try {
    const wallet = await haipLibraryWallet(issuer)
    await issuer.makeOffer({
      credentialConfigurationIds: [SD_JWT],
      credentialSubject: SUBJECT,
      forSubject: 'local-admin',
    })
    const { issuerBaseUrl } = issuer.service.config
    const taken = await wallet.takeFrom({
      credential_issuer: issuerBaseUrl,
      credential_configuration_ids: [SD_JWT],
      grants: { authorization_code: {} },
    })
    expectHaip(taken.credentials, wallet.holder, issuerBaseUrl)
  } finally {
    await close()
  }
})
