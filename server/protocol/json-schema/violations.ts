import type { ErrorObject } from 'ajv'
import { shownName } from '../messages.js'
import type { Violation } from './json-schema-error.js'

/** Keywords whose failure concerns one member: which parameter names it, and what is said of it. */
const MEMBER_FAULTS: Readonly<Record<string, { parameter: string; message: string }>> = {
  required: { parameter: 'missingProperty', message: 'must be present' },
  additionalProperties: { parameter: 'additionalProperty', message: 'is not allowed' },
  unevaluatedProperties: { parameter: 'unevaluatedProperty', message: 'is not allowed' },
}

/** Ajv's errors as the API tells them: dotted paths, no values, none twice. */
export function violationsOf(errors: readonly ErrorObject[], max: number): Violation[] {
  const violations = new Map<string, Violation>()
  for (const error of errors) {
    const violation = violationOf(error)
    violations.set(`${violation.path} ${violation.message}`, violation)
    if (violations.size === max) break
  }
  return [...violations.values()]
}

/** The violation that one of Ajv's errors stands for. */
export function violationOf({ instancePath, keyword, params, message }: ErrorObject): Violation {
  const keys = instancePath
    .split('/')
    .slice(1)
    .map((key) => shownName(key.replaceAll('~1', '/').replaceAll('~0', '~')))
  const fault = Object.hasOwn(MEMBER_FAULTS, keyword) ? MEMBER_FAULTS[keyword] : undefined
  const member: unknown = fault && params[fault.parameter]
  if (fault && typeof member === 'string')
    return { path: [...keys, shownName(member)].join('.'), message: fault.message, keyword }
  if (keyword === 'false schema') return { path: keys.join('.'), message: 'is not allowed', keyword: 'false' }
  return { path: keys.join('.'), message: message ?? 'is not valid', keyword }
}
