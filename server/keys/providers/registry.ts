import type { ProviderKind } from './provider.js'

/**
 * The kinds of key providers. A kind is loaded on demand: most installations have no key provider, and one kind needs a
 * native module.
 */
export const PROVIDER_KINDS: Readonly<Record<string, () => Promise<ProviderKind>>> = {
  // Each kind has one line: 'aws-kms': async () => (await import('./aws-kms/kind.js')).awsKms,
}
