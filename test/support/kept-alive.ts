/**
 * Options of a test's server: it closes no idle connection. Only the client closes connections: if the server did, a request
 * sent at that moment would be lost, which is likely on a busy machine.
 */
export const KEPT_ALIVE = { keepAliveTimeout: 0 }
