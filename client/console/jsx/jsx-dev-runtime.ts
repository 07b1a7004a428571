import type { ElementType, Key } from 'react'
import { Fragment, jsx, jsxs } from './jsx-runtime.js'

/** `npm run dev` calls `jsxDEV` in place of `jsx` and `jsxs`. */
export type { JSX } from 'react'
export { Fragment }

export const jsxDEV = (type: ElementType, props: Readonly<Record<string, unknown>>, key?: Key, isStatic = false) =>
  isStatic ? jsxs(type, props, key) : jsx(type, props, key)
