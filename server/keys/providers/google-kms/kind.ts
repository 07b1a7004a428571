import { z } from 'zod'
import { providerKind } from '../provider.js'
import { originsOf, zAddress, zPath } from '../remote/addresses.js'
import { googleSource, originsOfGoogleSource } from './credentials.js'
import { createGoogleKms, PROTECTION_LEVELS } from './google-kms.js'

const KEY_RING = /^projects\/[a-z0-9.:-]{1,63}\/locations\/[a-z0-9-]{1,40}\/keyRings\/[A-Za-z0-9_-]{1,63}$/

const zSettings = z.strictObject({
  /** The key ring of new keys: `projects/…/locations/…/keyRings/…`. */
  keyRing: z.string().regex(KEY_RING, { error: 'must be projects/…/locations/…/keyRings/…' }),
  /** `HSM`: keys must lie in a hardware module. */
  protectionLevel: z.enum(PROTECTION_LEVELS, { error: `must be ${PROTECTION_LEVELS.join(' or ')}` }).default('HSM'),
  /** Default: GOOGLE_APPLICATION_CREDENTIALS, or the metadata server. */
  credentialsFile: zPath.optional(),
  /** Another address of Cloud KMS, such as a regional or private endpoint. */
  endpoint: zAddress.default('https://cloudkms.googleapis.com'),
})

/** Google Cloud Key Management Service, by its REST API v1. */
export const googleKms = providerKind({
  settings: zSettings,
  network({ credentialsFile, endpoint }, environment) {
    const source = googleSource(credentialsFile, environment)
    return { origins: [...originsOf(endpoint), ...originsOfGoogleSource(source)] }
  },
  async open(settings, tools) {
    return createGoogleKms({ ...settings, source: googleSource(settings.credentialsFile, tools.environment) }, tools)
  },
})
