/** The message of an ended page for a browser that took no part. It does not say how the offer or the request ended. */
export const USED = 'This link has been used or has expired. If you need another link, ask the sender.'
