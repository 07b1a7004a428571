import { emptyFragment, type Fragment, fragment, Step } from './fragment.js'

interface Action {
  /** The caller's `sub`, or the column that has it; null for a client secret, a wallet and the service itself. */
  readonly actor: string | Fragment | null
  /** `credential.issued` */
  readonly action: string
  /** The kind of thing that it was done to. */
  readonly subject: string
  /** Of which rows: a condition. Of all of them unless given. */
  readonly where?: Fragment
  /** The name of the step, where a statement has two of them. */
  readonly name?: string
}

/** What was done: an event for each row of a step, about the thing of its `id`, or of the id that is given. */
export type Audited = Action &
  (
    | { readonly of: Step<'id'>; readonly subjectId?: undefined }
    | { readonly of: Step; readonly subjectId: string | Fragment }
  )

/** The step that writes audit events: in the statement of the change itself, so that neither happens without the other. */
export function audited(audit: Audited): Step {
  const { of, actor, action, subject, where, name = 'audited' } = audit
  const id = audit.subjectId === undefined ? audit.of.column('id') : audit.subjectId
  const condition = where === undefined ? emptyFragment : fragment`WHERE ${where}`
  const body = fragment`
    INSERT INTO audit_events (actor, action, subject, subject_id) SELECT ${actor}, ${action}, ${subject}, ${id} FROM ${of} ${condition}`
  return new Step(name, body)
}
