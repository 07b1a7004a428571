import type { AuditAction } from './audit-actions.js'
import { emptyFragment, type Fragment, fragment, Step } from './fragment.js'

interface Action {
  /**
   * The caller's `sub`, or the column that contains it. Null if the caller used a client secret, is a wallet, or is the
   * service itself.
   */
  readonly actor: string | Fragment | null
  /** `credential.issued` */
  readonly action: AuditAction
  /** The kind of the affected object. */
  readonly subject: string
  /** Condition that selects the affected rows. Default: all rows. */
  readonly where?: Fragment
  /** The name of the step. Needed only if a statement has two audit steps. */
  readonly name?: string
}

/**
 * Describes the audit events of a statement: one event for each row of a step. The subject of the event is the row's
 * `id`, or a separate id.
 */
export type Audited = Action &
  (
    | { readonly of: Step<'id'>; readonly subjectId?: undefined }
    | { readonly of: Step; readonly subjectId: string | Fragment }
  )

/**
 * Makes the step that writes audit events. The step is part of the statement that makes the change. So change and event
 * are stored together or not at all.
 */
export function audited(audit: Audited): Step {
  const { of, actor, action, subject, where, name = 'audited' } = audit
  const id = audit.subjectId === undefined ? audit.of.column('id') : audit.subjectId
  const condition = where === undefined ? emptyFragment : fragment`WHERE ${where}`
  const body = fragment`
    INSERT INTO audit_events (actor, action, subject, subject_id) SELECT ${actor}, ${action}, ${subject}, ${id} FROM ${of} ${condition}`
  return new Step(name, body)
}
