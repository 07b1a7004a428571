import type { ElementType, Key } from 'react'
import { Fragment, jsx, jsxs } from './jsx-runtime.js'

/** What `npm run dev` has in the place of both. */
export type { JSX } from 'react'
export { Fragment }

export const jsxDEV = (type: ElementType, props: Readonly<Record<string, unknown>>, key?: Key, isStatic = false) =>
  isStatic ? jsxs(type, props, key) : jsx(type, props, key)
