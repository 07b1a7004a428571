import type { Deps } from '../deps.js'
import { signInstance } from '../issuer/issuance/sign.js'
import { assertSubject } from '../issuer/issuance/subject.js'
import { credentialView } from '../issuer/issuance/vc-object.js'
import { createAttestationStatuses } from '../issuer/openid4vci/attestation-status.js'
import { createAuthorizations } from '../issuer/openid4vci/authorizations/authorizations.js'
import { createAuthorize } from '../issuer/openid4vci/authorizations/authorize.js'
import { createCodes } from '../issuer/openid4vci/authorizations/codes.js'
import { createConsentPages, createShowConsent } from '../issuer/openid4vci/authorizations/consent.js'
import { createDecideAtOnce, createDecideStepwise } from '../issuer/openid4vci/authorizations/decide.js'
import { createDeny } from '../issuer/openid4vci/authorizations/deny.js'
import { createFormTokens } from '../issuer/openid4vci/authorizations/form-tokens.js'
import { createIssuables } from '../issuer/openid4vci/authorizations/issuable.js'
import { createKeepUser, createLogin } from '../issuer/openid4vci/authorizations/login.js'
import { createLogins } from '../issuer/openid4vci/authorizations/logins.js'
import { createPushRequest } from '../issuer/openid4vci/authorizations/par.js'
import { createReplies } from '../issuer/openid4vci/authorizations/replies.js'
import { createRequestedOffers } from '../issuer/openid4vci/authorizations/requested-offers.js'
import { createStoreRequest } from '../issuer/openid4vci/authorizations/store-request.js'
import { createVisits } from '../issuer/openid4vci/authorizations/visited.js'
import { createClientAuthentication } from '../issuer/openid4vci/client-authentication.js'
import { createCredentialRequests, createIssueToWallet } from '../issuer/openid4vci/credential-requests.js'
import { createCollect } from '../issuer/openid4vci/deferred/collect.js'
import { createDefer } from '../issuer/openid4vci/deferred/defer.js'
import { createDpop } from '../issuer/openid4vci/dpop.js'
import { createRequestEncryption } from '../issuer/openid4vci/encryption.js'
import { createAuthorizationCodeGrant } from '../issuer/openid4vci/grants/authorization-code.js'
import { createNewTokens } from '../issuer/openid4vci/grants/new-tokens.js'
import { createPreAuthorizedCodeGrant } from '../issuer/openid4vci/grants/pre-authorized-code.js'
import { createRefreshTokenGrant } from '../issuer/openid4vci/grants/refresh-token.js'
import { createNonces } from '../issuer/openid4vci/nonces.js'
import { createNotifications } from '../issuer/openid4vci/notifications.js'
import { credentialOfferOf } from '../issuer/openid4vci/offer.js'
import { createOffered } from '../issuer/openid4vci/offered.js'
import { createProvenKeys } from '../issuer/openid4vci/proven-keys.js'
import { createRequestNonces } from '../issuer/openid4vci/request-nonces.js'
import { createOfferSessions } from '../issuer/openid4vci/sessions/sessions.js'
import { createTxCodeCheck } from '../issuer/openid4vci/tx-code-check.js'
import { createWalletAccess } from '../issuer/openid4vci/wallet-access.js'
import { createSignCopies } from '../issuer/openid4vci/wallet-copies.js'
import { createWalletIssuance } from '../issuer/openid4vci/wallet-issuance.js'
import { createWalletOffers } from '../issuer/openid4vci/wallet-offers.js'
import { createWalletTokens } from '../issuer/openid4vci/wallet-tokens.js'
import { type PartitionPlan, partitionTask } from '../maintenance/partitions/task.js'
import { PRE_AUTHORIZED_CODE_GRANT } from '../protocol/openid4vci/requests.js'

/** What wallets ask of the issuing half (OpenID4VCI 1.0). */
export function wireOpenid4vci(deps: Deps) {
  const { config, formats, seals, stores, vault, metrics, clock, random, newId, log } = deps

  // What the features share.
  const offered = createOffered({ config, formats })
  const contextOf = (type: string) => stores.issuance.context(type, undefined, undefined)
  const partitions = (plan: PartitionPlan) => partitionTask(deps, plan)
  const statusesOf = createAttestationStatuses({ config, outbound: deps.outbound })

  const offerSessions = createOfferSessions({ store: stores.offerSessions, config, metrics })

  const walletOffers = createWalletOffers({
    store: stores.openid4vci,
    config,
    objectOf: (offering) => credentialOfferOf({ config, formats, seals }, offering),
    clock,
  })

  const nonces = createNonces({ seals, store: stores.openid4vci, partitionTask: partitions })

  const dpop = createDpop({ config, seals, clock })

  const walletClients = createClientAuthentication({ config, seals, statusesOf, clock })

  const tokens = createNewTokens({ store: stores.openid4vci, config, random })
  const grantPorts = {
    offered,
    tokens,
    assertTokenClient: walletClients.assertTokenClient,
    nonceMembers: nonces.members,
    clock,
  }
  const walletTokens = createWalletTokens({
    grants: {
      authorization_code: createAuthorizationCodeGrant({
        ...grantPorts,
        authorizations: stores.authorizations,
        vault,
      }),
      [PRE_AUTHORIZED_CODE_GRANT]: createPreAuthorizedCodeGrant({
        offered,
        tokens,
        nonceMembers: nonces.members,
        seals,
        store: stores.openid4vci,
        assertTxCode: createTxCodeCheck({
          key: deps.sealingKey('tx-code'),
          sessions: stores.offerSessions,
          metrics,
          clock,
        }),
        clock,
        newId,
      }),
      refresh_token: createRefreshTokenGrant({
        ...grantPorts,
        store: stores.openid4vci,
        authorizations: stores.authorizations,
      }),
    },
    config,
    assertTokenClient: walletClients.assertTokenClient,
    store: stores.openid4vci,
    partitionTask: partitions,
  })

  const walletAccess = createWalletAccess({ config, store: stores.openid4vci, dpop, clock })

  const requestEncryption = createRequestEncryption({
    config,
    decryptionKeys: deps.decryptionKeys,
    keys: stores.keys,
    clock,
  })

  const { otherConfiguration } = walletAccess
  const issuance = createWalletIssuance({
    signCopies: createSignCopies({
      sign: (request) => signInstance(deps, request),
      viewOf: (request, recordId, signed, issuedAt) => credentialView(config, request, recordId, signed, issuedAt),
      allotment: deps.allotment,
      config,
      formats,
      newId,
    }),
    store: stores.openid4vci,
    config,
    seals,
    metrics,
    newId,
  })
  const credentialRequests = createCredentialRequests({
    issueToWallet: createIssueToWallet({
      formats,
      offered,
      contextOf,
      otherConfiguration,
      provenKeys: createProvenKeys({
        config,
        seals,
        resolver: deps.resolver,
        noncesOfRequest: createRequestNonces({ store: stores.openid4vci, seals }),
        statusesOf,
        log,
      }),
      issuance,
      defer: createDefer({ store: stores.deferredIssuances, vault, metrics, random }),
      clock,
    }),
    collect: createCollect({ store: stores.deferredIssuances, vault, offered, otherConfiguration, issuance, clock }),
    offered,
    nonceMembers: nonces.members,
  })

  const notifications = createNotifications({ seals, sessions: stores.offerSessions, metrics, clock })

  const requestedOffers = createRequestedOffers({
    store: stores.openid4vci,
    seals,
    offered,
    formats,
    contextOf,
    clock,
  })
  const { requestedContexts, requestedOffer } = requestedOffers
  const storeRequest = createStoreRequest({ authorizations: stores.authorizations, requestedOffers, vault, newId })
  const replies = createReplies({ config })
  const visits = createVisits({ authorizations: stores.authorizations, config, vault, random, clock })
  const deny = createDeny({ decisions: stores.decisions, replies, clock })
  const login = createLogin({
    signIn: deps.signIn,
    logins: createLogins({ authorizations: stores.authorizations, vault, random, clock }),
    keepUser: createKeepUser({ authorizations: stores.authorizations, requestedContexts, config, vault, clock }),
    deny,
    visited: visits.visited,
    replies,
    config,
    log,
  })
  const issuables = createIssuables({ store: stores.openid4vci, config, offered, requestedContexts, clock })
  const { configurationsOf, issuableFor, issuableNamed } = issuables
  const formTokens = createFormTokens({ key: deps.sealingKey('consent') })
  const pages = createConsentPages({
    store: stores.openid4vci,
    config,
    formTokens,
    assertSubject: (context, subject, member, work) => assertSubject(formats, context, subject, member, work),
    log,
  })
  const codes = createCodes({ decisions: stores.decisions, config, configurationsOf, random, clock, newId })
  const { visited, browserHashOf } = visits
  const authorizations = createAuthorizations({
    pushRequest: createPushRequest({ config, clients: walletClients, dpop, storeRequest, random, clock }),
    authorize: createAuthorize({
      config,
      authorizations: stores.authorizations,
      requestedOffer,
      storeRequest,
      visits,
      replies,
      clock,
    }),
    endLogin: login.endLogin,
    showConsent: createShowConsent({ visited, beginLogin: login.beginLogin, issuableFor, pages, deny, replies }),
    decideAtOnce: createDecideAtOnce({
      browserHashOf,
      formTokens,
      decisions: stores.decisions,
      codeForOffer: codes.codeForOffer,
      replies,
      vault,
      clock,
    }),
    decideStepwise: createDecideStepwise({ visited, formTokens, issuableNamed, pages, codes, deny, replies }),
    store: stores.authorizations,
  })

  return {
    offerSessions,
    walletOffers,
    walletClients,
    walletTokens,
    walletAccess,
    dpop,
    nonces,
    requestEncryption,
    credentialRequests,
    notifications,
    authorizations,
  }
}
