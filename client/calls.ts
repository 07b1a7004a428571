/** Options of a call, beside its input. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal
}

/** The input may be left out if all its members are optional. */
type Given<Input> = undefined extends Input
  ? [input?: Input, options?: CallOptions]
  : [input: Input, options?: CallOptions]

/** A procedure that reads. */
export interface Query<Input, Output> {
  /** Asks the service; rejects with a `CredenceError`. */
  query(...given: Given<Input>): Promise<Output>
}

/** A procedure that changes something. */
export interface Mutation<Input, Output> {
  /** Makes the change; rejects with a `CredenceError`. */
  mutate(...given: Given<Input>): Promise<Output>
}

/** A procedure that returns a stream of events. */
export interface Subscription<Input, Event> {
  /** Delivers every event, until the caller unsubscribes or the service refuses. */
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
  /** Called after each connection. The service may still refuse. */
  onStarted?(): void
  onData(event: Event): void
  /** The service refuses. The subscription has ended, and no other callback follows. */
  onError?(error: CredenceError): void
  /** `signal` ended the subscription; `onComplete` follows. */
  onStopped?(): void
  /** The caller ended the subscription, by `unsubscribe` or `signal`. Not called after `onError`. */
  onComplete?(): void
  /** Called after a change of the connection. `pending` means connected. `error` is the reason why the client connects again. */
  onConnectionStateChange?(state: {
    readonly state: 'idle' | 'connecting' | 'pending'
    readonly error: CredenceError | null
  }): void
}

/** An error as the service writes it. */
export interface CredenceErrorShape {
  readonly message: string
  /** The error's number in the RPC protocol. */
  readonly code: number
  readonly data: {
    /** The error's name in the RPC protocol: `NOT_FOUND`. */
    readonly code: string
    /** The procedure: `offerings.read`. */
    readonly path?: string
    /** The HTTP status of the same error in the REST API. */
    readonly httpStatus: number
    /** The message or messages of the same error in the REST API. */
    readonly messages: readonly string[]
  }
}

/**
 * Every call rejects with this error, and every subscription's `onError` receives it. `data` is absent if the service
 * was not reached. `meta.response` is the HTTP response, for example to read `Retry-After`.
 */
export interface CredenceError extends Error {
  readonly shape: CredenceErrorShape | null | undefined
  readonly data: CredenceErrorShape['data'] | null | undefined
  readonly meta: Record<string, unknown> | undefined
}
