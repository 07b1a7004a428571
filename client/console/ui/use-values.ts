import { useQuery } from '@tanstack/react-query'
import { typeVersions } from '../queries/types.js'
import { useSpoken } from '../texts/use-texts.js'
import { typeOfConfiguration } from './type-of-configuration.js'
import { useMay } from './use-may.js'
import { type Reader, type TitlesOfValues, titlesOfValues } from './value-text.js'

/** The language of the user, and the words for true and false. */
export function useReader(): Reader {
  const { language, texts } = useSpoken()
  const { yes, no } = texts.common
  return { language, yes, no }
}

/**
 * The titles of the values of a type of this installation, from all versions: a credential does not name its version. Empty for users
 * who may not read the versions.
 *
 * @param configurationId a credential configuration of the type; undefined if the type is not known
 */
export function useTitlesOfValues(configurationId: string | undefined): TitlesOfValues {
  const may = useMay()
  const { data: versions = [] } = useQuery({
    ...typeVersions(typeOfConfiguration(configurationId ?? '')),
    enabled: configurationId !== undefined && may.call('schemas.versions'),
  })
  // The newest version is first, and its titles count.
  return new Map(versions.toReversed().flatMap(({ schemaBody }) => [...titlesOfValues(schemaBody)]))
}
