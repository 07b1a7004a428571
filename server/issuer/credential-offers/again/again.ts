import type { z } from 'zod'
import { errors } from '../../../api/errors.js'
import { secondsAfter } from '../../../api/moment.js'
import { creatorIn } from '../../../auth/rights.js'
import type { Config } from '../../../config/config.js'
import { isDeadlock } from '../../../database/errors.js'
import type { Metrics } from '../../../metrics/metrics.js'
import { qrCodeDataUri } from '../../../pages/qr-code.js'
import { closedReason } from '../../openid4vci/offer.js'
import type { WalletOffering } from '../../openid4vci/offer-store.js'
import { CONFIDENTIAL_KEY, openConfidential, sealConfidential } from '../../openid4vci/sessions/confidential.js'
import { CANCELLED, isTxCodeLocked, sessionView, UNREDEEMED_STATES } from '../../openid4vci/sessions/session.js'
import { describeTxCode, hashTxCode, newTxCode } from '../../openid4vci/tx-code.js'
import type { Decisions } from '../decide.js'
import { type NewPagePorts, newPageOf } from '../page.js'
import { assertTxCode, txCodeWithAuthorizationCode } from '../prepare.js'
import type { Sender } from '../reach.js'
import type { readCredentialOffer, resendCredentialOffer } from './again.contract.js'
import type { ReadOpenOffer } from './open-offer.js'
import type { NewCode, OfferAgain, OfferAgainStore } from './store.js'

type Answer = z.input<typeof readCredentialOffer.output>
type TxCodeRequest = z.output<typeof resendCredentialOffer.input>['txCode']

/** The highest number of attempts to store a new link. An attempt fails if a wallet changes the session at the same time. */
const ATTEMPTS = 4

/** The offering as a resend makes it: open again if its transaction code is locked and its batch is not cancelled. */
const unlocked = ({ offering, session, batchCancelled }: OfferAgain): WalletOffering =>
  isTxCodeLocked(session) && !batchCancelled
    ? { ...offering, session: { ...session, state: 'Created', errorMessage: null, txCodeAttempts: 0 } }
    : offering

/** Dependencies of {@link createOffersAgain}. */
export interface OffersAgainPorts {
  readonly store: Pick<OfferAgainStore, 'find' | 'cancel' | 'resend'>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'issuerProfile'> & NewPagePorts['config']
  readonly openOffer: ReadOpenOffer
  readonly undecided: Decisions['undecided']
  readonly sealingKey: (label: string) => Uint8Array
  readonly metrics: Pick<Metrics, 'offerSession'>
  readonly random: (length: number) => Uint8Array
  readonly clock: () => Date
  readonly newId: () => string
}

export type OffersAgain = ReturnType<typeof createOffersAgain>

/** Credential offers after they were made: they are read again, cancelled, and sent again. */
export function createOffersAgain(ports: OffersAgainPorts) {
  const { store, config, openOffer, undecided: undecidedOffers, sealingKey, metrics, random, clock, newId } = ports
  const confidentialKey = sealingKey(CONFIDENTIAL_KEY)

  const offerFor = async ({ reach }: Sender, id: string): Promise<OfferAgain> => {
    const found = await store.find(id, creatorIn(reach))
    if (found === undefined) throw errors.credentialOfferNotFound()
    return found
  }

  /** The reason of the offer or of its batch. After an erasure of its claims, an offer has none. */
  const reasonOf = ({ offering, session, sealed, cancelledBatch: batch }: OfferAgain): string | undefined =>
    openConfidential(confidentialKey, session.id, sealed).reason ??
    (batch === undefined || offering.claimsErased
      ? undefined
      : openConfidential(confidentialKey, batch.id, batch.sealed).reason)

  const shown = async (found: OfferAgain): Promise<Answer> => {
    const { offering, session } = found
    const view = { ...sessionView(session), createdBy: session.createdBy, grant: offering.grant }
    const open = openOffer(found)
    if (open !== undefined) return { ...view, ...open, qrCode: await qrCodeDataUri(open.credentialOfferUri) }
    const reason = reasonOf(found)
    const locked = isTxCodeLocked(session) && closedReason(unlocked(found), clock()) === undefined
    return { ...view, ...(locked ? { txCodeLocked: true } : {}), ...(reason === undefined ? {} : { reason }) }
  }

  /** The reason why an offer cannot be cancelled or sent again. */
  const notOpen = ({ session }: OfferAgain) =>
    session.state === 'Error' || UNREDEEMED_STATES.includes(session.state) ? errors.offerEnded() : errors.offerTaken()

  /** @throws 400 for a transaction code that the offer cannot have */
  const newCode = ({ session, offering }: OfferAgain, request: TxCodeRequest): NewCode | undefined => {
    // Wrong attempts locked the earlier code, so the offer gets a new code of the same form.
    const earlier = isTxCodeLocked(session) ? session.txCode : null
    if (request === undefined && earlier === null) return undefined
    if (offering.grant === 'authorization_code') throw txCodeWithAuthorizationCode()
    const description = request === undefined && earlier !== null ? earlier : describeTxCode(request ?? true)
    assertTxCode(offering.profile, description)
    const code = newTxCode(description, random)
    const sealed = sealConfidential(confidentialKey, session.id, { txCode: code })
    return { code, description, sealed, hash: hashTxCode(sealingKey('tx-code'), session.id, code) }
  }

  /** The offer is valid again for as long as at first. An offer of a withdrawn type keeps its end, until which metadata list it. */
  const renewed = ({ session, firstExpiresAt, withdrawn }: OfferAgain, now: Date): Date =>
    withdrawn ? session.expiresAt : secondsAfter(now, (firstExpiresAt.getTime() - session.createdAt.getTime()) / 1000)

  /** Stores a new link. @returns false if a wallet changed the session meanwhile */
  const resendOnce = async (sender: Sender, found: OfferAgain, txCode: NewCode | undefined): Promise<boolean> => {
    const { session, offering, page } = found
    const now = clock()
    if (closedReason(unlocked(found), now) !== undefined)
      throw offering.redemptionCount > 0 && session.state !== 'Error' ? errors.offerTaken() : notOpen(found)
    const expiresAt = renewed(found, now)
    const offer = { id: session.id, expiresAt, deferred: offering.deferred }
    const made = page && newPageOf({ config, clock, newId }, offer, session.createdBy, page)
    const link = { session, expiresAt, txCode, page: made, actor: sender.caller?.sub ?? null, now }
    try {
      return await store.resend(link)
    } catch (error) {
      // Two statements lock the session and an authorization in opposite order.
      if (isDeadlock(error)) return false
      throw error
    }
  }

  return {
    /** An offer with all that its creator received, while it is open. @throws 404 for an offer that the sender does not reach */
    async read(sender: Sender, id: string): Promise<Answer> {
      const found = await offerFor(sender, id)
      const isDeferred = found.offering.deferred
      const undecided = isDeferred ? (await undecidedOffers(sender, [id])).get(id) : undefined
      return { ...(await shown(found)), ...undecided }
    },

    /**
     * Cancels an open offer. A repeat changes nothing.
     *
     * @throws 404 for an offer that the sender does not reach, 409 for an offer that was taken or has ended
     */
    async cancel(
      sender: Sender,
      { id, reason }: { readonly id: string; readonly reason?: string | undefined },
    ): Promise<Answer> {
      await offerFor(sender, id)
      const sealed = reason === undefined ? undefined : sealConfidential(confidentialKey, id, { reason })
      const cancelled = await store.cancel({ id, sealed, actor: sender.caller?.sub ?? null, now: clock() })
      if (cancelled) metrics.offerSession('cancelled')
      const found = await offerFor(sender, id)
      if (found.session.errorMessage !== CANCELLED) throw notOpen(found)
      return shown(found)
    },

    /**
     * Gives an open offer a new link, and a new transaction code if one is requested. Everything of its earlier links is dead. An
     * offer whose transaction code is locked gets a new code and is open again.
     *
     * @throws 400 for a transaction code that the offer cannot have, 404 for an offer that the sender does not reach, 409 for an offer
     *   that was taken or has ended
     */
    async resend(
      sender: Sender,
      { id, txCode }: { readonly id: string; readonly txCode?: TxCodeRequest },
    ): Promise<Answer> {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const found = await offerFor(sender, id)
        if (await resendOnce(sender, found, newCode(found, txCode))) {
          metrics.offerSession('resent')
          return shown(await offerFor(sender, id))
        }
      }
      throw errors.offerSessionChanged()
    },
  }
}
