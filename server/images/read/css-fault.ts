import { type CSSToken, TokenType, tokenize } from '@csstools/css-tokenizer'

/** At-rules without an effect outside the drawing. */
const AT_RULES = ['media', 'supports']

/** Functions that take an address as a text, or that run or show something else. */
const FUNCTIONS = [
  'src',
  'image',
  'image-set',
  '-webkit-image-set',
  'cross-fade',
  '-webkit-cross-fade',
  'element',
  'paint',
  'expression',
]

const isInside = (address: string): boolean => address.trim().startsWith('#')

const isSpace = (token: CSSToken | undefined): boolean =>
  token?.[0] === TokenType.Whitespace || token?.[0] === TokenType.Comment

/** The position of the first token that is no space and no comment. */
function afterSpace(tokens: readonly CSSToken[], from: number): number {
  let at = from
  while (isSpace(tokens[at])) at += 1
  return at
}

/**
 * Finds the first part of a style that leads outside a drawing (CSS Syntax Module Level 3). Escapes such as `\75 rl(` count as
 * browsers read them.
 *
 * @param css a style sheet, or the value of an attribute
 * @returns the end of the sentence `image …`; undefined if the style is harmless
 */
export function cssFault(css: string): string | undefined {
  // Only these characters begin an at-rule, a function or an escape.
  if (!/[@(\\]/.test(css)) return undefined
  const tokens = tokenize({ css })
  for (const [at, token] of tokens.entries()) {
    if (token[0] === TokenType.AtKeyword) {
      const name = token[4].value.toLowerCase()
      if (!AT_RULES.includes(name)) return `must not have the rule @${name} in a style`
    }
    if (token[0] === TokenType.BadURL) return 'must not have a malformed url() in a style'
    if (token[0] === TokenType.URL && !isInside(token[4].value)) return OUTSIDE
    if (token[0] === TokenType.Function) {
      const name = token[4].value.toLowerCase()
      if (FUNCTIONS.includes(name)) return `must not have the function ${name}() in a style`
      if (name === 'url') {
        const next = tokens[afterSpace(tokens, at + 1)]
        if (next?.[0] !== TokenType.String || !isInside(next[4].value)) return OUTSIDE
      }
    }
  }
  return undefined
}

const OUTSIDE = 'must not refer to another place with url(): only url(#…) is allowed'
