import { useQuery } from '@tanstack/react-query'
import { issuerMetadata } from '../../queries/metadata.js'
import { useSpoken } from '../../texts/use-texts.js'
import { askables } from './askable.js'
import { type Ask, titleOfAsks, typeNameOf } from './asks.js'

/** Returns functions that name what requests ask for, in the user's language. */
export function useAsks() {
  const { language, texts } = useSpoken()
  const { anyCredential, formats } = texts.requests
  const types = askables(useQuery(issuerMetadata).data?.credential_configurations_supported ?? {})
  return {
    /** The title of a request; undefined if it is not known what the request asks for. */
    titleOf: (asks: readonly Ask[] = []): string | undefined => titleOfAsks(asks, types, language, anyCredential),
    /** The credential that one query asks for, with its format. */
    queryName: (ask: Ask): string =>
      `${typeNameOf(ask, types, language, anyCredential)} (${formats[ask.format as keyof typeof formats] ?? ask.format})`,
    types,
  }
}
