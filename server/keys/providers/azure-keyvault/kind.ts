import { z } from 'zod'
import { ProviderRefusal, type ProviderTools, providerKind } from '../provider.js'
import { originsOf, zAddress, zPath } from '../remote/addresses.js'
import { createAzureKeyVault } from './azure-keyvault.js'
import { AZURE_CREDENTIALS, azureSource, originsOfAzureSource } from './credentials.js'

const zId = z.string().regex(/^[A-Za-z0-9.-]{1,100}$/, { error: 'must be an identifier' })

const zSettings = z.strictObject({
  /** The vault, such as `https://credence.vault.azure.net`, or a managed HSM. */
  vaultUrl: zAddress,
  /** Whether keys must lie in a hardware module (`EC-HSM`). */
  hsm: z.boolean({ error: 'must be true or false' }).default(true),
  credentials: z.enum(AZURE_CREDENTIALS, { error: `must be ${AZURE_CREDENTIALS.join(', ')}` }).optional(),
  /** Default: AZURE_TENANT_ID. */
  tenantId: zId.optional(),
  /** Default: AZURE_CLIENT_ID. */
  clientId: zId.optional(),
  /** Default: AZURE_CLIENT_SECRET. */
  clientSecretFile: zPath.optional(),
  /** The address of Entra ID. Default: AZURE_AUTHORITY_HOST, or the public cloud. */
  authority: zAddress.optional(),
  /** The audience of tokens. Default: the domain of the vault. */
  resource: z
    .url({ protocol: /^https$/, error: 'must be an https URL' })
    .max(200)
    .optional(),
})

/** The audience of tokens: the domain of the vault's cloud, without the name of the vault. */
function resourceOf({ vaultUrl, resource }: z.output<typeof zSettings>): string {
  const domain = /^[^.]+\.((?:vault|managedhsm)\.[a-z.]+)$/.exec(new URL(vaultUrl).hostname)?.[1]
  if (resource !== undefined) return resource.replace(/\/+$/, '')
  if (domain !== undefined) return `https://${domain}`
  throw new ProviderRefusal('resource must be set, because vaultUrl is no address of a cloud of Azure.')
}

function sourceOf(settings: z.output<typeof zSettings>, environment: ProviderTools['environment']) {
  const resource = resourceOf(settings)
  return { resource, source: azureSource(settings, environment, resource) }
}

/** Azure Key Vault and Managed HSM, by their REST API 7.4. */
export const azureKeyVault = providerKind({
  settings: zSettings,
  network(settings, environment) {
    const { source } = sourceOf(settings, environment)
    return { origins: [...originsOf(settings.vaultUrl), ...originsOfAzureSource(source)] }
  },
  async open(settings, tools) {
    return createAzureKeyVault({ ...settings, ...sourceOf(settings, tools.environment) }, tools)
  },
})
