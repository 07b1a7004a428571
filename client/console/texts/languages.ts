/** The languages of the console. This file is separate from `language.ts`, so that code without a browser knows them. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it'] as const
export type Language = (typeof LANGUAGES)[number]
