import type { ProviderKind } from './provider.js'

/**
 * The kinds of key providers. A kind is loaded on demand: most installations have no key provider, and one kind needs a
 * native module.
 */
export const PROVIDER_KINDS: Readonly<Record<string, () => Promise<ProviderKind>>> = {
  pkcs11: async () => (await import('./pkcs11/kind.js')).pkcs11,
  'aws-kms': async () => (await import('./aws-kms/kind.js')).awsKms,
  'azure-keyvault': async () => (await import('./azure-keyvault/kind.js')).azureKeyVault,
  'google-kms': async () => (await import('./google-kms/kind.js')).googleKms,
  'vault-transit': async () => (await import('./vault-transit/kind.js')).vaultTransit,
}
