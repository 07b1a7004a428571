import type { ReactNode } from 'react'

interface Props {
  readonly title: string
  readonly text: string
  /** The link or button for the next step. */
  readonly children: ReactNode
}

/** Shown in place of an empty list. */
export function Empty({ title, text, children }: Props) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  )
}
