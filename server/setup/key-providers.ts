import type { KeyProviders } from '../keys/providers/providers.js'
import { item, type SetupItem } from './item.js'

/** Checks that the key providers can be used. The sentence names the first provider that cannot. */
export function keyProvidersItem(states: Awaited<ReturnType<KeyProviders['states']>>): SetupItem {
  if (states.length === 0)
    return item('keyProviders', 'unused', 'KEY_PROVIDERS is not set: the database holds the signing keys.')
  const away = states.flatMap(({ name, fault }) => (fault === null ? [] : [{ name, fault }]))
  const [first] = away
  if (first === undefined)
    return item(
      'keyProviders',
      'ok',
      states.length === 1 ? 'The key provider can be used.' : `All ${states.length} key providers can be used.`,
    )
  const others = away.length === 1 ? '' : ` ${away.length - 1} more key providers cannot be used.`
  const { name, fault } = first
  return item(
    'keyProviders',
    'failed',
    `The key provider ${name} cannot be used since ${fault.since.toISOString()}: records with keys there cannot sign. ${fault.message}${others}`,
    'Check that the provider runs, that this service can reach it, and that its credentials are valid.',
  )
}
