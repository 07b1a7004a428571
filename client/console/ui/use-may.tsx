import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { NEEDS, type Operation } from '../operations.js'
import { operationsOf, session } from '../queries/session.js'

/** The path of a screen, as the router names it. */
export type Path = keyof typeof NEEDS

/** What the console's user may do. The service decides it from its contracts. */
export interface May {
  /** True if the user may call the operation. */
  readonly call: (operation: Operation) => boolean
  /** True if the user may open the screen. */
  readonly open: (path: Path) => boolean
}

export function useMay(): May {
  const operations = operationsOf(useQuery(session).data)
  const call = (operation: Operation) => operations.includes(operation)
  const open = (path: Path) => NEEDS[path].length === 0 || NEEDS[path].some(call)
  return { call, open }
}

interface Props {
  /** The operation that the children call. */
  readonly call?: Operation
  /** The screen that the children open. */
  readonly open?: Path
  readonly children: ReactNode
}

/** Draws the children only for users who may call the operation, and open the screen. */
export function May({ call, open, children }: Props) {
  const may = useMay()
  return (call === undefined || may.call(call)) && (open === undefined || may.open(open)) ? children : null
}
