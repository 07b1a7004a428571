/**
 * The name of a credential format in the user's language.
 *
 * @param names the names of formats in a catalogue of texts
 * @returns undefined for a format without a name
 */
export const formatName = (format: string | undefined, names: Readonly<Record<string, string>>): string | undefined =>
  format !== undefined && Object.hasOwn(names, format) ? names[format] : undefined
