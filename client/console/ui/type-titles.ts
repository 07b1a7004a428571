import { useQuery } from '@tanstack/react-query'
import { typeNames } from '../queries/types.js'
import { useSpoken } from '../texts/use-texts.js'
import { nameOf } from './display-name.js'

/** Returns the title of a type in the user's language, for the name of the type. An unknown type keeps its name. */
export function useTypeTitles(): (name: string) => string {
  const { language } = useSpoken()
  const types = useQuery(typeNames).data?.types ?? []
  return (name) => {
    const found = types.find((type) => type.name === name)
    return nameOf(found?.display, language) ?? found?.title ?? name
  }
}

/** The name of the type in the id of a credential configuration. The name has no hyphen. */
export const typeOfConfiguration = (id: string): string => id.split('-', 1)[0] ?? id
