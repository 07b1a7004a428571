import { errors } from '../../api/errors.js'
import { validationMessages } from '../../api/validation.js'
import type { Formats } from '../../formats/registry.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { ProvenKey } from '../../protocol/openid4vci/key-proof.js'
import { requestedProofs } from '../../protocol/openid4vci/proofs.js'
import { type CredentialRequest, zCredentialRequest } from '../../protocol/openid4vci/requests.js'
import type { Work } from '../../protocol/work.js'
import { issuabilityOf, parseConfigurationId } from '../issuance/configurations.js'
import type { IssuanceContext } from '../issuance/store.js'
import type { ClaimsAtIssuance } from './claims-at-issuance.js'
import type { Collect } from './deferred/collect.js'
import type { Defer } from './deferred/defer.js'
import { decisionOn } from './deferred/waiting.js'
import { closedReason, ENDED } from './offer.js'
import type { Offered } from './offered.js'
import type { NonceMembers } from './profiles/profile.js'
import { profileNamed } from './profiles/profiles.js'
import type { SentCredentialRequest } from './profiles/sent-credential-request.js'
import type { ProvenKeys } from './proven-keys.js'
import { takeable } from './requested-configurations.js'
import type { TokenContext } from './tokens/store.js'
import type { WalletAccess } from './wallet-access.js'
import { denied, type WalletIssuance, type WantedCopies } from './wallet-issuance.js'

function credentialRequestOf(members: JsonObject): CredentialRequest {
  const parsed = zCredentialRequest.safeParse(members)
  if (parsed.success) return parsed.data
  throw errors.invalid(validationMessages(parsed.error))
}

/** Dependencies of {@link createIssueToWallet}. */
export interface IssueToWalletPorts {
  readonly formats: Formats
  readonly offered: Pick<Offered, 'configurations' | 'published'>
  /** The issuable version of a type; undefined for an unknown type. */
  readonly contextOf: (type: string) => Promise<IssuanceContext | undefined>
  readonly otherConfiguration: WalletAccess['otherConfiguration']
  readonly provenKeys: ProvenKeys
  readonly issuance: WalletIssuance
  readonly claimsAtIssuance: ClaimsAtIssuance
  readonly defer: Defer
  readonly clock: () => Date
}

/**
 * Answers a credential request of OpenID4VCI 1.0 (§8). The answer has one credential for each key proof, and a notification id.
 * For a deferred offer, the wallet waits until the issuer has decided (§8.3, §9). The claims of an offer come from the offer, or
 * from the claims source of its type.
 *
 * @throws OAuthError with the code of §8.3.1.2 that fits.
 */
export type IssueToWallet = (token: TokenContext, request: CredentialRequest, work: Work) => Promise<JsonObject>

export function createIssueToWallet({
  formats,
  offered,
  contextOf,
  otherConfiguration,
  provenKeys,
  issuance,
  claimsAtIssuance,
  defer,
  clock,
}: IssueToWalletPorts): IssueToWallet {
  const isKnownConfiguration = async (id: string): Promise<boolean> => {
    const configuration = parseConfigurationId(formats, id)
    if (configuration === undefined || !offered.published().includes(configuration.format)) return false
    const context = await contextOf(configuration.name)
    return context !== undefined && configuration.format.issuing.lacks(issuabilityOf(context)) === undefined
  }

  /**
   * §8.2: an identifier or a configuration id names the credential. An identifier counts only if the token response
   * contained this identifier.
   */
  const requestedConfiguration = async (token: TokenContext, request: CredentialRequest): Promise<string> => {
    const { credential_identifier: identifier, credential_configuration_id: id } = request
    if (identifier !== undefined) {
      if (token.detailed.includes(identifier)) return identifier
      throw new OAuthError(
        'unknown_credential_identifier',
        'The credential_identifier was not given with this access token.',
      )
    }
    const allowed = takeable(token, offered.configurations(token))
    if (id !== undefined && allowed.includes(id)) return id
    // §8.3.1.1: a token that does not cover a known configuration causes an authorization error.
    if (id !== undefined && (await isKnownConfiguration(id))) throw otherConfiguration()
    throw new OAuthError('unknown_credential_configuration', 'The credential_configuration_id is not known.')
  }

  /** @throws OAuthError `invalid_proof` for a key that the format does not support */
  const assertHolderKeys = async (configurationId: string, keys: readonly ProvenKey[]): Promise<void> => {
    const issuing = parseConfigurationId(formats, configurationId)?.format.issuing
    try {
      for (const { jwk } of keys) await issuing?.checkHolderKey?.(jwk)
    } catch (thrown) {
      if (!(thrown instanceof CredentialError)) throw thrown
      throw new OAuthError('invalid_proof', thrown.message)
    }
  }

  /** Refuses a request for reasons that do not depend on the wallet's proofs, such as a closed offer. */
  const assertOpen = (token: TokenContext, now: Date): void => {
    issuance.assertIssuable(token)
    // The first issuance counts the redemption. A further configuration belongs to the same redemption, unless the session
    // failed.
    const reason = token.counted ? undefined : closedReason(token, now)
    if (reason !== undefined) throw denied(reason)
    const hasEnded = token.session?.state === 'Error' || (token.deferred && decisionOn(token) === 'ended')
    if (hasEnded) throw denied(ENDED)
  }

  /** Issues with claims of the claims source. While a wallet waits, the source is asked only when the wallet collects. */
  const issueFromSource = async (token: TokenContext, wanted: WantedCopies, work: Work): Promise<JsonObject> => {
    if (token.session?.deferred === 'pending') return defer(token, wanted, clock())
    const claims = await claimsAtIssuance(token, wanted.configurationId, work)
    if (claims === 'later') return defer(token, wanted, clock())
    return issuance.issueCopies({ ...token, credentialSubject: claims }, wanted, clock())
  }

  return async (token, request, work) => {
    const now = clock()
    const configurationId = await requestedConfiguration(token, request)
    assertOpen(token, now)
    const { keys, nonces, statuses } = await provenKeys(token, requestedProofs(request), { now, work })
    await assertHolderKeys(configurationId, keys)
    const wanted = { configurationId, keys, nonces, statuses, transactionHash: null }
    if (token.claimsAtIssuance) return issueFromSource(token, wanted, work)
    const waits = token.deferred && decisionOn(token) === 'pending'
    return waits ? defer(token, wanted, now) : issuance.issueCopies(token, wanted, now)
  }
}

/** Dependencies of {@link createCredentialRequests}. */
export interface CredentialRequestsPorts {
  readonly issueToWallet: IssueToWallet
  readonly collect: Collect
  readonly offered: Pick<Offered, 'configurations' | 'types'>
  readonly nonceMembers: NonceMembers
}

export type CredentialRequests = ReturnType<typeof createCredentialRequests>

/** Answers the credential requests of wallets. */
export function createCredentialRequests({ issueToWallet, collect, offered, nonceMembers }: CredentialRequestsPorts) {
  return {
    /**
     * Answers a credential request in the form of the offer's profile.
     *
     * @param work the budget for the verification of the request
     * @throws OAuthError with the code of §8.3.1.2 that fits, or ServiceError (400) for a malformed request
     */
    async answer(token: TokenContext, sent: SentCredentialRequest, work: Work): Promise<JsonObject> {
      const profile = profileNamed(token.profile)
      const types = offered.types(takeable(token, offered.configurations(token)))
      try {
        const request = credentialRequestOf(profile.credentialRequest(sent, types))
        return profile.credentialResponse(await issueToWallet(token, request, work), sent, nonceMembers)
      } catch (thrown) {
        throw thrown instanceof OAuthError ? profile.refusal(thrown, nonceMembers) : thrown
      }
    },

    collect,
  }
}
