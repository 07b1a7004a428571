import { errors } from '../../api/errors.js'
import { type Config, ConfigurationError } from '../../config/config.js'
import type { KeyProviderKind, WrappingKey } from '../../config/key-providers.js'
import type { Outbound, OutboundFetch } from '../../outbound/guard.js'
import { OutboundError } from '../../outbound/outbound-error.js'
import type { SignatureAlgorithm } from '../../protocol/jose/algorithms.js'
import { isSameKey, type Jwk } from '../../protocol/jose/jwk.js'
import { type GuardedProvider, type GuardPorts, guardProvider } from './guarded.js'
import { createHealth, type Health, type ProviderState } from './health.js'
import { type NetworkRules, providerFetch } from './network.js'
import { type KeyProvider, type ProviderKey, ProviderRefusal } from './provider.js'
import { PROVIDER_KINDS } from './registry.js'

/** The name that stands for keys in the database, and so for no key provider. */
export const DATABASE = 'database'

/** A stored key in a provider. */
export interface StoredProviderKey extends ProviderKey {
  readonly provider: string
}

export interface KeyProvidersPorts {
  readonly config: Pick<Config, 'keyProviders' | 'wrapping'>
  readonly clock: () => Date
  readonly onCall?: GuardPorts['onCall'] | undefined
  /** Name resolution and address rules of the network, which tests set. */
  readonly outbound?: NetworkRules | undefined
}

export type KeyProviders = ReturnType<typeof createKeyProviders>

/** The fetch of a kind that needs no network. */
const noFetch: OutboundFetch = () => Promise.reject(new OutboundError('url', 'This key provider has no addresses.'))

const refused = (name: string, reason: string) =>
  new ConfigurationError(`Invalid environment variables:\n- KEY_PROVIDERS (${name}): ${reason}`)

/** The key providers of KEY_PROVIDERS. Each one is opened at its first use, or by `start`. */
export function createKeyProviders({ config, clock, onCall = () => {}, outbound }: KeyProvidersPorts) {
  const { entries, environment } = config.keyProviders
  const networks: Outbound[] = []

  const openOf = (entry: (typeof entries)[number]) => async (): Promise<KeyProvider> => {
    const { name, timeoutSeconds } = entry
    const kind = await PROVIDER_KINDS[entry.kind]?.()
    if (kind === undefined) throw new ProviderRefusal(`kind ${entry.kind} is unknown.`)
    const parsed = kind.settings.safeParse(entry.settings)
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      throw new ProviderRefusal(`${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not usable'}`.trim())
    }
    const network = kind.network?.(parsed.data, environment)
    if (network === undefined) return kind.open(parsed.data, { name, fetch: noFetch, environment, clock })
    const made = await providerFetch(network, outbound, timeoutSeconds * 1_000)
    networks.push(made.outbound)
    const { fetch } = made
    return kind.open(parsed.data, { name, fetch, environment, clock })
  }

  const providers = new Map<string, GuardedProvider>()
  const healths = new Map<string, Health>()
  for (const entry of entries) {
    const { name, concurrency, queue, timeoutSeconds } = entry
    const limits = { concurrency, queue, timeoutMs: timeoutSeconds * 1_000 }
    const check = async () => {
      await provider.check()
      return provider.algorithms()
    }
    const health = createHealth({ name, clock, check })
    const provider = guardProvider({ name, open: openOf(entry), limits, onCall, onEnd: health.ended })
    providers.set(name, provider)
    healths.set(name, health)
  }

  /** The state of each provider, in the order of the file. */
  const states = (): Promise<(ProviderState & { readonly name: string; readonly kind: KeyProviderKind })[]> =>
    Promise.all(
      entries.map(async ({ name, kind }) => {
        const state = await healths.get(name)?.read()
        return { name, kind, ...(state ?? { fault: null, checkedAt: null, algorithms: [] }) }
      }),
    )

  function providerOf(name: string): GuardedProvider {
    const provider = providers.get(name)
    if (provider !== undefined) return provider
    throw errors.signingUnavailable(new Error(`KEY_PROVIDERS has no provider ${name}.`))
  }

  return {
    names: [...providers.keys()] as readonly string[],

    /** The algorithms of new keys of a provider. @throws 503 if the provider cannot be opened now. */
    async algorithms(name: string): Promise<readonly SignatureAlgorithm[]> {
      try {
        return await providerOf(name).algorithms()
      } catch (cause) {
        throw errors.signingUnavailable(cause)
      }
    },

    /** Makes a key in a provider. @throws 503 if the provider cannot do it now. */
    generate: (name: string, label: string, alg: SignatureAlgorithm): Promise<ProviderKey> =>
      providerOf(name).generate(label, alg),

    /** Finds a key in a provider. @throws {ProviderRefusal} if the provider or the key is unknown, or the key is unusable. */
    async find(name: string, reference: string): Promise<ProviderKey> {
      const provider = providers.get(name)
      if (provider === undefined) throw new ProviderRefusal(`KEY_PROVIDERS has no provider ${name}.`)
      return provider.find(reference)
    },

    /** Signs with a key of a provider. @throws 503 if the provider cannot do it now. */
    sign: async ({ provider, ...key }: StoredProviderKey, data: Uint8Array): Promise<Uint8Array> =>
      providerOf(provider).sign(key, data),

    /**
     * Wraps a key-encryption key.
     *
     * @throws {ProviderRefusal} if the key of the provider cannot wrap
     * @throws any other error if the provider cannot do it now
     */
    wrap: ({ provider, key }: WrappingKey, plain: Uint8Array, place: string): Promise<string> =>
      providerOf(provider).wrap(key, plain, place),

    /**
     * Unwraps a key-encryption key.
     *
     * @throws {ProviderRefusal} if the wrapped key was altered, or another key wrapped it
     * @throws any other error if the provider cannot do it now
     */
    unwrap: ({ provider, key }: WrappingKey, wrapped: string, place: string): Promise<Uint8Array> =>
      providerOf(provider).unwrap(key, wrapped, place),

    /** Opens and checks each provider. @throws {ConfigurationError} that names the provider that cannot be used. */
    async start(): Promise<void> {
      for (const provider of providers.values()) {
        const usable = provider.algorithms().then(() => provider.check())
        await usable.catch((error: unknown) => {
          throw refused(provider.name, error instanceof Error ? error.message : String(error))
        })
      }
    },

    /**
     * Checks that the providers still have stored keys.
     *
     * @throws {ConfigurationError} that names the provider and the key.
     */
    async assertHave(
      keys: readonly { readonly provider: string; readonly reference: string; readonly publicJwk: Jwk }[],
    ) {
      for (const { provider, reference, publicJwk } of keys) {
        if (!providers.has(provider)) throw refused(provider, 'is missing, and a record signs with a key of it.')
        const found = await providerOf(provider)
          .find(reference)
          .catch((error: unknown) => {
            throw refused(provider, error instanceof Error ? error.message : String(error))
          })
        if (!isSameKey(found.publicJwk, publicJwk))
          throw refused(provider, `${reference} is a different key from the key that a record signs with.`)
      }
    },

    /** The kind of a provider; undefined for a name that the file does not have. */
    kindOf: (name: string): KeyProviderKind | undefined => entries.find((entry) => entry.name === name)?.kind,

    states,

    /** For readiness: `degraded` names the providers that do not answer. */
    async health(): Promise<{ readonly degraded: string } | 'up'> {
      const away = (await states()).filter(({ fault }) => fault !== null).map(({ name }) => name)
      if (away.length === 0) return 'up'
      const wrapping = away.filter((name) => name === config.wrapping.current?.provider)
      const more = wrapping.map((name) => `. The key-encryption key is in memory, and the next start needs ${name}`)
      return { degraded: `${away.join(', ')} cannot be used${more.join('')}` }
    },

    async close(): Promise<void> {
      await Promise.all([...providers.values()].map((provider) => provider.close()))
      await Promise.all(networks.map((network) => network.close()))
    },
  }
}
