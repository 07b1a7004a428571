import { onlyLooks } from '../../../api/context.js'
import { ServiceError } from '../../../api/errors.js'
import type { Config } from '../../../config/config.js'
import type { Log } from '../../../log/log.js'
import { speechFor } from '../../../pages/speech.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import type { Work } from '../../../protocol/work.js'
import type { IssuanceContext } from '../../issuance/store.js'
import { claimTitles } from '../../schemas/claims.js'
import type { ConsentContext } from '../offer-store.js'
import type { Openid4vciStore } from '../store.js'
import type { Decided } from './codes.js'
import { consentPage } from './consent-page.js'
import type { Deny } from './deny.js'
import { claimsOf, type Filled, formOf, problemsOf } from './form-fields.js'
import type { SentForm } from './form-page.js'
import type { FormTokens } from './form-tokens.js'
import { denied, type Issuable, type Issuables, issuableName } from './issuable.js'
import type { UserLogin } from './login.js'
import type { Replies } from './replies.js'
import type { BrowserRequest, Visited, Visits } from './visits.js'

/** The first word of each message about a form. */
const FORM = 'claims'

/**
 * Checks a subject against the schema of its type.
 *
 * @param member the subject's name in every message
 * @throws ServiceError 400 listing every claim that fails
 */
type AssertSubject = (
  context: IssuanceContext,
  subject: Readonly<Record<string, unknown>>,
  member: string,
  work: Work,
) => Promise<void>

/** Dependencies of {@link createConsentPages}. */
export interface ConsentPagesPorts {
  readonly store: Pick<Openid4vciStore, 'issuerDisplay'>
  readonly config: Pick<Config, 'authDisabled' | 'issuerBaseUrl' | 'signIn'>
  readonly formTokens: Pick<FormTokens, 'tokenOf'>
  readonly assertSubject: AssertSubject
  readonly log: Pick<Log, 'warn'>
}

export type ConsentPages = ReturnType<typeof createConsentPages>

/** The pages on which users accept or decline. */
export function createConsentPages({ store, config, formTokens, assertSubject, log }: ConsentPagesPorts) {
  /** The data that the page shows. */
  const consentContext = async (issuable: Issuable): Promise<ConsentContext> => {
    if (issuable.kind === 'offer') return issuable.offering
    const { context } = issuable
    return {
      schemaName: context.name,
      schemaTitle: context.title,
      schemaDisplay: context.display,
      schemaBody: context.body,
      schemaClaims: context.claims,
      issuerDisplay: await store.issuerDisplay(context.issuerId),
      credentialSubject: issuable.kind === 'claims' ? issuable.credentialSubject : {},
      deferred: false,
      claimsAtIssuance: issuable.kind === 'source',
    }
  }

  /** The page for an issuable credential. */
  const pageOf = async (
    request: BrowserRequest,
    { authorization, browserHash }: Visited,
    issuable: Issuable,
    sent?: SentForm,
  ): Promise<ProtocolReply> => {
    const context = await consentContext(issuable)
    const speech = speechFor(request, config.issuerBaseUrl)
    const token = formTokens.tokenOf(authorization.id, browserHash, issuableName(issuable))
    const form =
      issuable.kind === 'form'
        ? {
            parts: formOf(issuable.context.body, claimTitles(issuable.context, speech.languages)),
            ...(sent === undefined ? {} : { sent }),
          }
        : undefined
    return consentPage(config, authorization, context, token, speech, form)
  }

  return {
    pageOf,

    /** @throws OAuthError `access_denied` if the schema does not accept the provider's claims about the user */
    async assertValid({ requestId }: BrowserRequest, issuable: Issuable, work: Work): Promise<void> {
      if (issuable.kind !== 'claims') return
      try {
        await assertSubject(issuable.context, issuable.credentialSubject, 'claimsFrom', work)
      } catch (thrown) {
        if (!(thrown instanceof ServiceError)) throw thrown
        log.warn({ requestId, reason: thrown.message }, 'claims of the provider do not fit')
        throw denied('The known claims of the user are not enough for this credential.')
      }
    },

    /** The claims from the local admin's form. If the claims are invalid, the page again with the problems. */
    async filledForm(
      request: BrowserRequest,
      found: Visited,
      issuable: Issuable & { readonly kind: 'form' },
      filled: Filled,
      work: Work,
    ): Promise<Decided | ProtocolReply> {
      const { context } = issuable
      const parts = formOf(context.body, claimTitles(context, speechFor(request, config.issuerBaseUrl).languages))
      const credentialSubject = claimsOf(parts, filled)
      try {
        await assertSubject(context, credentialSubject, FORM, work)
        return { kind: 'claims', context, credentialSubject }
      } catch (thrown) {
        if (!(thrown instanceof ServiceError)) throw thrown
        const messages = typeof thrown.messages === 'string' ? [thrown.messages] : thrown.messages
        return pageOf(request, found, issuable, { filled, problems: problemsOf(parts, messages, FORM) })
      }
    },
  }
}

/** Dependencies of {@link createShowConsent}. */
export interface ShowConsentPorts {
  readonly visited: Visits['visited']
  readonly beginLogin: UserLogin['beginLogin']
  readonly issuableFor: Issuables['issuableFor']
  readonly pages: Pick<ConsentPages, 'assertValid' | 'pageOf'>
  readonly deny: Deny
  readonly replies: Replies
}

/**
 * Shows the credential and its recipient, and asks for the decision.
 *
 * @param id the id of the authorization
 * @param work the budget for the check of the claims
 */
export type ShowConsent = (request: BrowserRequest, id: string, work: Work) => Promise<ProtocolReply>

export const createShowConsent =
  ({ visited, beginLogin, issuableFor, pages, deny, replies }: ShowConsentPorts): ShowConsent =>
  async (request, id, work) => {
    const found = await visited(request, id)
    if (found === undefined) return replies.notFound(request)
    const { authorization } = found
    if (authorization.state === 'Started') return beginLogin(request, found)
    if (authorization.state !== 'SignedIn') return replies.decided(request)
    try {
      const issuable = await issuableFor(authorization)
      await pages.assertValid(request, issuable, work)
      return await pages.pageOf(request, found, issuable)
    } catch (thrown) {
      if (!(thrown instanceof OAuthError)) throw thrown
      return onlyLooks(request) ? replies.refuseWallet(authorization.request, thrown) : deny(request, found, thrown)
    }
  }
