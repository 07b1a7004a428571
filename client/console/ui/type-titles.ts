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
