/** The name of the format in drafts before November 2024. */
export const FORMER_NAME = 'vc+sd-jwt'
