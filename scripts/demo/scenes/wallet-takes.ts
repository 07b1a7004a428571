import type { CredenceOutputs } from '../../../client/index.js'
import { type Stage, Surprise } from '../stage.js'
import {
  accessToken,
  acknowledge,
  type HeldCredential,
  type ScannedOffer,
  scanOffer,
  takeCredential,
} from '../wallet/receive.js'
import type { Wallet } from '../wallet/wallet.js'
import { draw } from './offer.js'
import { purchase, TYPE } from './purchase.js'

type CredentialOffer = CredenceOutputs['credentialOffers']['create']

async function makeOffer(stage: Stage): Promise<CredentialOffer & { readonly txCode: string }> {
  stage.step('The shop makes an offer for one wallet, with a transaction code that it tells Alice apart from it')
  const made = await stage.credence.credentialOffers.create.mutate({
    credentialConfigurationIds: [TYPE, `${TYPE}-sd-jwt`],
    credentialSubject: purchase('Espresso machine'),
    txCode: true,
  })
  await draw(stage, made.credentialOfferUri)
  stage.saw('it says', made.credentialOfferUri)
  stage.saw('transaction code', made.txCode)
  if (made.txCode === undefined) throw new Surprise('There is no transaction code, though one was asked for.')
  return { ...made, txCode: made.txCode }
}

/** Sends a wrong transaction code. Returns the answer of the token endpoint. */
async function mistype(stage: Stage, wallet: Wallet, scanned: ScannedOffer, txCode: string): Promise<void> {
  stage.step('Alice mistypes the transaction code')
  const wrong = txCode.replace(/\d/g, (digit) => String((Number(digit) + 1) % 10))
  const refusal = await accessToken(wallet, scanned, wrong).then(
    () => 'an access token',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  stage.saw('the wallet says', refusal)
  stage.mustBe('that the token endpoint refuses it', refusal.includes('invalid_grant'), true)
}

async function take(stage: Stage, wallet: Wallet, scanned: ScannedOffer, txCode: string): Promise<HeldCredential[]> {
  stage.step('She types it right, and the wallet takes both formats')
  const token = await accessToken(wallet, scanned, txCode)
  const held: HeldCredential[] = []
  for (const id of scanned.offer.credential_configuration_ids) {
    const credential = await takeCredential(wallet, scanned, token, id)
    stage.saw(credential.format, credential.compact)
    held.push(credential)
  }
  for (const { notificationId } of held) {
    if (notificationId !== undefined) await acknowledge(wallet, scanned, token, notificationId)
  }
  return held
}

/** A wallet scans a QR code and takes a credential in both formats over OpenID4VCI. */
export async function walletTakes(stage: Stage, wallet: Wallet): Promise<HeldCredential[]> {
  const made = await makeOffer(stage)
  stage.step(`${wallet.owner}'s wallet scans it`)
  const scanned = await scanOffer(wallet, made.credentialOfferUri)
  stage.saw('issuer', scanned.metadata.credentialIssuer.credential_issuer)
  stage.saw('it offers', scanned.offer.credential_configuration_ids)
  stage.mustBe('what is offered', scanned.offer.credential_configuration_ids, [TYPE, `${TYPE}-sd-jwt`])
  await mistype(stage, wallet, scanned, made.txCode)
  const held = await take(stage, wallet, scanned, made.txCode)
  stage.mustBe('the formats', held.map(({ format }) => format).sort(), ['dc+sd-jwt', 'jwt_vc_json'])
  for (const { format, compact } of held) {
    const answer = await stage.credence.verify.verify.mutate({ credential: compact })
    stage.mustBe(`the validity of the ${format}`, answer.isValid, true)
  }
  stage.step('The shop looks how it went')
  const { state } = await stage.credence.credentialOffers.session.query({ id: made.credentialOfferSessionId })
  stage.saw('state of the offer', state)
  stage.mustBe('its state', state, 'Accepted')
  return held
}
