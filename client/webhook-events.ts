// Written from the event types of the service; see scripts/client in its source.

/** A credential offer was made, or sent again with a new link. */
export type CredentialOfferCreated = {
  type: 'credential_offer.created'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialOfferSessionId: string
    state: 'Created' | 'OfferRetrieved' | 'Authorized' | 'TokenIssued' | 'CredentialIssued' | 'Accepted' | 'Error'
    deferred?: 'pending' | 'approved' | 'rejected' | undefined
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** A wallet fetched the offer. */
export type CredentialOfferUriRetrieved = {
  type: 'credential_offer.uri_retrieved'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialOfferSessionId: string
    state: 'Created' | 'OfferRetrieved' | 'Authorized' | 'TokenIssued' | 'CredentialIssued' | 'Accepted' | 'Error'
    deferred?: 'pending' | 'approved' | 'rejected' | undefined
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** A user agreed to the offer. */
export type CredentialOfferAuthorized = {
  type: 'credential_offer.authorized'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialOfferSessionId: string
    state: 'Created' | 'OfferRetrieved' | 'Authorized' | 'TokenIssued' | 'CredentialIssued' | 'Accepted' | 'Error'
    deferred?: 'pending' | 'approved' | 'rejected' | undefined
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** A wallet got an access token for the offer. */
export type CredentialOfferRequestReceived = {
  type: 'credential_offer.request_received'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialOfferSessionId: string
    state: 'Created' | 'OfferRetrieved' | 'Authorized' | 'TokenIssued' | 'CredentialIssued' | 'Accepted' | 'Error'
    deferred?: 'pending' | 'approved' | 'rejected' | undefined
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** The credential was issued. */
export type CredentialOfferIssued = {
  type: 'credential_offer.issued'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialOfferSessionId: string
    state: 'Created' | 'OfferRetrieved' | 'Authorized' | 'TokenIssued' | 'CredentialIssued' | 'Accepted' | 'Error'
    deferred?: 'pending' | 'approved' | 'rejected' | undefined
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
    /** The claims of the credential. Only with `payload: full`. */
    claims?: Record<string, unknown> | null | undefined
    /** The claims were no longer stored at the delivery. `claims` is then null. */
    claimsGone?: true | undefined
  }
}

/** The wallet confirmed that it stored the credential. */
export type CredentialOfferCompleted = {
  type: 'credential_offer.completed'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialOfferSessionId: string
    state: 'Created' | 'OfferRetrieved' | 'Authorized' | 'TokenIssued' | 'CredentialIssued' | 'Accepted' | 'Error'
    deferred?: 'pending' | 'approved' | 'rejected' | undefined
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
    /** The claims of the credential. Only with `payload: full`. */
    claims?: Record<string, unknown> | null | undefined
    /** The claims were no longer stored at the delivery. `claims` is then null. */
    claimsGone?: true | undefined
  }
}

/** A wallet waits for the decision of the issuer. */
export type CredentialOfferDeferred = {
  type: 'credential_offer.deferred'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialOfferSessionId: string
    state: 'Created' | 'OfferRetrieved' | 'Authorized' | 'TokenIssued' | 'CredentialIssued' | 'Accepted' | 'Error'
    deferred?: 'pending' | 'approved' | 'rejected' | undefined
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** The issuer, or its claims source, approved the offer. */
export type CredentialOfferApproved = {
  type: 'credential_offer.approved'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialOfferSessionId: string
    state: 'Created' | 'OfferRetrieved' | 'Authorized' | 'TokenIssued' | 'CredentialIssued' | 'Accepted' | 'Error'
    deferred?: 'pending' | 'approved' | 'rejected' | undefined
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** The issuer rejected the offer. */
export type CredentialOfferRejected = {
  type: 'credential_offer.rejected'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialOfferSessionId: string
    state: 'Created' | 'OfferRetrieved' | 'Authorized' | 'TokenIssued' | 'CredentialIssued' | 'Accepted' | 'Error'
    deferred?: 'pending' | 'approved' | 'rejected' | undefined
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** The offer expired before a credential was issued. */
export type CredentialOfferExpired = {
  type: 'credential_offer.expired'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialOfferSessionId: string
    state: 'Created' | 'OfferRetrieved' | 'Authorized' | 'TokenIssued' | 'CredentialIssued' | 'Accepted' | 'Error'
    deferred?: 'pending' | 'approved' | 'rejected' | undefined
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** The offer ended without success, or it was cancelled. */
export type CredentialOfferFailed = {
  type: 'credential_offer.failed'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialOfferSessionId: string
    state: 'Created' | 'OfferRetrieved' | 'Authorized' | 'TokenIssued' | 'CredentialIssued' | 'Accepted' | 'Error'
    deferred?: 'pending' | 'approved' | 'rejected' | undefined
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** A request was made. */
export type VerificationCreated = {
  type: 'verification.created'
  /** When the event occurred. */
  timestamp: string
  data: {
    verificationSessionId: string
    state: 'RequestCreated' | 'RequestUriRetrieved' | 'ResponseVerified' | 'Error'
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** A wallet fetched the request. */
export type VerificationRetrieved = {
  type: 'verification.retrieved'
  /** When the event occurred. */
  timestamp: string
  data: {
    verificationSessionId: string
    state: 'RequestCreated' | 'RequestUriRetrieved' | 'ResponseVerified' | 'Error'
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** An answer passed all checks. */
export type VerificationCompleted = {
  type: 'verification.completed'
  /** When the event occurred. */
  timestamp: string
  data: {
    verificationSessionId: string
    state: 'RequestCreated' | 'RequestUriRetrieved' | 'ResponseVerified' | 'Error'
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
    /** The `credentials` of the result of the session. Only with `payload: full`. */
    claims?: Array<Record<string, unknown>> | null | undefined
    /** The claims were no longer stored at the delivery. `claims` is then null. */
    claimsGone?: true | undefined
  }
}

/** An answer failed a check, or the wallet reported an error. */
export type VerificationFailed = {
  type: 'verification.failed'
  /** When the event occurred. */
  timestamp: string
  data: {
    verificationSessionId: string
    state: 'RequestCreated' | 'RequestUriRetrieved' | 'ResponseVerified' | 'Error'
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
    /** The checks that failed, if the session is still stored. */
    failedChecks?:
      | Array<{
          /** Null for a check of the whole answer. */
          credentialQueryId: string | null
          /** The credential format that the query asks for. */
          format?: string | undefined
          /** The name of the check, as in the checks of the session. */
          check: string
          /** One sentence. It never holds the value of a claim. */
          message: string
        }>
      | undefined
  }
}

/** No wallet answered in time. */
export type VerificationExpired = {
  type: 'verification.expired'
  /** When the event occurred. */
  timestamp: string
  data: {
    verificationSessionId: string
    state: 'RequestCreated' | 'RequestUriRetrieved' | 'ResponseVerified' | 'Error'
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** The user declined: on the page of the request, or the wallet answered `access_denied`. */
export type VerificationDeclined = {
  type: 'verification.declined'
  /** When the event occurred. */
  timestamp: string
  data: {
    verificationSessionId: string
    state: 'RequestCreated' | 'RequestUriRetrieved' | 'ResponseVerified' | 'Error'
    errorMessage?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** A credential was issued or signed. */
export type CredentialIssued = {
  type: 'credential.issued'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialId: string
    /** The offering that the credential was taken from. */
    offeringId?: string | undefined
    /** The credential offer that the credential was taken from. */
    credentialOfferSessionId?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
    /** The claims of the credential. Only with `payload: full`. */
    claims?: Record<string, unknown> | null | undefined
    /** The claims were no longer stored at the delivery. `claims` is then null. */
    claimsGone?: true | undefined
  }
}

/** A credential was revoked. */
export type CredentialRevoked = {
  type: 'credential.revoked'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialId: string
    /** The offering that the credential was taken from. */
    offeringId?: string | undefined
    /** The credential offer that the credential was taken from. */
    credentialOfferSessionId?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
    /** Why the status changed. */
    reason?: string | undefined
  }
}

/** A credential was suspended. */
export type CredentialSuspended = {
  type: 'credential.suspended'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialId: string
    /** The offering that the credential was taken from. */
    offeringId?: string | undefined
    /** The credential offer that the credential was taken from. */
    credentialOfferSessionId?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
    /** Why the status changed. */
    reason?: string | undefined
  }
}

/** A suspended credential became valid again. */
export type CredentialReinstated = {
  type: 'credential.reinstated'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialId: string
    /** The offering that the credential was taken from. */
    offeringId?: string | undefined
    /** The credential offer that the credential was taken from. */
    credentialOfferSessionId?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
    /** Why the status changed. */
    reason?: string | undefined
  }
}

/** A credential expired. */
export type CredentialExpired = {
  type: 'credential.expired'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialId: string
    /** The offering that the credential was taken from. */
    offeringId?: string | undefined
    /** The credential offer that the credential was taken from. */
    credentialOfferSessionId?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** The claims of a credential were erased. */
export type CredentialClaimsErased = {
  type: 'credential.claims_erased'
  /** When the event occurred. */
  timestamp: string
  data: {
    credentialId: string
    /** The offering that the credential was taken from. */
    offeringId?: string | undefined
    /** The credential offer that the credential was taken from. */
    credentialOfferSessionId?: string | undefined
    /** The `reference` that the caller gave, if it is still stored. */
    reference?: string | undefined
    /** The `label` that the caller gave. Only with `payload: full`. */
    label?: string | undefined
  }
}

/** A test of the webhook, on request. */
export type WebhookTest = {
  type: 'webhook.test'
  /** When the event occurred. */
  timestamp: string
  data: {
    webhookId: string
  }
}

/** The body of a delivery. `type` distinguishes the events. */
export type WebhookEvent =
  | CredentialOfferCreated
  | CredentialOfferUriRetrieved
  | CredentialOfferAuthorized
  | CredentialOfferRequestReceived
  | CredentialOfferIssued
  | CredentialOfferCompleted
  | CredentialOfferDeferred
  | CredentialOfferApproved
  | CredentialOfferRejected
  | CredentialOfferExpired
  | CredentialOfferFailed
  | VerificationCreated
  | VerificationRetrieved
  | VerificationCompleted
  | VerificationFailed
  | VerificationExpired
  | VerificationDeclined
  | CredentialIssued
  | CredentialRevoked
  | CredentialSuspended
  | CredentialReinstated
  | CredentialExpired
  | CredentialClaimsErased
  | WebhookTest
