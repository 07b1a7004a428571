import { newPageOf } from '../issuer/credential-offers/page.js'
import { offeringFullUrl } from '../issuer/offerings/offering-json.js'
import { createChooseLanguage } from '../pages/choose-language.js'
import { createPeoplePages } from '../people-pages/people-pages.js'
import { createPresentPages } from '../people-pages/present/present-pages.js'
import { createReceivePages } from '../people-pages/receive/receive-pages.js'
import type { Issuer } from './issuer.js'
import type { Platform } from './platform.js'
import type { Verifier } from './verifier.js'

/** Creates the share pages. */
export function wirePages(platform: Platform, { offerings }: Pick<Issuer, 'offerings'>, verifier: Verifier) {
  const { verificationSessions, authorizationRequests, openid4vp } = verifier
  const { config, clock, random, events, seals, stores } = platform

  const peoplePages = createPeoplePages({
    store: stores.pages,
    config,
    clock,
    sessionOfPage: verificationSessions.ofPage,
    newRequestPage: authorizationRequests.newPage,
    offering: stores.openid4vci.offering,
    hasOffering: offerings.isOpen,
    newOfferPage: (offer, madeBy, texts) => newPageOf({ config, clock, newId: platform.newId }, offer, madeBy, texts),
  })

  const presentPages = createPresentPages({
    store: stores.pages,
    config,
    formats: platform.formats,
    clock,
    random,
    events,
    sessions: verificationSessions,
    openid4vp,
    sealingKey: platform.sealingKey,
  })

  const receivePages = createReceivePages({
    store: stores.pages,
    config,
    clock,
    random,
    events,
    latest: stores.offerSessions.latest,
    offerUrl: (link, offer) => offeringFullUrl(config, { ...offer, id: seals.offerName(link) }),
  })

  const chooseLanguage = createChooseLanguage({ config })
  return { peoplePages, presentPages, receivePages, chooseLanguage }
}
