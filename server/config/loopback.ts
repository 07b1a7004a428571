const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i

/** Whether a host name (without port), such as that of an origin, is this very machine. */
export const isLoopbackName = (hostname: string): boolean => LOOPBACK_NAME.test(hostname)
