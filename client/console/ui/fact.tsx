import type { ReactNode } from 'react'

interface Props {
  readonly name: string
  readonly children: ReactNode
}

/** One name and its value in a `<dl>`. */
export const Fact = ({ name, children }: Props) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
