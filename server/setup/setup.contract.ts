import { z } from 'zod'
import { route } from '../api/contract.js'

/** What the checklist has, in the order in which it is shown. */
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
  'issuerCertificate',
  'verifierCertificate',
  'verifierAttestation',
  'walletProvider',
  'credentialTypes',
  'issuerMetadata',
  'statusLists',
  'redis',
] as const

export const SETUP_STATES = ['ok', 'warning', 'missing', 'failed', 'unused'] as const

export const zSetupItem = z.strictObject({
  id: z.enum(SETUP_ITEMS),
  state: z.enum(SETUP_STATES).meta({
    description:
      '`ok`: it works. `warning`: it works, but not for everybody or not for long. `missing`: something needs it, and it is not there. ' +
      '`failed`: it is configured, and does not work now. `unused`: it is not configured, and nothing needs it.',
  }),
  sentence: z.string().meta({ description: 'What was found.' }),
  action: z.string().nullable().meta({ description: 'What to do; null where nothing is to be done.' }),
  expiresAt: z.iso.datetime().optional().meta({ description: 'When a certificate or attestation runs out.' }),
})

export const readSetup = {
  meta: route('GET', '/api/v1/setup', {
    tag: 'Operations',
    summary: 'What is configured, as a checklist',
    description:
      'Each item with its state, what was found, and what to do. Base URLs, status lists, the identity provider and Redis are asked ' +
      'anew with each call, 5 seconds at most, from this service: that it reaches its own address does not prove that wallets do. ' +
      'With `ask` `false` nobody is asked, and the items are left out that would need it. ' +
      '`warnings` are those of the log. No secret is in it.',
    access: 'operator',
  }),
  input: z
    .strictObject({
      ask: z.boolean().default(true).meta({ description: '`false`: at once, without what others would be asked for.' }),
    })
    .prefault({}),
  output: z.strictObject({
    items: z.array(zSetupItem).max(SETUP_ITEMS.length),
    warnings: z.array(z.string()),
  }),
}
