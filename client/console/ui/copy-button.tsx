import { useEffect, useState } from 'react'
import { useTexts } from '../texts/use-texts.js'

const SHOWN_MS = 2_000

interface Props {
  readonly value: string
  /** The name of the copied value, for users of a screen reader. */
  readonly what: string
}

export function CopyButton({ value, what }: Props) {
  const { common } = useTexts()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    setCopied(true)
  }
  return (
    <button type="button" className="quiet copy" aria-label={common.copyOf(what)} onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? common.copied : common.copy}</span>
    </button>
  )
}
