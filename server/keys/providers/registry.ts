import type { ProviderKind } from './provider.js'

/**
 * The kinds of key providers. A kind is loaded on demand: most installations have no key provider, and one kind needs a
 * native module.
 */
export const PROVIDER_KINDS: Readonly<Record<string, () => Promise<ProviderKind>>> = {
  pkcs11: async () => (await import('./pkcs11/kind.js')).pkcs11,
}
