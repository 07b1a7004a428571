import type { z } from 'zod'
import { errors } from '../api/errors.js'
import type { Caller } from '../auth/caller.js'
import { mayActOn, type Reach } from '../auth/rights.js'
import type { Config } from '../config/config.js'
import { closedReason } from '../issuer/openid4vci/offer.js'
import type { WalletOffering } from '../issuer/openid4vci/offer-store.js'
import { dueRows, type MaintenanceTask } from '../maintenance/task.js'
import { presentPageUrl, receivePageUrl } from '../pages/addresses.js'
import type { NewPage, PageTexts } from '../pages/store.js'
import type { NewRequestPage } from '../verifier/authorization-requests/page.js'
import type { VerificationSessions } from '../verifier/sessions/verification-sessions.js'
import type { createPage } from './people-pages.contract.js'
import type { PageStore } from './store.js'

type Request = z.output<typeof createPage.input>

/** An offer or an offering that gets a page. */
export interface OfferOfPage {
  readonly id: string
  /** When the offer or offering expires; null without an expiry. */
  readonly expiresAt: Date | null
  readonly deferred: boolean
}

/** Dependencies of {@link createPeoplePages}. */
export interface PeoplePagesPorts {
  readonly store: Pick<PageStore, 'create' | 'removeExpired'>
  readonly config: Pick<Config, 'verifierBaseUrl' | 'issuerBaseUrl'>
  readonly clock: () => Date
  readonly sessionOfPage: VerificationSessions['ofPage']
  readonly newRequestPage: NewRequestPage
  /** Finds an offer or an offering as wallets see it. Finds offerings for a single authorization too. */
  readonly offering: (id: string) => Promise<WalletOffering | undefined>
  /** Whether there is an offering with this id that anyone may take. */
  readonly hasOffering: (id: string) => Promise<boolean>
  /** Makes a page for an offer or an offering. @param madeBy the `sub` of the user who makes the page */
  readonly newOfferPage: (offer: OfferOfPage, madeBy: string, texts: PageTexts) => NewPage
}

export type PeoplePages = ReturnType<typeof createPeoplePages>

/** Creates share pages. */
export function createPeoplePages({
  store,
  config,
  clock,
  sessionOfPage,
  newRequestPage,
  offering,
  hasOffering,
  newOfferPage,
}: PeoplePagesPorts) {
  const presentPageOf = async (reach: Reach, id: string, texts: PageTexts): Promise<NewPage> => {
    const session = await sessionOfPage(id)
    if (session === undefined) throw errors.pageTargetNotFound('verificationSessionId')
    if (!mayActOn(reach, session.createdBy)) throw errors.pageDenied('verificationSessionId')
    if (session.endedAt !== null || session.expiresAt <= clock()) {
      throw errors.pageTargetEnded('verificationSessionId')
    }
    return newRequestPage({ id, ...session }, texts)
  }

  /**
   * Makes the page of an offer or an offering. Only callers who reach an offer may make a page for the offer. For an
   * offering, everyone who knows its id may make a page, and each user gets a separate page.
   */
  const receivePageOf = async (
    caller: Caller,
    reach: Reach,
    { credentialOfferSessionId, ...request }: Request,
  ): Promise<NewPage> => {
    const { offeringId = credentialOfferSessionId ?? '', title, text } = request
    const member = credentialOfferSessionId === undefined ? 'offeringId' : 'credentialOfferSessionId'
    const found = await offering(offeringId)
    // An offering for a single authorization gets no page.
    const isOpen = member !== 'offeringId' || (await hasOffering(offeringId))
    if (found === undefined || !isOpen || (found.session === null) !== (member === 'offeringId')) {
      throw errors.pageTargetNotFound(member)
    }
    const { session } = found
    if (session !== null && !mayActOn(reach, session.createdBy)) throw errors.pageDenied(member)
    if (closedReason(found, clock()) !== undefined) throw errors.pageTargetEnded(member)
    return newOfferPage(
      { id: offeringId, expiresAt: session?.expiresAt ?? found.expiresAt, deferred: found.deferred },
      caller.sub,
      { title, text },
    )
  }

  /**
   * Deletes expired pages of offerings that still exist. Pages of sessions are deleted together with their sessions.
   */
  const tasks: readonly MaintenanceTask[] = [
    dueRows({ name: 'remove pages', everyMs: 600_000, batch: store.removeExpired }),
  ]

  return {
    tasks,

    /**
     * Creates a page of an open request or offer.
     *
     * @returns the address of the page
     * @throws 404 for an unknown request or offer, 403 for a request or offer that the caller does not reach, 409 for a
     * request or offer that has ended
     */
    async create(caller: Caller, reach: Reach, request: Request): Promise<{ url: string }> {
      const { verificationSessionId, title, text } = request
      if (verificationSessionId !== undefined) {
        const page = await presentPageOf(reach, verificationSessionId, { title, text })
        return { url: presentPageUrl(config, await store.create(page, caller.sub)) }
      }
      const page = await receivePageOf(caller, reach, request)
      return { url: receivePageUrl(config, await store.create(page, caller.sub)) }
    },
  }
}
