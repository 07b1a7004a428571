/**
 * Options of a test's server that closes no idle connection. Only the client closes connections. If the server closed a connection, a
 * request that is sent at this moment would be lost. This is likely on a busy machine.
 */
export const KEPT_ALIVE = { keepAliveTimeout: 0 }
