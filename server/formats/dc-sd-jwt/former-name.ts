/** The name that drafts had before November 2024. */
export const FORMER_NAME = 'vc+sd-jwt'
