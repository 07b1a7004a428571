/** The names that a user gave a thing. */
export interface Names {
  readonly reference?: string | undefined
  readonly label?: string | undefined
}

/** The values of the fields for names. Empty texts count as no name. */
export interface NamesForm {
  reference: string
  label: string
}

/** The highest number of characters of a name. */
export const MAX_NAME = 200

/** The name by which people know a thing: its label, otherwise its reference; undefined without names. */
export const knownAs = ({ label, reference }: Names): string | undefined => label ?? reference

/** The names in a form, for the input of a call. */
export function namesOf({ reference, label }: NamesForm): Names {
  const [referred, labelled] = [reference.trim(), label.trim()]
  return {
    ...(referred === '' ? {} : { reference: referred }),
    ...(labelled === '' ? {} : { label: labelled }),
  }
}

// The router parses a value of digits as a number.
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

/** The filters by names in an address. A value that is too long for a name is left out. */
export function namesInAddress({ reference, label }: Readonly<Record<string, unknown>>): Names {
  const [referred, labelled] = [reference, label].map((value) => textOf(value)?.slice(0, MAX_NAME))
  return {
    ...(referred === undefined ? {} : { reference: referred }),
    ...(labelled === undefined ? {} : { label: labelled }),
  }
}
