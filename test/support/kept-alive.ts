/**
 * Options for a server of a test. The server does not close idle connections: only the client does. If the server
 * closed a connection while a request is sent, the request would be lost. This is likely on a busy machine.
 */
export const KEPT_ALIVE = { keepAliveTimeout: 0 }
