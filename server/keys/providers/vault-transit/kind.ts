import { z } from 'zod'
import { ProviderRefusal, type ProviderTools, providerKind } from '../provider.js'
import { originsOf, safeAddress, zAddress, zPath } from '../remote/addresses.js'
import { zAuthentication, zMount } from './credentials.js'
import { createVaultTransit } from './vault-transit.js'

const zSettings = z.strictObject({
  /** Default: VAULT_ADDR. */
  address: zAddress.optional(),
  /** The mount of the transit engine. */
  mount: zMount.default('transit'),
  /** Default: VAULT_NAMESPACE. */
  namespace: zMount.optional(),
  /** A PEM file with the certificate authority of Vault. Default: VAULT_CACERT. */
  caFile: zPath.optional(),
  authentication: zAuthentication.default({ method: 'token' }),
})

function addressOf({ address }: z.output<typeof zSettings>, environment: ProviderTools['environment']): string {
  const given = address ?? environment.VAULT_ADDR
  if (given === undefined) throw new ProviderRefusal('address or VAULT_ADDR must be defined.')
  return safeAddress(given, 'VAULT_ADDR')
}

/** The transit engine of HashiCorp Vault and of OpenBao, by their HTTP API. */
export const vaultTransit = providerKind({
  settings: zSettings,
  network(settings, environment) {
    const caFile = settings.caFile ?? environment.VAULT_CACERT
    return { origins: originsOf(addressOf(settings, environment)), ...(caFile === undefined ? {} : { caFile }) }
  },
  async open(settings, tools) {
    const namespace = settings.namespace ?? tools.environment.VAULT_NAMESPACE
    return createVaultTransit({ ...settings, address: addressOf(settings, tools.environment), namespace }, tools)
  },
})
