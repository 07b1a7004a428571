import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import type { NameIndex } from '../../names/names.js'
import { authorityIn } from '../../protocol/issuer-keys/authority.js'
import { isAnchored } from '../../protocol/issuer-keys/trusted-chain.js'
import { algorithmOfJwk } from '../../protocol/jose/algorithms.js'
import type { Draft } from '../../protocol/openid4vci/drafts.js'
import type { Work } from '../../protocol/work.js'
import { issuabilityOf, parseConfigurationId } from '../issuance/configurations.js'
import type { Issuance } from '../issuance/issuance.js'
import { validityOfOffer } from '../issuance/offered-validity.js'
import { offeredClaimsDueAt } from '../issuance/retention.js'
import type { IssuanceContext } from '../issuance/store.js'
import { assertSubject } from '../issuance/subject.js'
import { canSignIn } from '../openid4vci/authorizations/sign-in.js'
import type { OfferGrant, OfferProfile } from '../openid4vci/offer-profile.js'
import { isDraft, offerableFormats, profileNamed } from '../openid4vci/profiles/profiles.js'
import { CONFIDENTIAL_KEY, sealConfidential } from '../openid4vci/sessions/confidential.js'
import type { NewSession } from '../openid4vci/sessions/store.js'
import { describeTxCode, hashTxCode, newTxCode, type TxCodeDescription } from '../openid4vci/tx-code.js'
import type { WholeOffer } from './batch/store.js'
import type { createCredentialOffer } from './credential-offers.contract.js'
import { type NewPagePorts, newPageOf } from './page.js'

export type OfferRequest = z.output<typeof createCredentialOffer.input>

const DEFAULT_VALIDITY_SECONDS = 86_400
const FIELD = 'credentialConfigurationIds'

/** The parts of the format registry that offers need. */
export type OfferFormats = Pick<Formats, 'former' | 'issued' | 'withSuffix'>

type OfferConfig = Pick<
  Config,
  | 'attestationTrust'
  | 'authDisabled'
  | 'issuerLegacyProfiles'
  | 'issuerProfile'
  | 'issuerX509'
  | 'retentionClaimsDays'
  | 'signIn'
>

/** Returns the type of all configurations. @throws 400 for an unknown configuration or several types */
function schemaNameOf(
  config: OfferConfig,
  formats: OfferFormats,
  profile: OfferProfile,
  configurationIds: readonly string[],
): string {
  const offerable = offerableFormats({ config, formats }, profile)
  const names = configurationIds.map((id) => {
    const configuration = parseConfigurationId(formats, id)
    return configuration !== undefined && offerable.includes(configuration.format) ? configuration.name : undefined
  })
  const unknown = configurationIds.find((_, position) => names[position] === undefined)
  if (unknown !== undefined)
    throw errors.badRequest(`${FIELD} names ${unknown}, which is not a credential configuration`)
  const [name, ...others] = [...new Set(names)]
  if (name === undefined || others.length > 0) throw errors.badRequest(`${FIELD} must all be of one credential type`)
  if (new Set(configurationIds).size < configurationIds.length)
    throw errors.badRequest(`${FIELD} must not repeat itself`)
  return name
}

/** The type of an offer with its issuer. @throws 400 for an unknown type or issuer */
export const contextOf = (
  context: Issuance['context'],
  caller: Caller,
  name: string,
  issuerId: string | undefined,
): Promise<IssuanceContext> =>
  context(name, issuerId, caller, () =>
    errors.badRequest(`${FIELD} names ${name}, which is not a credential configuration`),
  )

/** @throws 400 naming a configuration that the type or its issuer does not have */
function assertIssued(formats: OfferFormats, ids: readonly string[], context: IssuanceContext): void {
  for (const id of ids) {
    const lacking = parseConfigurationId(formats, id)?.format.issuing.lacks(issuabilityOf(context))
    if (lacking !== undefined) throw errors.badRequest(`${FIELD} names ${id}, which needs ${lacking}`)
  }
}

/**
 * @throws 400 for an offer that HAIP 1.0 forbids, or if the installation or the issuer does not meet the requirements
 * of HAIP
 */
function assertHaipOffer(
  config: OfferConfig,
  formats: OfferFormats,
  { credentialConfigurationIds: ids }: OfferRequest,
  context: IssuanceContext,
) {
  if (config.issuerX509 === undefined) throw errors.badRequest('profile haip needs ISSUER_X509')
  if (!isAnchored(config.attestationTrust)) throw errors.badRequest('profile haip needs WALLET_TRUST_ANCHORS')
  // The key of an authority signs no documents. Its document signers have P-256 keys.
  const isUsable = authorityIn(context.x5c) !== undefined || algorithmOfJwk(context.publicJwk) === 'ES256'
  if (context.x5c === null || !isUsable)
    throw errors.badRequest('profile haip needs an issuer with a certificate for a P-256 key')
  const other = ids.find((id) => parseConfigurationId(formats, id)?.format.haip !== true)
  if (other !== undefined) throw errors.badRequest(`${FIELD} names ${other}, whose format HAIP does not have`)
}

/**
 * @throws 400 for a draft that ISSUER_LEGACY_PROFILES does not list, or for an offer that wallets of the draft cannot
 * take
 */
function assertDraftOffer(config: OfferConfig, profile: Draft, { txCode, deferred }: OfferRequest): void {
  if (!config.issuerLegacyProfiles.includes(profile))
    throw errors.badRequest(`profile ${profile} is not open here: ISSUER_LEGACY_PROFILES does not list it`)
  // Drafts answer a waiting wallet in other ways: with an error until the decision, or with a separate token.
  if (deferred === true) throw errors.badRequest(`deferred must not be given with profile ${profile}`)
  if (txCode !== undefined) assertTxCode(profile, describeTxCode(txCode))
}

/** @throws 400 for a transaction code that wallets of the profile cannot ask for */
export function assertTxCode(profile: OfferProfile, txCode: TxCodeDescription): void {
  const fault = isDraft(profile) ? profileNamed(profile).txCodeFault(txCode) : undefined
  if (fault !== undefined) throw errors.badRequest(`txCode ${fault} with profile ${profile}`)
}

/** @throws 400 for a profile that this installation does not allow */
function profileOf(config: OfferConfig, request: OfferRequest): OfferProfile {
  const ofAll = config.issuerProfile
  const profile = request.profile ?? ofAll
  if (ofAll === 'haip' && profile !== 'haip') throw errors.badRequest('profile must be haip here')
  if (isDraft(profile)) assertDraftOffer(config, profile, request)
  return profile
}

/**
 * The claims of an offer. An offer whose claims are asked for at issuance has none.
 *
 * @throws 400 if the members cannot be combined, or the type has no claims source
 */
function claimsOf(
  { claims, credentialSubject, deferred, forSubject, reference }: OfferRequest,
  context: IssuanceContext,
) {
  if (claims === undefined && credentialSubject === undefined)
    throw errors.badRequest('credentialSubject must be given, or claims must be atIssuance')
  if (claims === undefined) return credentialSubject
  if (credentialSubject !== undefined)
    throw errors.badRequest('credentialSubject must not be given with claims atIssuance')
  if (deferred === true) throw errors.badRequest('deferred must not be given with claims atIssuance')
  if (context.claimsSource === null)
    throw errors.badRequest(`claims must not be atIssuance: ${context.name} has no claimsSource`)
  if (reference === undefined && forSubject === undefined)
    throw errors.badRequest('claims atIssuance needs reference or forSubject')
  return undefined
}

export const txCodeWithAuthorizationCode = () =>
  errors.badRequest('txCode must not be given with grant authorization_code')

/** @throws 400 if the members cannot be combined, or the offer is for a user and users cannot sign in */
function grantOf(config: OfferConfig, { grant, forSubject, txCode }: OfferRequest, haip: boolean): OfferGrant {
  const byDefault = haip || forSubject !== undefined ? 'authorization_code' : 'pre-authorized_code'
  const chosen = grant ?? byDefault
  if (haip && chosen !== 'authorization_code')
    throw errors.badRequest('grant must be authorization_code with profile haip')
  if (chosen === 'authorization_code' && txCode !== undefined) throw txCodeWithAuthorizationCode()
  if (chosen === 'pre-authorized_code' && forSubject !== undefined)
    throw errors.badRequest('forSubject must not be given with grant pre-authorized_code')
  if (forSubject !== undefined && !canSignIn(config))
    throw errors.badRequest('forSubject needs an identity provider at which users can sign in')
  return chosen
}

/** A credential offer that is ready to be stored, with the data for the answer. */
export interface PreparedOffer extends WholeOffer {
  readonly context: IssuanceContext
}

/** Reads a schema and its issuer. */
type ContextOf = (name: string, issuerId: string | undefined) => Promise<IssuanceContext>

type Random = (length: number) => Uint8Array

/** Dependencies of {@link createPrepareOffer}. */
export interface PrepareOfferPorts extends NewPagePorts {
  readonly context: Issuance['context']
  readonly config: OfferConfig & NewPagePorts['config']
  readonly formats: OfferFormats
  readonly sealingKey: (label: string) => Uint8Array
  readonly names: Pick<NameIndex, 'hashed'>
  readonly random: Random
  /** Whether a caller may have the claims source of a schema asked. */
  readonly mayAsk: (caller: Caller, schemaId: string) => Promise<boolean>
}

/**
 * @param contextFor reads a type and its issuer; given if several offers share the results
 * @param randomFor the random source for the transaction code of a session id
 */
export type PrepareOffer = (
  caller: Caller,
  request: OfferRequest,
  work: Work,
  contextFor?: ContextOf,
  randomFor?: (id: string) => Random,
) => Promise<PreparedOffer>

/**
 * Checks an offer with a limit of one redemption, and prepares all its parts. Writes nothing.
 *
 * @throws 400 for an offer that is not possible; 403 if the claims source of another caller's type were asked
 */
export function createPrepareOffer(ports: PrepareOfferPorts): PrepareOffer {
  const { context: anyContext, config, formats, sealingKey, names, random, clock, newId, mayAsk } = ports

  return async (
    caller,
    request,
    work,
    contextFor = (name, issuerId) => contextOf(anyContext, caller, name, issuerId),
    randomFor = () => random,
  ) => {
    const configurationIds = request.credentialConfigurationIds
    const profile = profileOf(config, request)
    const context = await contextFor(schemaNameOf(config, formats, profile, configurationIds), request.issuerId)
    assertIssued(formats, configurationIds, context)
    const subject = claimsOf(request, context)
    // A claims source answers about any person. So only its owner may choose the person.
    if (subject === undefined && !(await mayAsk(caller, context.id))) throw errors.schemaDenied()
    if (subject !== undefined) await assertSubject(formats, context, subject, 'credentialSubject', work)
    const id = newId()
    const createdAt = clock()
    const expiresAt = new Date(createdAt.getTime() + (request.expiresInSeconds ?? DEFAULT_VALIDITY_SECONDS) * 1000)
    if (profile === 'haip') assertHaipOffer(config, formats, request, context)
    const grant = grantOf(config, request, profile === 'haip')
    const txCode = request.txCode === undefined ? null : describeTxCode(request.txCode)
    const code = txCode === null ? undefined : newTxCode(txCode, randomFor(id))
    const session: NewSession = {
      id,
      createdBy: caller.sub,
      state: 'Created',
      seq: 1,
      errorMessage: null,
      deferred: null,
      configurationIds,
      issuerId: context.issuerId,
      txCode,
      txCodeHash: code === undefined ? null : hashTxCode(sealingKey('tx-code'), id, code),
      txCodeAttempts: 0,
      linkNumber: 0,
      code,
      sealed: code === undefined ? undefined : sealConfidential(sealingKey(CONFIDENTIAL_KEY), id, { txCode: code }),
      createdAt,
      expiresAt,
    }
    const deferred = request.deferred ?? false
    const page =
      request.page === true
        ? newPageOf(
            { config, clock, newId },
            { id, expiresAt, deferred: deferred || subject === undefined },
            caller.sub,
            { inQrCode: true },
          )
        : undefined
    const offering = {
      id,
      schemaId: context.id,
      issuerId: context.issuerId,
      credentialSubject: subject ?? {},
      recipient: null,
      redemptionLimit: 1,
      expiresAt,
      createdAt,
      claimsDueAt: offeredClaimsDueAt(context, config, expiresAt),
      names: names.hashed(request),
      configurationIds,
      grant,
      forSubject: request.forSubject ?? null,
      profile,
      deferred,
      ...validityOfOffer(request, context, createdAt),
      claimsAtIssuance: subject === undefined,
      walletUrl: request.walletUrl ?? null,
    }
    return { offering, session, page, context }
  }
}
