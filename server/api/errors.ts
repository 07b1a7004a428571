import { TRPCError } from '@trpc/server'
import type { UntrustedSigner } from '../protocol/credential/untrusted-signer.js'
import { limited } from '../protocol/messages.js'

type TRPCCode = TRPCError['code']

/** HTTP status → RPC code on `/trpc`. */
const RPC_CODES: Readonly<Record<number, TRPCCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  406: 'BAD_REQUEST',
  409: 'CONFLICT',
  // RPC has no code for "gone". `data.httpStatus` contains the true status.
  410: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  501: 'NOT_IMPLEMENTED',
  503: 'SERVICE_UNAVAILABLE',
}

/**
 * An error that the service throws on purpose, to refuse a request. The caller receives `message`. `cause` is only
 * logged. For validation errors, `message` is a list. It has at most 20 messages. A last entry gives the number of the
 * remaining messages. Each message starts with the field's path.
 */
export class ServiceError extends TRPCError {
  override readonly name = 'ServiceError'

  constructor(
    readonly status: number,
    readonly messages: string | readonly string[],
    cause?: unknown,
    /** Seconds after which the caller should try again: the header `Retry-After`. */
    readonly retryAfter?: number,
    /** The certificates of a signer that is not trusted. `/trpc` returns them, because the console explains them. */
    readonly untrusted?: UntrustedSigner,
  ) {
    super({
      code: RPC_CODES[status] ?? 'INTERNAL_SERVER_ERROR',
      message: typeof messages === 'string' ? messages : messages.join('; '),
      ...(cause === undefined ? {} : { cause }),
    })
  }
}

/** Thrown to end an open stream. It is not a failure, because the client connects again. */
export class StreamEnd extends ServiceError {
  constructor(message: string) {
    super(503, message)
  }
}

const sizeText = (bytes: number) => (bytes < 1_048_576 ? `${bytes / 1_024} KiB` : `${bytes / 1_048_576} MiB`)

/**
 * Seconds after which the caller should try again if there are too many streams. In this time, the service detects
 * clients that disappeared without closing their connection: it needs two pings.
 */
const STREAM_RETRY_SECONDS = 30

/** A download of an export takes seconds. */
const DOWNLOAD_RETRY_SECONDS = 10

/** A request takes seconds. */
const KEY_RETRY_SECONDS = 1

/** A key provider that restarts or fails over takes seconds. */
const SIGNING_RETRY_SECONDS = 5

/** Stored keys expire all the time. */
const KEYS_RETRY_SECONDS = 60

/** Thrown if a token could not be checked. The token may be valid. */
export class KeysUnavailable extends ServiceError {}

/** The catalogue of all errors that the service throws on purpose. */
export const errors = {
  badRequest: (...messages: string[]) => new ServiceError(400, limited(messages)),
  /** A 400 with any number of messages. The response shows the first messages. */
  invalid: (messages: Iterable<string>) => new ServiceError(400, limited(messages)),
  notDecoded: (parameter: string) => new ServiceError(400, [`${parameter} must be percent-encoded UTF-8`]),
  noQrCodeImage: (cause?: unknown) => new ServiceError(400, ['url has no usable image of a QR code'], cause),
  unstorableText: (cause?: unknown) => new ServiceError(400, 'Text must not contain a NUL character.', cause),
  /** For checks that have no separate error if they take too much work. */
  tooMuchWork: (cause?: unknown) => new ServiceError(400, 'The request takes more work than one request may.', cause),
  listTooSlow: (cause?: unknown) =>
    new ServiceError(
      400,
      'The list takes longer than 2 s with these filters. Ask for a shorter time, or by fewer of them.',
      cause,
    ),
  statusJobTooLarge: (matched: string, most: string) =>
    new ServiceError(400, [`filter matches ${matched} credentials, and a job may change at most ${most}`]),
  statusJobOfAll: (matched: string) =>
    new ServiceError(400, [`filter is empty and matches all ${matched} credentials: set all to true to change them`]),
  unreadableBody: (cause?: unknown) => new ServiceError(400, ['Request body could not be read.'], cause),
  bodyInPieces: () => new ServiceError(400, ['Request body came in too many pieces.']),
  malformedJson: () => new ServiceError(400, 'Request body is not valid JSON.'),
  unknownUriProtocol: () =>
    new ServiceError(400, 'Unknown URI protocol. Expected openid-credential-offer:// or openid4vp://'),
  transactionUnconfirmed: () =>
    new ServiceError(400, 'Request has transaction data, which a person confirms: start a flow with it.'),
  registrationUnconfirmed: (fault: string) =>
    new ServiceError(400, `${fault} A person can confirm it: start a flow with it.`),
  holderWithoutDid: () => new ServiceError(400, 'Holder has no DIDs created. Cannot accept credential offer.'),
  unauthorized: () => new ServiceError(401, 'Unauthorized'),
  invalidToken: (cause?: unknown) => new ServiceError(401, 'Invalid access token.', cause),
  sessionEnded: (cause?: unknown) => new ServiceError(401, 'Session has ended. Log in again.', cause),
  missingKid: () => new ServiceError(401, 'Access token header is missing kid.'),
  signingKeyNotFound: () => new ServiceError(401, 'Access token signing key was not found.'),
  signingKeysUnavailable: (cause?: unknown) =>
    new KeysUnavailable(401, 'Access token signing keys are unavailable.', cause),
  tokenExpired: () => new ServiceError(401, 'Access token has expired.'),
  insufficientRole: () => new ServiceError(403, 'Insufficient role.'),
  holderDenied: () => new ServiceError(403, 'Access to holder denied.'),
  hostNotAllowed: () => new ServiceError(403, 'Host is not allowed.'),
  originNotAllowed: () => new ServiceError(403, 'Origin is not allowed.'),
  crossSite: () => new ServiceError(403, 'Cross-site requests are not allowed.'),
  resultDenied: () => new ServiceError(403, 'Access to result denied.'),
  evidenceDenied: () => new ServiceError(403, 'Access to evidence denied.'),
  responseCodeMismatch: () => new ServiceError(403, 'response_code does not match.'),
  schemaDenied: () => new ServiceError(403, 'Schema belongs to another caller.'),
  pageDenied: (member: string) => new ServiceError(403, `${member} belongs to another caller.`),
  anotherRecipient: () => new ServiceError(403, 'Offering is for another recipient.'),
  routeNotFound: (method: string, path: string) => new ServiceError(404, `Cannot ${method} ${path}`),
  recordNotFound: (kind: 'Issuer' | 'Verifier') => new ServiceError(404, `${kind} not found.`),
  schemaNotFound: () => new ServiceError(404, 'Schema not found.'),
  imageInUse: (uses: number) =>
    new ServiceError(409, `Image is used by ${uses === 1 ? '1 record' : `${uses} records`}.`),
  tooManyImages: (most: number) =>
    new ServiceError(
      409,
      `You have ${most} images that no record uses. Use them, delete some, or wait until the service removes them.`,
    ),
  imageNotFound: () => new ServiceError(404, 'Image not found.'),
  operationNotFound: () => new ServiceError(404, 'Operation not found.'),
  credentialOfferNotFound: () => new ServiceError(404, 'Credential offer not found.'),
  offerBatchNotFound: () => new ServiceError(404, 'Offer batch not found.'),
  offeringNotFound: () => new ServiceError(404, 'Offering not found.'),
  trustListNotFound: () => new ServiceError(404, 'Trusted list not found.'),
  registrationNotFound: () => new ServiceError(404, 'Registration certificate not found.'),
  trustedIssuerNotFound: () => new ServiceError(404, 'Trusted issuer not found.'),
  vpQueryNotFound: () => new ServiceError(404, 'VP query not found.'),
  noEvidenceSession: () => new ServiceError(404, 'Verification session not found.'),
  qrCodeNotFound: () => new ServiceError(404, 'QR code not found.'),
  credentialNotFound: () => new ServiceError(404, 'Credential not found.'),
  pageNotFound: () => new ServiceError(404, 'Page not found.'),
  pageTargetNotFound: (member: string) => new ServiceError(404, `${member} is unknown.`),
  didDocumentNotFound: () => new ServiceError(404, 'DID Document not found.'),
  statusListNotFound: () => new ServiceError(404, 'Status list not found.'),
  statusJobNotFound: () => new ServiceError(404, 'Status job not found.'),
  exportNotFound: () => new ServiceError(404, 'Export not found.'),
  webhookNotFound: () => new ServiceError(404, 'Webhook not found.'),
  webhookDeliveryNotFound: () => new ServiceError(404, 'Delivery not found.'),
  flowNotFound: () => new ServiceError(404, 'Flow not found.'),
  holderDidNotFound: () => new ServiceError(404, 'DID not found.'),
  methodNotAllowed: (method: string) => new ServiceError(405, `${method} is not allowed here.`),
  notAcceptable: (...types: string[]) => new ServiceError(406, `Only ${types.join(' and ')} can be had here.`),
  keyInUse: () =>
    new ServiceError(409, 'A request with this Idempotency-Key is running.', undefined, KEY_RETRY_SECONDS),
  answerTooLong: () =>
    new ServiceError(409, 'A request with this Idempotency-Key was done, but its answer is too long to be stored.'),
  holderDidInUse: () => new ServiceError(409, 'Credentials are bound to this DID. Delete them first.'),
  tooManyWebhooks: () => new ServiceError(409, 'Caller has 20 webhooks. Delete one first.'),
  webhookTestRunning: () => new ServiceError(409, 'A test of the webhook is running.'),
  webhookInactive: () => new ServiceError(409, 'Webhook is not active.'),
  webhookDeliveryPending: () => new ServiceError(409, 'Delivery still waits.'),
  trustListAdded: () => new ServiceError(409, 'url is a trusted list for this purpose already.'),
  tooManyTrustLists: (most: number) => new ServiceError(409, `There are ${most} trusted lists already.`),
  trustListBusy: () => new ServiceError(409, 'Trusted list is being read at the moment.'),
  trustListConfigured: () => new ServiceError(409, 'Trusted list is in TRUST_LISTS and cannot be removed here.'),
  issuerTrusted: () => new ServiceError(409, 'issuer is trusted already.'),
  signingUnfit: (sentence: string) => new ServiceError(409, sentence),
  recordChanged: () => new ServiceError(409, 'display was changed by somebody else meanwhile.'),
  keyCertified: (variable: string) =>
    new ServiceError(
      409,
      `The key keeps its certificate: ${variable} names both. Replace the file of ${variable} and restart the service.`,
    ),
  keyAttested: () =>
    new ServiceError(
      409,
      'The key keeps its attestation: VERIFIER_ATTESTATION is for this key. Replace the attestation and restart the service.',
    ),
  keyPlaceFixed: (variable: string, provider: string) =>
    new ServiceError(409, `The key must be in ${provider}: ${variable} says so, and the next start would end.`),
  keyRotatedMeanwhile: () => new ServiceError(409, 'The key was rotated by somebody else meanwhile.'),
  flowEnded: (state: 'confirmed' | 'declined') => new ServiceError(409, `Flow is already ${state}.`),
  verifierAttestationExpired: () => new ServiceError(409, 'Attestation of the verifier has expired.'),
  registrationKnown: (party: 'issuer' | 'verifier') =>
    new ServiceError(409, `The ${party} has this registration certificate already.`),
  registrationConfigured: (party: 'issuer' | 'verifier') =>
    new ServiceError(
      409,
      `Registration certificate is in ${party.toUpperCase()}_REGISTRATIONS and cannot be removed here.`,
    ),
  registrationUnusable: (sentence = 'The registration certificate is revoked.') => new ServiceError(409, sentence),
  verifierCertificateExpired: () => new ServiceError(409, 'Certificate of the verifier has expired.'),
  resultNotReady: (errorMessage?: string | null) =>
    new ServiceError(409, errorMessage ?? 'Verification session has no result.'),
  evidenceNotReady: () => new ServiceError(409, 'Verification session has not ended.'),
  noEvidence: () =>
    new ServiceError(409, 'No evidence was kept: the request did not ask for it, or no wallet presented anything.'),
  schemaExists: (name: string, version: number) =>
    new ServiceError(409, `Schema ${name} version ${version} already exists.`),
  noClaimsSource: () => new ServiceError(409, 'Schema has no claims source.'),
  credentialRevoked: () => new ServiceError(409, 'Credential is revoked, which is final.'),
  credentialNotSuspendable: () =>
    new ServiceError(409, 'Credential cannot be suspended: its type was not suspendable when it was issued.'),
  statusJobEnded: (state: 'done' | 'cancelled') => new ServiceError(409, `Status job is ${state} already.`),
  statusJobOverlaps: (id: string) =>
    new ServiceError(409, `Some of these credentials are in the status job ${id}, which has not ended.`),
  tooManyStatusJobs: () => new ServiceError(409, 'Too many status jobs have not ended. Wait for one, or cancel one.'),
  offerNotDeferred: () => new ServiceError(409, 'Credential offer is not deferred.'),
  offerDecided: (decision: 'approved' | 'rejected') =>
    new ServiceError(409, `Credential offer is ${decision} already.`),
  pageTargetEnded: (member: string) => new ServiceError(409, `${member} has ended: no page can be made of it.`),
  offerEnded: () => new ServiceError(409, 'Credential offer has ended.'),
  offerBatchCancelled: () => new ServiceError(409, 'Offer batch has been cancelled.'),
  offerTaken: () => new ServiceError(409, 'Credential offer has been taken.'),
  offerSessionChanged: () => new ServiceError(409, 'Credential offer session changed meanwhile. Try again.'),
  redemptionLimitReached: () => new ServiceError(409, 'Offering redemption limit reached.'),
  schemaWithdrawn: () => new ServiceError(410, 'Schema version is withdrawn.'),
  schemaSuperseded: () => new ServiceError(410, 'Schema version is superseded.'),
  resultGone: () => new ServiceError(410, 'Verification result has expired.'),
  resultErased: () => new ServiceError(410, 'Verification result was erased.'),
  offeringErased: () => new ServiceError(410, 'Claims of the offering were erased.'),
  evidenceGone: () => new ServiceError(410, 'Evidence has expired.'),
  offeringExpired: () => new ServiceError(410, 'Offering has expired.'),
  payloadTooLarge: (maxBytes: number) => new ServiceError(413, `Request body exceeds ${sizeText(maxBytes)}.`),
  unsupportedMediaType: (type: string) => new ServiceError(415, `Content type ${type} is not supported.`),
  tooManyStreams: () =>
    new ServiceError(429, 'Too many event streams of this caller are open.', undefined, STREAM_RETRY_SECONDS),
  tooManyDownloads: () =>
    new ServiceError(429, 'Too many exports of this caller are being downloaded.', undefined, DOWNLOAD_RETRY_SECONDS),
  keyOfOtherRequest: () => new ServiceError(422, 'Idempotency-Key was used for another request.'),
  tooManyKeys: () =>
    new ServiceError(429, 'Too many Idempotency-Keys of this caller are stored.', undefined, KEYS_RETRY_SECONDS),
  tooManyRequests: () => new ServiceError(429, 'Too Many Requests'),
  credentialOfferSessionNotFound: () => new ServiceError(500, 'Credential offer session not found.'),
  verificationSessionNotFound: () => new ServiceError(500, 'Verification session not found.'),
  issuerNotFound: () => new ServiceError(500, 'Issuer not found.'),
  verifierNotFound: () => new ServiceError(500, 'Verifier not found.'),
  noMatchingCredential: () =>
    new ServiceError(500, 'Could not find the required credentials for the presentation submission'),
  walletFailed: (reason: string, cause?: unknown, untrusted?: UntrustedSigner) =>
    new ServiceError(500, reason, cause, undefined, untrusted),
  historyNotKept: () => new ServiceError(501, 'Status lists of former times are not kept.'),
  noStreamLeft: () => new ServiceError(503, 'Too many event streams are open.', undefined, STREAM_RETRY_SECONDS),
  noDownloadLeft: () =>
    new ServiceError(503, 'Too many exports are being downloaded.', undefined, DOWNLOAD_RETRY_SECONDS),
  /** Ends a stream; the reader connects again with a valid token. */
  streamExpired: () => new StreamEnd('Access token has expired. Connect again.'),
  stopping: () => new StreamEnd('Service is stopping.'),
  identityProviderUnavailable: (cause?: unknown) => new ServiceError(503, 'Identity provider is unavailable.', cause),
  trustListUnsigned: () => new ServiceError(503, 'Trusted list is not signed: its signer has no certificate.'),
  /** A key provider cannot sign now. */
  signingUnavailable: (cause?: unknown) =>
    new ServiceError(503, 'Signing is not available at the moment.', cause, SIGNING_RETRY_SECONDS),
  databaseUnavailable: (cause?: unknown) => new ServiceError(503, 'Database is unavailable.', cause),
} as const
