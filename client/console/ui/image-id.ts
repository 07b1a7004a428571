/** Whether a text is the id of a stored image: 64 hexadecimal digits (SHA-256). Every other text is an address. */
export const isImageId = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
