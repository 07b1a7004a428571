/** A text with a form for each plural category of its language (Unicode CLDR). `other` is the form for all other numbers. */
export type PluralText = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** A text of a page, with placeholders such as `{issuer}`. A text with a plural depends on its placeholder `{count}`. */
export type PageText = string | PluralText

/** The names of the placeholders in a text. */
export type PlaceholdersIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholdersIn<Rest>
  : Text extends { readonly other: infer Other }
    ? PlaceholdersIn<Other>
    : never
