import type { z } from 'zod'
import { errors } from '../api/errors.js'
import { type Caller, isAdmin } from '../auth/caller.js'
import type { Deps } from '../deps.js'
import { newPageOf } from '../issuer/credential-offers/page.js'
import { closedReason } from '../issuer/openid4vci/offer.js'
import { presentPageUrl, receivePageUrl } from '../pages/addresses.js'
import type { NewPage, PageTexts } from '../pages/store.js'
import { newPageOf as newRequestPageOf } from '../verifier/authorization-requests/page.js'
import type { createPage } from './people-pages.contract.js'

type Request = z.output<typeof createPage.input>

async function presentPageOf(deps: Deps, caller: Caller, id: string, texts: PageTexts): Promise<NewPage> {
  const session = await deps.stores.pages.session(id)
  if (session === undefined) throw errors.pageTargetNotFound('verificationSessionId')
  if (!isAdmin(caller) && session.createdBy !== caller.sub) throw errors.pageDenied('verificationSessionId')
  if (session.endedAt !== null || session.expiresAt <= deps.clock()) {
    throw errors.pageTargetEnded('verificationSessionId')
  }
  return newRequestPageOf(deps, { id, ...session }, texts)
}

/** An offer of a session is its maker's; an offering is open to whoever knows its id, as it is elsewhere, each with a page of their own. */
async function receivePageOf(
  deps: Deps,
  caller: Caller,
  { credentialOfferSessionId, ...request }: Request,
): Promise<NewPage> {
  const { offeringId = credentialOfferSessionId ?? '', title, text } = request
  const member = credentialOfferSessionId === undefined ? 'offeringId' : 'credentialOfferSessionId'
  const offering = await deps.stores.openid4vci.offering(offeringId)
  // What was made for one authorization is nobody else's.
  const isOpen = member !== 'offeringId' || (await deps.stores.offerings.find(offeringId)) !== undefined
  if (offering === undefined || !isOpen || (offering.session === null) !== (member === 'offeringId')) {
    throw errors.pageTargetNotFound(member)
  }
  const { session } = offering
  if (session !== null && !isAdmin(caller) && session.createdBy !== caller.sub) throw errors.pageDenied(member)
  if (closedReason(offering, deps.clock()) !== undefined) throw errors.pageTargetEnded(member)
  return newPageOf(
    deps,
    { id: offeringId, expiresAt: session?.expiresAt ?? offering.expiresAt, deferred: offering.deferred },
    caller.sub,
    { title, text },
  )
}

/**
 * Makes a page of a request or an offer that is open.
 *
 * @returns its address
 * @throws 404 for a target that does not exist, 403 for somebody else's, 409 for one that has ended
 */
export async function makePage(deps: Deps, caller: Caller, request: Request): Promise<{ url: string }> {
  const { verificationSessionId, title, text } = request
  if (verificationSessionId !== undefined) {
    const page = await presentPageOf(deps, caller, verificationSessionId, { title, text })
    return { url: presentPageUrl(deps.config, await deps.stores.pages.create(page, caller.sub)) }
  }
  const page = await receivePageOf(deps, caller, request)
  return { url: receivePageUrl(deps.config, await deps.stores.pages.create(page, caller.sub)) }
}
