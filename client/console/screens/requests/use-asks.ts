import { useQuery } from '@tanstack/react-query'
import { issuerMetadata } from '../../queries/metadata.js'
import { useSpoken } from '../../texts/use-texts.js'
import { formatName } from '../../ui/format-name.js'
import { askables } from './askable.js'
import { type AskedFor, claimNamesOf, titleOfAsks, typeNameOf } from './asks.js'

/** Returns functions that name what requests ask for, in the user's language. @param isNeeded false before anything is named */
export function useAsks(isNeeded = true) {
  const { language, texts } = useSpoken()
  const { anyCredential, andMore, formats } = texts.requests
  const types = askables(
    useQuery({ ...issuerMetadata, enabled: isNeeded }).data?.credential_configurations_supported ?? {},
  )
  return {
    /** The title of a request; undefined if it is not known what the request asks for. */
    titleOf: (asks: readonly AskedFor[] = []): string | undefined =>
      titleOfAsks(asks, types, language, { fallback: anyCredential, andMore }),
    /** The credential that one query asks for, with its format. */
    queryName: (ask: AskedFor): string =>
      `${typeNameOf(ask, types, language, anyCredential)} (${formatName(ask.format, formats) ?? ask.format})`,
    /** The claims that one credential query asks for. */
    claimNames: (ask: AskedFor): string[] => claimNamesOf(ask, types, language),
    types,
  }
}
