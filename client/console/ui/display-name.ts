interface Entry {
  readonly name: string
  readonly locale?: string | undefined
}

/** The entry in the language that is shown, else the first one. */
export function entryFor<Display extends Entry>(display: readonly Display[], language: string): Display | undefined {
  return display.find(({ locale }) => locale?.toLowerCase().startsWith(language)) ?? display[0]
}

export const nameOf = (display: readonly Entry[] | undefined, language: string): string | undefined =>
  entryFor(display ?? [], language)?.name
