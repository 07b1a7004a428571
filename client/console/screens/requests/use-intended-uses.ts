import { useQuery } from '@tanstack/react-query'
import { defaultVerifierId, registrations } from '../../queries/trust.js'
import { useSpoken } from '../../texts/use-texts.js'
import { useMay } from '../../ui/use-may.js'
import { type IntendedUse, intendedUses } from './intended-uses.js'

/** The intended uses of the default verifier, in whose name the console asks. Empty until they are read. */
export function useIntendedUses(): readonly IntendedUse[] {
  const { language } = useSpoken()
  const may = useMay()
  const isAllowed = may.call('signers.verifiers') && may.call('registrations.list')
  const { data: id } = useQuery({ ...defaultVerifierId, enabled: isAllowed })
  const { data = [] } = useQuery({ ...registrations('verifier', id ?? ''), enabled: typeof id === 'string' })
  return intendedUses(data, language)
}
