import type { en } from './en.js'

type Shape<Value> = Value extends string
  ? string
  : Value extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Name in keyof Value]: Shape<Value[Name]> }

/** The texts of every language. A missing text is a type error. */
export type Texts = Shape<typeof en>
