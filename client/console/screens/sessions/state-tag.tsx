import type { ReactNode } from 'react'

interface Props {
  readonly isGood: boolean
  readonly isBad: boolean
  readonly children: ReactNode
}

/** The state of a session in words. */
export const StateTag = ({ isGood, isBad, children }: Props) => (
  <span className={isGood ? 'tag good' : isBad ? 'tag bad' : 'tag'}>{children}</span>
)
