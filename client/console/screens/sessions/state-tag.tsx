import type { ReactNode } from 'react'
import { Tag } from '../../ui/tag.js'

interface Props {
  readonly isGood: boolean
  readonly isBad: boolean
  readonly children: ReactNode
}

/** The state of a session in words. A session that has neither succeeded nor failed waits for a wallet. */
export const StateTag = ({ isGood, isBad, children }: Props) => (
  <Tag tone={isGood ? 'good' : isBad ? 'bad' : 'waiting'}>{children}</Tag>
)
