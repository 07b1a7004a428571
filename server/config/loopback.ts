const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i

/** True if a host name (without port) names this machine. */
export const isLoopbackName = (hostname: string): boolean => LOOPBACK_NAME.test(hostname)
