import { type ElementType, Fragment, type Key } from 'react'
import { jsx as reactJsx, jsxs as reactJsxs } from 'react/jsx-runtime'
import { changesDirection, withoutDirectionControls } from '../../../server/protocol/text-direction.js'

/**
 * What every JSX of the console becomes: React's elements, in which no text of others can change the order of what stands around it,
 * nor be read as another one. Nobody has to remember it who shows a text.
 */
export type { JSX } from 'react'
export { Fragment }

type Props = Readonly<Record<string, unknown>>

/** Attributes that people are shown, or told. */
const WORDS = new Set(['alt', 'title', 'placeholder', 'label', 'aria-label', 'aria-description', 'data-label'])

/** Elements in which a text stands alone: HTML or SVG has nothing else there. */
const PLAIN = new Set(['option', 'title', 'text', 'tspan', 'textarea'])

/** @param isolates whether an element may stand around a text */
function shown(child: unknown, isolates: boolean, key?: Key): unknown {
  if (Array.isArray(child)) {
    const made = child.map((each, at) => shown(each, isolates, `text-${at}`))
    return made.some((each, at) => each !== child[at]) ? made : child
  }
  if (typeof child !== 'string' || !changesDirection(child)) return child
  const text = withoutDirectionControls(child)
  return isolates ? reactJsx('bdi', { children: text }, key) : text
}

/** A component of the console is given texts as they are: it has JSX of its own. Those of libraries, as links are, are objects. */
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
