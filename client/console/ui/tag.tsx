import { Ban, CircleCheck, CircleX, Clock, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Tone } from './tone.js'

/** Each tone has an icon, because users who see no colours must tell the tones apart (WCAG 2.2, 1.4.1). */
const ICONS: Readonly<Record<Exclude<Tone, 'plain'>, LucideIcon>> = {
  good: CircleCheck,
  bad: CircleX,
  warn: TriangleAlert,
  waiting: Clock,
  ended: Ban,
}

const SIZE = 14

interface Props {
  readonly tone?: Tone
  /** The tooltip. */
  readonly title?: string | undefined
  readonly children: ReactNode
}

/** A state in words, with its colour and its icon. */
export function Tag({ tone = 'plain', title, children }: Props) {
  const Icon = tone === 'plain' ? undefined : ICONS[tone]
  return (
    <span className={`tag ${tone}`} title={title}>
      {Icon !== undefined && <Icon size={SIZE} aria-hidden />}
      <span>{children}</span>
    </span>
  )
}
