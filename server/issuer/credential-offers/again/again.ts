import type { z } from 'zod'
import { errors } from '../../../api/errors.js'
import { secondsAfter } from '../../../api/moment.js'
import type { Caller } from '../../../auth/caller.js'
import { rightsOf } from '../../../auth/rights.js'
import type { Config } from '../../../config/config.js'
import { sqlStateOf } from '../../../database/errors.js'
import type { Metrics } from '../../../metrics/metrics.js'
import { receivePageUrl } from '../../../pages/addresses.js'
import { qrCodeDataUri } from '../../../pages/qr-code.js'
import { offeringFullUrl } from '../../offerings/offering-json.js'
import { closedReason } from '../../openid4vci/offer.js'
import type { Seals } from '../../openid4vci/sealed.js'
import {
  CONFIDENTIAL_KEY,
  type Confidential,
  openConfidential,
  sealConfidential,
} from '../../openid4vci/sessions/confidential.js'
import { CANCELLED, sessionView, UNREDEEMED_STATES } from '../../openid4vci/sessions/session.js'
import { describeTxCode, hashTxCode, newTxCode, txCodeMatches } from '../../openid4vci/tx-code.js'
import { batchRandom } from '../batch/create-batch.js'
import { type NewPagePorts, newPageOf } from '../page.js'
import { assertTxCode, txCodeWithAuthorizationCode } from '../prepare.js'
import type { readCredentialOffer, resendCredentialOffer } from './again.contract.js'
import type { NewCode, OfferAgain, OfferAgainStore } from './store.js'

type Answer = z.input<typeof readCredentialOffer.output>
type TxCodeRequest = z.output<typeof resendCredentialOffer.input>['txCode']

/** The sender of a request: a user, the client secret, or both. */
export interface Sender {
  readonly caller: Caller | undefined
  readonly client: boolean
}

/** The highest number of attempts to store a new link. An attempt fails if a wallet changes the session at the same time. */
const ATTEMPTS = 4

/** Two statements lock the session and an authorization in opposite order. PostgreSQL then ends one of them. */
const DEADLOCK = '40P01'

/** Dependencies of {@link createOffersAgain}. */
export interface OffersAgainPorts {
  readonly store: Pick<OfferAgainStore, 'find' | 'cancel' | 'resend'>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'issuerProfile' | 'issuerRole' | 'verifierRole'> &
    NewPagePorts['config']
  readonly seals: Pick<Seals, 'offerName'>
  readonly sealingKey: (label: string) => Uint8Array
  readonly metrics: Pick<Metrics, 'offerSession'>
  readonly random: (length: number) => Uint8Array
  readonly clock: () => Date
  readonly newId: () => string
}

export type OffersAgain = ReturnType<typeof createOffersAgain>

/** Credential offers after they were made: they are read again, cancelled, and sent again. */
export function createOffersAgain(ports: OffersAgainPorts) {
  const { store, config, seals, sealingKey, metrics, random, clock, newId } = ports
  const confidentialKey = sealingKey(CONFIDENTIAL_KEY)
  const batchRandomOf = batchRandom(sealingKey)

  /**
   * The only creator whose offers the sender reaches; undefined for operators, who reach the offers of all.
   *
   * @throws 404 for a user without the role, if the role is configured
   */
  const creatorFor = ({ caller, client }: Sender): string | undefined => {
    if (client) return undefined
    if (caller === undefined) throw errors.unauthorized()
    if (rightsOf(caller.roles, config).mayIssue) return undefined
    if (config.issuerRole !== undefined) throw errors.credentialOfferNotFound()
    return caller.sub
  }

  const offerFor = async (sender: Sender, id: string): Promise<OfferAgain> => {
    const found = await store.find(id, creatorFor(sender))
    if (found === undefined) throw errors.credentialOfferNotFound()
    return found
  }

  /** The transaction code; undefined if the offer has none, or its code was not stored. */
  const codeOf = ({ session }: OfferAgain, confidential: Confidential): string | undefined => {
    const { id, txCode, txCodeHash } = session
    if (txCode === null || txCodeHash === null || confidential.txCode !== undefined) return confidential.txCode
    const code = newTxCode(txCode, batchRandomOf(id))
    return txCodeMatches(sealingKey('tx-code'), id, code, txCodeHash) ? code : undefined
  }

  const shown = async (found: OfferAgain): Promise<Answer> => {
    const { offering, session, sealed, page, walletUrl } = found
    const confidential = openConfidential(confidentialKey, session.id, sealed)
    const view = { ...sessionView(session), createdBy: session.createdBy, grant: offering.grant }
    if (closedReason(offering, clock()) !== undefined)
      return { ...view, ...(confidential.reason === undefined ? {} : { reason: confidential.reason }) }
    const credentialOfferUri = offeringFullUrl(config, {
      id: seals.offerName({ offeringId: session.id, linkNumber: session.linkNumber }),
      profile: offering.profile,
      walletUrl: walletUrl ?? undefined,
    })
    const code = codeOf(found, confidential)
    return {
      ...view,
      credentialOfferUri,
      qrCode: await qrCodeDataUri(credentialOfferUri),
      ...(page === undefined ? {} : { pageUrl: receivePageUrl(config, page.id) }),
      ...(code === undefined ? {} : { txCode: code }),
    }
  }

  /** The reason why an offer cannot be cancelled or sent again. */
  const notOpen = ({ session }: OfferAgain) =>
    session.state === 'Error' || UNREDEEMED_STATES.includes(session.state) ? errors.offerEnded() : errors.offerTaken()

  /** @throws 400 for a transaction code that the offer cannot have */
  const newCode = ({ session, offering }: OfferAgain, request: TxCodeRequest): NewCode | undefined => {
    if (request === undefined) return undefined
    if (offering.grant === 'authorization_code') throw txCodeWithAuthorizationCode()
    const description = describeTxCode(request)
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
    if (closedReason(offering, now) !== undefined)
      throw offering.redemptionCount > 0 && session.state !== 'Error' ? errors.offerTaken() : notOpen(found)
    const expiresAt = renewed(found, now)
    const offer = { id: session.id, expiresAt, deferred: offering.deferred }
    const made = page && newPageOf({ config, clock, newId }, offer, session.createdBy, page)
    const link = { session, expiresAt, txCode, page: made, actor: sender.caller?.sub ?? null, now }
    try {
      return await store.resend(link)
    } catch (error) {
      if (sqlStateOf(error) === DEADLOCK) return false
      throw error
    }
  }

  return {
    /** An offer with all that its creator received, while it is open. @throws 404 for an offer that the sender does not reach */
    read: async (sender: Sender, id: string): Promise<Answer> => shown(await offerFor(sender, id)),

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
     * Gives an open offer a new link, and a new transaction code if one is requested. Everything of its earlier links is dead.
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
