import { createAttestationWatch } from '../issuer/attestation-watch/attestation-watch.js'
import type { AskSource } from '../issuer/claims-source/ask.js'
import type { Issuance } from '../issuer/issuance/issuance.js'
import { assertSubject } from '../issuer/issuance/subject.js'
import { createAttestationStatuses, createReadAttestationList } from '../issuer/openid4vci/attestation-status.js'
import { createAuthorizations } from '../issuer/openid4vci/authorizations/authorizations.js'
import { createAuthorize } from '../issuer/openid4vci/authorizations/authorize.js'
import { createCodes } from '../issuer/openid4vci/authorizations/codes.js'
import { createConsentPages, createShowConsent } from '../issuer/openid4vci/authorizations/consent.js'
import { createDecideAtOnce, createDecideStepwise } from '../issuer/openid4vci/authorizations/decide.js'
import { createDeny } from '../issuer/openid4vci/authorizations/deny.js'
import { createFormTokens } from '../issuer/openid4vci/authorizations/form-tokens.js'
import { createIssuables } from '../issuer/openid4vci/authorizations/issuable.js'
import { createKeptLogins } from '../issuer/openid4vci/authorizations/kept-logins.js'
import { createKeepUser, createUserLogin } from '../issuer/openid4vci/authorizations/login.js'
import { createPushRequest } from '../issuer/openid4vci/authorizations/par.js'
import { createReplies } from '../issuer/openid4vci/authorizations/replies.js'
import { createRequestedOffers } from '../issuer/openid4vci/authorizations/requested-offers.js'
import { createStoreRequest } from '../issuer/openid4vci/authorizations/store-request.js'
import { createVisits } from '../issuer/openid4vci/authorizations/visits.js'
import { createClaimsAtIssuance } from '../issuer/openid4vci/claims-at-issuance.js'
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
import { createOfferSessions } from '../issuer/openid4vci/sessions/sessions.js'
import { createTxCodeCheck } from '../issuer/openid4vci/tx-code-check.js'
import { createWalletAccess } from '../issuer/openid4vci/wallet-access.js'
import { createSignCopies } from '../issuer/openid4vci/wallet-copies.js'
import { createWalletIssuance } from '../issuer/openid4vci/wallet-issuance.js'
import { createWalletOffers } from '../issuer/openid4vci/wallet-offers.js'
import { createWalletTokens } from '../issuer/openid4vci/wallet-tokens.js'
import { PRE_AUTHORIZED_CODE_GRANT } from '../protocol/openid4vci/requests.js'
import type { Platform } from './platform.js'

/** Creates the issuing endpoints for wallets (OpenID4VCI 1.0). */
export function wireOpenid4vci(
  platform: Platform,
  { issuance, ask }: { readonly issuance: Issuance; readonly ask: AskSource },
) {
  const shared = wireShared(platform, issuance)
  const { clientAuthentication, dpop, nonces } = shared
  const { config, seals, stores, metrics, clock } = platform

  const offerSessions = createOfferSessions({ store: stores.offerSessions, config, metrics })

  const walletOffers = createWalletOffers({
    store: stores.openid4vci,
    config,
    seals,
    objectOf: (offering) => credentialOfferOf({ config, formats: platform.formats, seals }, offering),
    clock,
  })

  const authorizations = wireAuthorizations(platform, shared)

  const walletTokens = wireWalletTokens(platform, shared)

  const walletAccess = createWalletAccess({ config, store: stores.openid4vci, dpop, clock })

  const requestEncryption = createRequestEncryption({
    config,
    decryptionKeys: platform.decryptionKeys,
    keys: stores.keys,
    clock,
  })

  const credentialRequests = wireCredentialRequests(platform, shared, walletAccess.otherConfiguration, ask)

  const attestationWatch = createAttestationWatch({
    store: stores.attestationWatch,
    readList: createReadAttestationList({ config, outbound: platform.outbound }),
    changeStatus: stores.credentials.changeStatus,
    log: platform.log,
  })

  const notifications = createNotifications({ seals, offerSessions: stores.offerSessions, metrics, clock })

  return {
    offerSessions,
    walletOffers,
    clientAuthentication,
    dpop,
    nonces,
    authorizations,
    walletTokens,
    walletAccess,
    requestEncryption,
    credentialRequests,
    attestationWatch,
    notifications,
  }
}

type Shared = ReturnType<typeof wireShared>

/** Parts that several issuing features use. */
function wireShared(platform: Platform, issuance: Issuance) {
  const { config, formats, outbound, seals, stores, clock } = platform
  const statusesOf = createAttestationStatuses({ config, outbound })
  return {
    offered: createOffered({ config, formats }),
    issuance,
    contextOf: issuance.contextByDefault,
    statusesOf,
    dpop: createDpop({ config, seals, clock }),
    clientAuthentication: createClientAuthentication({ config, seals, statusesOf, clock }),
    nonces: createNonces({ seals, store: stores.openid4vci, partitionTask: platform.partitionTask }),
  }
}

/** Creates the token endpoint. All grants use the same function to create tokens. */
function wireWalletTokens(platform: Platform, { offered, clientAuthentication, nonces }: Shared) {
  const { config, seals, stores, vault, metrics, clock, random, newId } = platform
  const { assertTokenClient } = clientAuthentication
  const store = stores.openid4vci
  const { authorizations } = stores
  const nonceMembers = nonces.members
  const tokens = createNewTokens({ store, config, random })
  const assertTxCode = createTxCodeCheck({
    key: platform.sealingKey('tx-code'),
    offerSessions: stores.offerSessions,
    metrics,
    clock,
  })
  return createWalletTokens({
    grants: {
      authorization_code: createAuthorizationCodeGrant({
        authorizations,
        vault,
        offered,
        tokens,
        assertTokenClient,
        nonceMembers,
        clock,
      }),
      [PRE_AUTHORIZED_CODE_GRANT]: createPreAuthorizedCodeGrant({
        seals,
        store,
        offered,
        tokens,
        assertTxCode,
        nonceMembers,
        clock,
        newId,
      }),
      refresh_token: createRefreshTokenGrant({
        store,
        authorizations,
        offered,
        tokens,
        assertTokenClient,
        nonceMembers,
        clock,
      }),
    },
    config,
    assertTokenClient,
    store,
    partitionTask: platform.partitionTask,
  })
}

/** Creates the credential endpoints. */
function wireCredentialRequests(
  platform: Platform,
  { issuance, offered, contextOf, statusesOf, nonces }: Shared,
  otherConfiguration: ReturnType<typeof createWalletAccess>['otherConfiguration'],
  ask: AskSource,
) {
  const { config, formats, seals, stores, vault, metrics, clock, random, newId, resolver, log } = platform
  const signCopies = createSignCopies({
    sign: issuance.sign,
    viewOf: issuance.view,
    allotment: platform.statusLists,
    config,
    formats,
    newId,
  })
  const walletIssuance = createWalletIssuance({
    signCopies,
    store: stores.openid4vci,
    config,
    seals,
    metrics,
    subjectHash: issuance.subjectHash,
    newId,
  })
  const claimsAtIssuance = createClaimsAtIssuance({ ask, vault, sessions: stores.offerSessions, clock })
  const issueToWallet = createIssueToWallet({
    formats,
    offered,
    contextOf,
    otherConfiguration,
    provenKeys: createProvenKeys({ config, seals, store: stores.openid4vci, resolver, statusesOf, log }),
    issuance: walletIssuance,
    claimsAtIssuance,
    defer: createDefer({ store: stores.deferredIssuances, vault, metrics, config, random }),
    clock,
  })
  return createCredentialRequests({
    issueToWallet,
    collect: createCollect({
      store: stores.deferredIssuances,
      vault,
      offered,
      otherConfiguration,
      issuance: walletIssuance,
      claimsAtIssuance,
      clock,
    }),
    offered,
    nonceMembers: nonces.members,
  })
}

/** Creates the authorization code flow, up to the issue of the code. */
function wireAuthorizations(platform: Platform, { offered, contextOf, clientAuthentication, dpop }: Shared) {
  const { config, formats, seals, stores, vault, clock, random, newId, log } = platform
  const { authorizations, decisions } = stores
  const store = stores.openid4vci

  // The request of a wallet.
  const requestedOffers = createRequestedOffers({ store, seals, offered, formats, contextOf, clock })
  const { requestedContexts, requestedOffer } = requestedOffers
  const storeRequest = createStoreRequest({ authorizations, requestedOffers, vault, newId })

  // The browser of the user, and the user's login.
  const replies = createReplies({ config })
  const visits = createVisits({ authorizations, config, vault, random, clock })
  const { browserHashOf, visited } = visits
  const deny = createDeny({ decisions, replies, clock })
  const { beginLogin, endLogin } = createUserLogin({
    signIn: platform.signIn,
    logins: createKeptLogins({ authorizations, vault, random, clock }),
    keepUser: createKeepUser({ authorizations, requestedContexts, config, vault, clock }),
    deny,
    visited,
    replies,
    config,
    log,
  })

  // The credentials for the user, and the user's decision.
  const issuables = createIssuables({ store, config, offered, requestedContexts, clock })
  const { configurationsOf, issuableFor, issuableNamed } = issuables
  const formTokens = createFormTokens({ key: platform.sealingKey('consent') })
  const pages = createConsentPages({
    store,
    config,
    formTokens,
    assertSubject: (...args) => assertSubject(formats, ...args),
    log,
  })
  const codes = createCodes({ decisions, config, configurationsOf, random, clock, newId })
  const { codeForOffer } = codes

  return createAuthorizations({
    pushRequest: createPushRequest({ config, clients: clientAuthentication, dpop, storeRequest, random, clock }),
    authorize: createAuthorize({ config, authorizations, requestedOffer, storeRequest, visits, replies, clock }),
    endLogin,
    showConsent: createShowConsent({ visited, beginLogin, issuableFor, pages, deny, replies }),
    decideAtOnce: createDecideAtOnce({ browserHashOf, formTokens, decisions, codeForOffer, replies, vault, clock }),
    decideStepwise: createDecideStepwise({ visited, formTokens, issuableNamed, pages, codes, deny, replies }),
    store: authorizations,
  })
}
