import { ProviderRefusal, type ProviderTools } from '../provider.js'
import { originsOf, safeAddress } from '../remote/addresses.js'
import { codeOf, described, type Exchange, objectIn, textIn } from '../remote/exchange.js'
import { secretIn } from '../remote/files.js'
import { type CredentialSource, endAfter } from '../remote/kept-credential.js'

type Environment = ProviderTools['environment']

/** The sources of tokens, in the order in which the tools of Azure look for them. */
export const AZURE_CREDENTIALS = ['client-secret', 'workload-identity', 'managed-identity'] as const

export type AzureCredentials = (typeof AZURE_CREDENTIALS)[number]

export interface AzureIdentitySettings {
  readonly credentials?: AzureCredentials | undefined
  readonly tenantId?: string | undefined
  readonly clientId?: string | undefined
  readonly clientSecretFile?: string | undefined
  readonly authority?: string | undefined
}

/** Where the tokens come from, with everything that settings and environment say about the source. */
export type AzureSource =
  | (AzureApplication & { readonly from: 'client-secret'; readonly file: string | undefined; readonly secret: string })
  | (AzureApplication & { readonly from: 'workload-identity'; readonly file: string })
  | { readonly from: 'managed-identity'; readonly address: string; readonly headers: Record<string, string> }

interface AzureApplication {
  /** The token endpoint of the tenant. */
  readonly address: string
  readonly clientId: string
}

const ID = /^[A-Za-z0-9.-]{1,100}$/

function needed(value: string | undefined, name: string): string {
  if (value !== undefined && ID.test(value)) return value
  throw new ProviderRefusal(`${name} must be defined for these credentials of Azure, as an identifier.`)
}

function applicationOf(settings: AzureIdentitySettings, environment: Environment): AzureApplication {
  const tenant = needed(settings.tenantId ?? environment.AZURE_TENANT_ID, 'tenantId or AZURE_TENANT_ID')
  const clientId = needed(settings.clientId ?? environment.AZURE_CLIENT_ID, 'clientId or AZURE_CLIENT_ID')
  const configured = environment.AZURE_AUTHORITY_HOST ?? 'https://login.microsoftonline.com'
  const authority = settings.authority ?? safeAddress(configured, 'AZURE_AUTHORITY_HOST')
  return { address: `${authority}/${tenant}/oauth2/v2.0/token`, clientId }
}

function managedIdentity(settings: AzureIdentitySettings, environment: Environment, resource: string): AzureSource {
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: header } = environment
  const clientId = settings.clientId ?? environment.AZURE_CLIENT_ID
  const asked = { resource, ...(clientId === undefined ? {} : { client_id: clientId }) }
  if (endpoint === undefined || header === undefined) {
    const query = new URLSearchParams({ 'api-version': '2018-02-01', ...asked })
    const address = `http://169.254.169.254/metadata/identity/oauth2/token?${query}`
    return { from: 'managed-identity', address, headers: { metadata: 'true' } }
  }
  const query = new URLSearchParams({ 'api-version': '2019-08-01', ...asked })
  const address = `${hostAgent(endpoint)}?${query}`
  return { from: 'managed-identity', address, headers: { 'x-identity-header': header } }
}

/** The agent of App Service and Container Apps. It is on this machine, or at a link-local address. */
function hostAgent(endpoint: string): string {
  const { hostname = '', protocol, search } = URL.canParse(endpoint) ? new URL(endpoint) : {}
  if (protocol === 'http:' && search === '' && /^169\.254\.\d+\.\d+$/.test(hostname)) return endpoint
  return safeAddress(endpoint, 'IDENTITY_ENDPOINT')
}

/**
 * Decides where the tokens come from.
 *
 * @param resource the audience of the tokens, such as `https://vault.azure.net`
 * @throws {ProviderRefusal} if a member or variable of the source is missing
 */
export function azureSource(settings: AzureIdentitySettings, environment: Environment, resource: string): AzureSource {
  const { AZURE_CLIENT_SECRET: secret, AZURE_FEDERATED_TOKEN_FILE: federated } = environment
  const hasSecret = settings.clientSecretFile !== undefined || secret !== undefined
  const found = hasSecret ? 'client-secret' : federated === undefined ? 'managed-identity' : 'workload-identity'
  switch (settings.credentials ?? found) {
    case 'client-secret':
      if (!hasSecret) throw new ProviderRefusal('clientSecretFile or AZURE_CLIENT_SECRET must be defined.')
      return {
        from: 'client-secret',
        ...applicationOf(settings, environment),
        file: settings.clientSecretFile,
        secret: secret ?? '',
      }
    case 'workload-identity':
      if (federated === undefined) throw new ProviderRefusal('AZURE_FEDERATED_TOKEN_FILE must be defined.')
      return { from: 'workload-identity', ...applicationOf(settings, environment), file: federated }
    case 'managed-identity':
      return managedIdentity(settings, environment, resource)
  }
}

/** The origin that a source requests. */
export const originsOfAzureSource = (source: AzureSource): string[] => originsOf(source.address)

/** Obtains tokens from a source (RFC 6749 §4.4, RFC 7523 §2.2 for workload identity). */
export function azureCredentials(
  source: AzureSource,
  resource: string,
  exchange: Exchange,
  clock: () => Date,
): CredentialSource<string> {
  return async (signal) => {
    const answer =
      source.from === 'managed-identity'
        ? await exchange.send(source.address, { method: 'GET', headers: source.headers, signal })
        : await exchange.send(source.address, {
            method: 'POST',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: new URLSearchParams({
              grant_type: 'client_credentials',
              client_id: source.clientId,
              scope: `${resource}/.default`,
              ...(await proofOf(source)),
            }).toString(),
            signal,
          })
    const members = objectIn(answer, exchange.service)
    if (!answer.ok) {
      const reason = described(answer, codeOf(members.error))
      throw new ProviderRefusal(`${exchange.service} got no token by ${source.from}: ${reason}.`)
    }
    const value = textIn(members, 'access_token', exchange.service)
    return { value, expiresAt: endAfter(members.expires_in, clock, exchange.service) }
  }
}

async function proofOf(source: Exclude<AzureSource, { from: 'managed-identity' }>): Promise<Record<string, string>> {
  if (source.from === 'workload-identity') {
    return {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await secretIn(source.file, 'the federated token'),
    }
  }
  const { file, secret } = source
  return { client_secret: file === undefined ? secret : await secretIn(file, 'the client secret') }
}
