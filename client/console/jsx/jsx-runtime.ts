import { type ElementType, Fragment, type Key } from 'react'
import { jsx as reactJsx, jsxs as reactJsxs } from 'react/jsx-runtime'
import { changesDirection, withoutDirectionControls } from '../../../server/protocol/text-direction.js'

/**
 * All JSX of the console becomes React elements through this file. So no text of other people can change the order of
 * the text around it, or look like a different text. Components need no code of their own for this.
 */
export type { JSX } from 'react'
export { Fragment }

type Props = Readonly<Record<string, unknown>>

/** Attributes that users see or hear. */
const WORDS = new Set(['alt', 'title', 'placeholder', 'label', 'aria-label', 'aria-description', 'data-label'])

/** Elements that hold only text in HTML or SVG. */
const PLAIN = new Set(['option', 'title', 'text', 'tspan', 'textarea'])

/**
 * Makes a child of an element safe to show. @param isolates whether a text may be wrapped in an element that isolates
 * the text's direction
 */
function shown(child: unknown, isolates: boolean, key?: Key): unknown {
  if (Array.isArray(child)) {
    const made = child.map((each, at) => shown(each, isolates, `text-${at}`))
    return made.some((each, at) => each !== child[at]) ? made : child
  }
  if (typeof child !== 'string' || !changesDirection(child)) return child
  const text = withoutDirectionControls(child)
  return isolates ? reactJsx('bdi', { children: text }, key) : text
}

/**
 * Components of the console get texts unchanged, because the JSX inside these components makes the texts safe.
 * Components of libraries, such as links, are objects, not functions.
 */
const showsTexts = (type: ElementType): boolean => typeof type !== 'function'

const toldIn = (props: Props): [string, string][] =>
  Object.entries(props).flatMap(([name, value]) =>
    WORDS.has(name) && typeof value === 'string' && changesDirection(value)
      ? [[name, withoutDirectionControls(value)]]
      : [],
  )

function shownProps(type: ElementType, props: Props): Props {
  if (!showsTexts(type)) return props
  const children = shown(props.children, typeof type !== 'string' || !PLAIN.has(type))
  const told = toldIn(props)
  if (told.length === 0 && children === props.children) return props
  return { ...props, ...Object.fromEntries(told), ...('children' in props ? { children } : {}) }
}

export const jsx = (type: ElementType, props: Props, key?: Key) => reactJsx(type, shownProps(type, props), key)

export const jsxs = (type: ElementType, props: Props, key?: Key) => reactJsxs(type, shownProps(type, props), key)
