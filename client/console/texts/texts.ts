import type { en } from './en.js'

/** The shape of English texts, with any words. */
export type InOtherWords<Value> = Value extends string
  ? string
  : Value extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Name in keyof Value]: InOtherWords<Value[Name]> }

/** The texts of every language. A missing text is a type error. */
export type Texts = InOtherWords<typeof en>
