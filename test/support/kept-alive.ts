/**
 * Options of a server that tests talk to: it closes no idle connection. Were it the server, and not whoever asks, a request that is
 * sent at that moment would be lost, which a busy machine makes likely.
 */
export const KEPT_ALIVE = { keepAliveTimeout: 0 }
