import { emptyFragment, type Fragment, fragment, Step } from './fragment.js'

interface Action {
  /** The caller's `sub`, or the column with it; null for a client secret, a wallet and the service itself. */
  readonly actor: string | Fragment | null
  /** `credential.issued` */
  readonly action: string
  /** The kind of the affected object. */
  readonly subject: string
  /** Condition that selects the affected rows; all rows unless given. */
  readonly where?: Fragment
  /** The name of the step; needed if a statement has two audit steps. */
  readonly name?: string
}

/** An audit event for each row of a step. Its subject is the row's `id`, or the given id. */
export type Audited = Action &
  (
    | { readonly of: Step<'id'>; readonly subjectId?: undefined }
    | { readonly of: Step; readonly subjectId: string | Fragment }
  )

/**
 * The step that writes audit events. The step is part of the statement of the change, so neither the change nor the
 * event is stored alone.
 */
export function audited(audit: Audited): Step {
  const { of, actor, action, subject, where, name = 'audited' } = audit
  const id = audit.subjectId === undefined ? audit.of.column('id') : audit.subjectId
  const condition = where === undefined ? emptyFragment : fragment`WHERE ${where}`
  const body = fragment`
    INSERT INTO audit_events (actor, action, subject, subject_id) SELECT ${actor}, ${action}, ${subject}, ${id} FROM ${of} ${condition}`
  return new Step(name, body)
}
