/** Reads a file as a data URI. */
export const dataUriOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    // `readAsDataURL` gives a text.
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error(file.name))
    reader.readAsDataURL(file)
  })

/** The bytes of a file in base64. */
export async function base64Of(file: File): Promise<string> {
  const uri = await dataUriOf(file)
  return uri.slice(uri.indexOf(',') + 1)
}
