import { z } from 'zod'
import { jsonFile } from './json-file.js'

/** Names of providers are metric labels and stand in the database. */
const zName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, { error: 'must be 1 to 32 lower case letters, digits or hyphens' })
  .refine((name) => name !== 'database', { error: 'must not be database' })

export const MOST_PROVIDERS = 16

/** The kinds of key providers. */
export const KEY_PROVIDER_KINDS = ['pkcs11', 'aws-kms', 'azure-keyvault', 'google-kms', 'vault-transit'] as const

export type KeyProviderKind = (typeof KEY_PROVIDER_KINDS)[number]

/** The members that the entries of all kinds have. The kind checks its own members when it is opened. */
const zEntry = z
  .looseObject({
    name: zName,
    kind: z.enum(KEY_PROVIDER_KINDS, {
      error: 'must be pkcs11, aws-kms, azure-keyvault, google-kms or vault-transit',
    }),
    concurrency: z.int().min(1).max(256).default(8),
    queue: z.int().min(0).max(10_000).default(1_000),
    timeoutSeconds: z.number().min(0.1).max(60).default(5),
  })
  .transform(({ name, kind, concurrency, queue, timeoutSeconds, ...settings }) => ({
    name,
    kind,
    concurrency,
    queue,
    timeoutSeconds,
    settings,
  }))

/** A key provider as KEY_PROVIDERS describes it. */
export type KeyProviderEntry = Readonly<z.output<typeof zEntry>>

const zEntries = z
  .array(zEntry)
  .max(MOST_PROVIDERS, { error: `must not list more than ${MOST_PROVIDERS} providers` })
  .refine((entries) => new Set(entries.map(({ name }) => name)).size === entries.length, {
    error: 'each name must stand there once',
  })

/** Reads the JSON file of key providers. The list is empty if no file is configured. */
export const keyProviders = jsonFile('key providers', zEntries)

/** A key of a key provider that wraps key-encryption keys. */
export interface WrappingKey {
  /** `PROVIDER:KEY`, as the variable names it. */
  readonly name: string
  readonly provider: string
  /** The name of the key inside its provider. */
  readonly key: string
}

/** `PROVIDER:KEY`: a name of KEY_PROVIDERS, and the name of a key there. A name of a key may have colons. */
export const wrappingKey = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}:[\x21-\x7e](?:[\x20-\x7e]{0,498}[\x21-\x7e])?$/, {
    error: 'must be PROVIDER:KEY, with the name of a provider of KEY_PROVIDERS and the name of a key there.',
  })
  .transform((name): WrappingKey => {
    const colon = name.indexOf(':')
    return { name, provider: name.slice(0, colon), key: name.slice(colon + 1) }
  })
  .optional()
