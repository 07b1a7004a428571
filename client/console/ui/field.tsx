import { type ReactNode, useId } from 'react'
import { useTexts } from '../texts/use-texts.js'

/** Attributes that connect a field's control with its label, hint and error. */
export interface ControlProps {
  readonly id: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: true
  readonly 'aria-required'?: true
}

interface Props {
  readonly label: string
  readonly hint?: string | undefined
  /** The error of the field. */
  readonly error?: string | undefined
  /** What the user should know about the input, although it is accepted. */
  readonly warning?: string | undefined
  readonly required?: boolean
  readonly children: (control: ControlProps) => ReactNode
}

/** A control with its label, hint and error. */
export function Field({ label, hint, error, warning, required = false, children }: Props) {
  const { common } = useTexts()
  const id = useId()
  const described = [
    hint === undefined ? '' : `${id}-hint`,
    warning === undefined ? '' : `${id}-warning`,
    error === undefined ? '' : `${id}-wrong`,
  ]
    .filter((part) => part !== '')
    .join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {!required && <span className="optional"> ({common.optional})</span>}
      </label>
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        ...(described === '' ? {} : { 'aria-describedby': described }),
        ...(error === undefined ? {} : { 'aria-invalid': true }),
        ...(required ? { 'aria-required': true } : {}),
      })}
      {warning !== undefined && (
        <p className="caution" id={`${id}-warning`} role="status">
          {warning}
        </p>
      )}
      {error !== undefined && (
        <p className="wrong" id={`${id}-wrong`}>
          {error}
        </p>
      )}
    </div>
  )
}
