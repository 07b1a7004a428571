import type { en } from './en.js'

type Shape<Value> = Value extends string
  ? string
  : Value extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Name in keyof Value]: Shape<Value[Name]> }

/** What every language must have: a text that is missing is an error of types. */
export type Texts = Shape<typeof en>
