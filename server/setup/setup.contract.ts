import { z } from 'zod'
import { route } from '../api/contract.js'

/** The items of the checklist, in the order in which they are shown. */
export const SETUP_ITEMS = [
  'issuerBaseUrl',
  'verifierBaseUrl',
  'https',
  'identityProvider',
  'signIn',
  'clientSecret',
  'keyEncryption',
  'issuerKey',
  'verifierKey',
  'keyProviders',
  'issuerCertificate',
  'verifierCertificate',
  'verifierAttestation',
  'walletProvider',
  'credentialTypes',
  'issuerMetadata',
  'claimsSources',
  'webhooks',
  'statusLists',
  'attestationLists',
  'trustLists',
  'registrations',
  'redis',
] as const

export const SETUP_STATES = ['ok', 'warning', 'missing', 'failed', 'unused'] as const

export const zSetupItem = z.strictObject({
  id: z.enum(SETUP_ITEMS),
  state: z.enum(SETUP_STATES).meta({
    description:
      '`ok`: it works. `warning`: it works, but not for all users or not for long. `missing`: something needs it, but it does not exist. ' +
      '`failed`: it is configured, but does not work now. `unused`: it is not configured, and nothing needs it.',
  }),
  sentence: z.string().meta({ description: 'What the check has found.' }),
  action: z.string().nullable().meta({ description: 'The recommended action; null if no action is needed.' }),
  expiresAt: z.iso.datetime().optional().meta({ description: 'When a certificate or attestation expires.' }),
})

export const readSetup = {
  meta: route('GET', '/api/v1/setup', {
    tag: 'Operations',
    summary: 'Read the checklist of the installation',
    description:
      'Each item with its state, the finding and the recommended action. Each call sends new requests to the base URLs, status lists, the identity ' +
      'provider, key providers and Redis, for at most 5 seconds. This service itself sends these requests: even if it reaches its own address, wallets may ' +
      'not reach it. If `ask` is `false`, no request is sent, and the items that need a request are left out. ' +
      '`warnings` are the warnings in the log. The answer contains no secrets.',
    access: 'operator',
  }),
  input: z
    .strictObject({
      ask: z.boolean().default(true).meta({
        description:
          '`false`: the answer comes immediately, but without the items that need requests to other servers.',
      }),
    })
    .prefault({}),
  output: z.strictObject({
    items: z.array(zSetupItem).max(SETUP_ITEMS.length),
    warnings: z.array(z.string()),
  }),
}
