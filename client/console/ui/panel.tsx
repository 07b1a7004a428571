import { type ReactNode, useId } from 'react'

interface Props {
  readonly title: string
  readonly intro?: ReactNode
  readonly children: ReactNode
}

/** A titled part of a screen. */
export function Panel({ title, intro, children }: Props) {
  const id = useId()
  return (
    <section className="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {intro !== undefined && <p className="soft">{intro}</p>}
      {children}
    </section>
  )
}
