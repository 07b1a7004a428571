import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isLoopbackName } from '../../../config/loopback.js'
import { ProviderRefusal, type ProviderTools, ProviderUnavailable } from '../provider.js'
import { originsOf, safeAddress } from '../remote/addresses.js'
import { described, type Exchange, objectIn, type ProviderAnswer, textIn } from '../remote/exchange.js'
import { secretIn } from '../remote/files.js'
import { type CredentialSource, endAt } from '../remote/kept-credential.js'
import type { AwsKeys } from './signature-v4.js'

type Environment = ProviderTools['environment']

/** The sources of keys, in the order in which the tools of AWS look for them. */
export const AWS_CREDENTIALS = ['environment', 'file', 'web-identity', 'container', 'instance'] as const

export type AwsCredentials = (typeof AWS_CREDENTIALS)[number]

/** Where the keys come from, with everything that the environment says about the source. */
export type AwsSource =
  | { readonly from: 'environment'; readonly keys: AwsKeys }
  | { readonly from: 'file'; readonly path: string; readonly profile: string }
  | { readonly from: 'web-identity'; readonly sts: string; readonly roleArn: string; readonly tokenFile: string }
  | { readonly from: 'container'; readonly address: string; readonly token: ContainerToken }
  | { readonly from: 'instance'; readonly address: string }

interface ContainerToken {
  readonly file?: string | undefined
  readonly value?: string | undefined
}

/** Addresses of the agents that give keys to containers: ECS, EKS Pod Identity, and its IPv6 form. */
const AGENTS: ReadonlySet<string> = new Set(['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'])

/** The domain of a region: China and the European sovereign cloud have their own. */
export function domainOf(region: string): string {
  if (region.startsWith('cn-')) return 'amazonaws.com.cn'
  return region.startsWith('eusc-') ? 'amazonaws.eu' : 'amazonaws.com'
}

function found(environment: Environment): AwsCredentials {
  if (environment.AWS_ACCESS_KEY_ID !== undefined) return 'environment'
  if (environment.AWS_PROFILE !== undefined || environment.AWS_SHARED_CREDENTIALS_FILE !== undefined) return 'file'
  if (environment.AWS_WEB_IDENTITY_TOKEN_FILE !== undefined) return 'web-identity'
  const isInContainer =
    environment.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI ?? environment.AWS_CONTAINER_CREDENTIALS_FULL_URI
  return isInContainer === undefined ? 'instance' : 'container'
}

/** @throws {ProviderRefusal} with the name of the variable if it is not set */
function needed(environment: Environment, name: string): string {
  const value = environment[name]
  if (value !== undefined && value !== '') return value
  throw new ProviderRefusal(`${name} must be defined for these credentials of AWS.`)
}

function containerAddress(environment: Environment): string {
  const path = environment.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI
  if (path !== undefined) {
    const address = `http://169.254.170.2${path}`
    if (path.startsWith('/') && URL.canParse(address) && new URL(address).host === '169.254.170.2') return address
    throw new ProviderRefusal('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must be a path.')
  }
  const address = needed(environment, 'AWS_CONTAINER_CREDENTIALS_FULL_URI')
  const { protocol = '', hostname = '' } = URL.canParse(address) ? new URL(address) : {}
  if (protocol === 'https:' || (protocol === 'http:' && (AGENTS.has(hostname) || isLoopbackName(hostname))))
    return address
  throw new ProviderRefusal('AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or an address of a container agent.')
}

function instanceAddress(environment: Environment): string {
  if (environment.AWS_EC2_METADATA_DISABLED === 'true')
    throw new ProviderRefusal('There are no credentials of AWS, and AWS_EC2_METADATA_DISABLED is true.')
  const configured = environment.AWS_EC2_METADATA_SERVICE_ENDPOINT
  if (configured === undefined) return 'http://169.254.169.254'
  const { host = '' } = URL.canParse(configured) ? new URL(configured) : {}
  if (host === '169.254.169.254' || host === '[fd00:ec2::254]') return `http://${host}`
  return safeAddress(configured, 'AWS_EC2_METADATA_SERVICE_ENDPOINT')
}

/**
 * Decides where the keys come from, by the variables that the tools of AWS read.
 *
 * @throws {ProviderRefusal} if a variable of the source is missing or names an address that must not get requests
 */
export function awsSource(
  settings: {
    readonly credentials?: AwsCredentials | undefined
    readonly profile?: string | undefined
    readonly stsEndpoint?: string | undefined
  },
  region: string,
  environment: Environment,
): AwsSource {
  const from = settings.credentials ?? (settings.profile === undefined ? found(environment) : 'file')
  switch (from) {
    case 'environment': {
      const accessKeyId = needed(environment, 'AWS_ACCESS_KEY_ID')
      const secretAccessKey = needed(environment, 'AWS_SECRET_ACCESS_KEY')
      return { from, keys: { accessKeyId, secretAccessKey, sessionToken: environment.AWS_SESSION_TOKEN } }
    }
    case 'file': {
      const path = environment.AWS_SHARED_CREDENTIALS_FILE ?? join(homedir(), '.aws', 'credentials')
      return { from, path, profile: settings.profile ?? environment.AWS_PROFILE ?? 'default' }
    }
    case 'web-identity':
      return {
        from,
        sts: settings.stsEndpoint ?? `https://sts.${region}.${domainOf(region)}`,
        roleArn: needed(environment, 'AWS_ROLE_ARN'),
        tokenFile: needed(environment, 'AWS_WEB_IDENTITY_TOKEN_FILE'),
      }
    case 'container': {
      const { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file, AWS_CONTAINER_AUTHORIZATION_TOKEN: value } = environment
      return { from, address: containerAddress(environment), token: { file, value } }
    }
    case 'instance':
      return { from, address: instanceAddress(environment) }
  }
}

/** The origins that a source requests. */
export function originsOfSource(source: AwsSource): string[] {
  if (source.from === 'web-identity') return originsOf(source.sts)
  return source.from === 'container' || source.from === 'instance' ? originsOf(source.address) : []
}

/** Obtains keys from a source. */
export function awsCredentials(source: AwsSource, exchange: Exchange): CredentialSource<AwsKeys> {
  switch (source.from) {
    case 'environment':
      return async () => ({ value: source.keys, expiresAt: undefined })
    case 'file':
      return async () => ({ value: await keysInFile(source.path, source.profile), expiresAt: undefined })
    case 'web-identity':
      return (signal) => byWebIdentity(source, exchange, signal)
    case 'container':
      return (signal) => byContainer(source, exchange, signal)
    case 'instance':
      return (signal) => byInstance(source.address, exchange, signal)
  }
}

/** The keys of a profile in the shared file of credentials. The file is read again after a while. */
async function keysInFile(path: string, profile: string): Promise<AwsKeys> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new ProviderRefusal(`The file ${path} with credentials of AWS cannot be read.`)
  })
  const members = new Map<string, string>()
  let isWanted = false
  for (const line of text.slice(0, 1_000_000).split(/\r?\n/)) {
    const section = /^\s*\[\s*(.+?)\s*\]/.exec(line)?.[1]
    if (section !== undefined) isWanted = section === profile
    const at = line.indexOf('=')
    if (isWanted && section === undefined && at > 0 && !/^\s*[#;]/.test(line))
      members.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim())
  }
  const [accessKeyId, secretAccessKey] = [members.get('aws_access_key_id'), members.get('aws_secret_access_key')]
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new ProviderRefusal(`The file ${path} has no access key for the profile ${profile}.`)
  return { accessKeyId, secretAccessKey, sessionToken: members.get('aws_session_token') }
}

/** `AssumeRoleWithWebIdentity` of STS. The request needs no signature, because the token proves the caller. */
async function byWebIdentity(source: AwsSource & { from: 'web-identity' }, exchange: Exchange, signal: AbortSignal) {
  const token = await secretIn(source.tokenFile, 'the web identity token')
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: source.roleArn,
    RoleSessionName: 'credence',
    WebIdentityToken: token,
  }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/xml' }
  const answer = await exchange.send(`${source.sts}/`, { method: 'POST', headers, body, signal })
  const element = (name: string) =>
    new RegExp(`<${name}>\\s*([A-Za-z0-9+/=_:.-]+)\\s*</${name}>`).exec(answer.text)?.[1]
  if (!answer.ok) throw refusal(exchange, answer, 'the role', element('Code'))
  return credentialOf(
    {
      AccessKeyId: element('AccessKeyId'),
      SecretAccessKey: element('SecretAccessKey'),
      Token: element('SessionToken'),
      Expiration: element('Expiration'),
    },
    exchange.service,
  )
}

const refusal = (exchange: Exchange, answer: ProviderAnswer, what: string, code?: string) =>
  new ProviderRefusal(`${exchange.service} got no credentials for ${what}: ${described(answer, code)}.`)

async function byContainer(source: AwsSource & { from: 'container' }, exchange: Exchange, signal: AbortSignal) {
  const { file, value } = source.token
  const token = file === undefined ? value : await secretIn(file, 'the token of the container')
  const headers: Record<string, string> = token === undefined ? {} : { authorization: token }
  const answer = await exchange.send(source.address, { method: 'GET', headers, signal })
  if (!answer.ok) throw refusal(exchange, answer, 'the container')
  return credentialOf(objectIn(answer, exchange.service), exchange.service)
}

const METADATA = '/latest/meta-data/iam/security-credentials/'

/** Instance metadata, version 2 only: version 1 would give the keys to every request that can be forged. */
async function byInstance(address: string, exchange: Exchange, signal: AbortSignal) {
  const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': '300' }
  const session = await exchange.send(`${address}/latest/api/token`, { method: 'PUT', headers, signal })
  if (!session.ok) throw refusal(exchange, session, 'the instance')
  const get = async (path: string) => {
    const own = { 'x-aws-ec2-metadata-token': session.text }
    const answer = await exchange.send(`${address}${METADATA}${path}`, { method: 'GET', headers: own, signal })
    if (!answer.ok) throw refusal(exchange, answer, 'the instance, which may have no role')
    return answer
  }
  const [role = ''] = (await get('')).text.split('\n')
  if (!/^[\w+=,.@-]{1,128}$/.test(role.trim()))
    throw new ProviderUnavailable(`${exchange.service} got no role of the instance.`)
  return credentialOf(objectIn(await get(role.trim()), exchange.service), exchange.service)
}

function credentialOf(members: Readonly<Record<string, unknown>>, service: string) {
  const keys: AwsKeys = {
    accessKeyId: textIn(members, 'AccessKeyId', service),
    secretAccessKey: textIn(members, 'SecretAccessKey', service),
    sessionToken: textIn(members, 'Token', service),
  }
  return { value: keys, expiresAt: endAt(members.Expiration, service) }
}
