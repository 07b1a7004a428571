/** The key of a call that creates something. It is no interface, because tRPC accepts only a type as a context. */
export type KeyContext = {
  /** The call's `Idempotency-Key`. Default: a random key for each call. With `false`, the call has no key. */
  readonly idempotencyKey?: string | false
}

/** Options of a call, in addition to its input. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal
  /**
   * The service acts once for each key of a caller. Give a key if your program may repeat the call after a restart.
   * Other procedures than those that create something ignore it.
   */
  readonly context?: KeyContext
}

/** The input may be left out if all its members are optional. */
type Given<Input> = undefined extends Input
  ? [input?: Input, options?: CallOptions]
  : [input: Input, options?: CallOptions]

/** A procedure that reads. */
export interface Query<Input, Output> {
  /** Calls the procedure. Rejects with a `CredenceError`. */
  query(...given: Given<Input>): Promise<Output>
}

/** A procedure that changes something. */
export interface Mutation<Input, Output> {
  /** Calls the procedure, which makes the change. Rejects with a `CredenceError`. */
  mutate(...given: Given<Input>): Promise<Output>
}

/** A procedure that returns a stream of events. */
export interface Subscription<Input, Event> {
  /** Delivers every event until the caller unsubscribes or the service refuses the subscription. */
  subscribe(input: Input, callbacks: SubscriptionCallbacks<Event>): { unsubscribe(): void }
}

/**
 * An event of a subscription. After a lost connection the subscription continues after the last `id`. If no event was
 * missed, the service sends a session's current state once more, with the same `id`.
 */
export interface Tracked<Data> {
  readonly id: string
  readonly data: Data
}

export interface SubscriptionCallbacks<Event> extends CallOptions {
  /** Called each time when the connection is open. The service may still refuse the subscription. */
  onStarted?(): void
  onData(event: Event): void
  /** Called if the service refuses the subscription. The subscription has then ended, and no other callback follows. */
  onError?(error: CredenceError): void
  /** Called if `signal` ended the subscription. `onComplete` follows. */
  onStopped?(): void
  /** Called if the caller ended the subscription, by `unsubscribe` or `signal`. Not called after `onError`. */
  onComplete?(): void
  /**
   * Called when the state of the connection changes. `pending` means that the client is connected. `error` is the
   * reason why the client connects again.
   */
  onConnectionStateChange?(state: {
    readonly state: 'idle' | 'connecting' | 'pending'
    readonly error: CredenceError | null
  }): void
}

/** The content of an error, as the service sends it. */
export interface CredenceErrorShape {
  readonly message: string
  /** The number of the error code in the RPC protocol. */
  readonly code: number
  readonly data: {
    /** The name of the error code in the RPC protocol, such as `NOT_FOUND`. */
    readonly code: string
    /** The name of the procedure, such as `offerings.read`. */
    readonly path?: string
    /** The HTTP status of the same error in the REST API. */
    readonly httpStatus: number
    /** The message or messages of the same error in the REST API. */
    readonly messages: readonly string[]
    /** The certificates of an issuer or a verifier that a hosted wallet does not trust. `trustLists.explain` explains them. */
    readonly untrusted?: {
      readonly purpose: 'credentials' | 'verifiers' | 'registrars'
      /** Base64 of each certificate in DER, the signer's first. */
      readonly certificates: readonly string[]
      readonly types: readonly string[]
    }
  }
}

/**
 * A failed call rejects with this error, and `onError` of a subscription receives it. `data` is absent if the service
 * was not reached. `meta.response` is the HTTP response, for example to read `Retry-After`.
 */
export interface CredenceError extends Error {
  readonly shape: CredenceErrorShape | null | undefined
  readonly data: CredenceErrorShape['data'] | null | undefined
  readonly meta: Record<string, unknown> | undefined
}
