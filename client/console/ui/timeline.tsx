import type { ReactNode } from 'react'

/** One step of a progress. */
export interface Step {
  readonly key: string
  /** State of the step: succeeded, failed, in progress, done, or left out. */
  readonly tone: 'good' | 'bad' | 'waiting' | 'done' | 'left'
  readonly title: ReactNode
  /** Details of the step. */
  readonly text?: ReactNode
}

/** Shows the past steps in order, then the next step. A screen reader announces changes. */
export function Timeline({ steps, label }: { readonly steps: readonly Step[]; readonly label: string }) {
  return (
    <ol className="timeline" aria-label={label} aria-live="polite">
      {steps.map(({ key, tone, title, text }) => (
        <li key={key} className={tone}>
          <p className="timeline-title">{title}</p>
          {text !== undefined && <div className="timeline-text">{text}</div>}
        </li>
      ))}
    </ol>
  )
}
