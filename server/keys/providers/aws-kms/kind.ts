import { z } from 'zod'
import { ProviderRefusal, type ProviderTools, providerKind } from '../provider.js'
import { originsOf, zAddress } from '../remote/addresses.js'
import { createAwsKms } from './aws-kms.js'
import { AWS_CREDENTIALS, awsSource, domainOf, originsOfSource } from './credentials.js'

const zRegion = z.string().regex(/^[a-z]{2,8}(-[a-z]{1,12}){1,3}-\d{1,2}$/, { error: 'must be a region of AWS' })

const zSettings = z.strictObject({
  /** Default: AWS_REGION, or AWS_DEFAULT_REGION. */
  region: zRegion.optional(),
  /** Another address of KMS, such as a VPC endpoint. */
  endpoint: zAddress.optional(),
  /** Another address of STS. */
  stsEndpoint: zAddress.optional(),
  /** Default: the first source that the environment has. */
  credentials: z.enum(AWS_CREDENTIALS, { error: `must be ${AWS_CREDENTIALS.join(', ')}` }).optional(),
  /** The profile in the shared file of credentials. */
  profile: z.string().min(1).max(100).optional(),
  /** What KMS gets: a hash, so that no claims leave the service, or the message itself if it is short enough. */
  message: z.enum(['digest', 'raw'], { error: 'must be digest or raw' }).default('digest'),
})

function regionOf(settings: z.output<typeof zSettings>, environment: ProviderTools['environment']): string {
  const region = zRegion.safeParse(settings.region ?? environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION)
  if (region.success) return region.data
  throw new ProviderRefusal('region must be set, or AWS_REGION must be a region of AWS.')
}

function placesOf(settings: z.output<typeof zSettings>, environment: ProviderTools['environment']) {
  const region = regionOf(settings, environment)
  const endpoint = settings.endpoint ?? `https://kms.${region}.${domainOf(region)}`
  return { region, endpoint, source: awsSource(settings, region, environment) }
}

/** AWS Key Management Service, by its JSON protocol. */
export const awsKms = providerKind({
  settings: zSettings,
  network(settings, environment) {
    const { endpoint, source } = placesOf(settings, environment)
    return { origins: [...originsOf(endpoint), ...originsOfSource(source)] }
  },
  async open(settings, tools) {
    return createAwsKms({ ...placesOf(settings, tools.environment), message: settings.message }, tools)
  },
})
