import { create } from 'qrcode'
import { useMemo } from 'react'

/** Modules of white around the code (ISO/IEC 18004 §6.3.8). */
const MARGIN = 4

/** A text as a QR code. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { path, width } = useMemo(() => {
    const { modules } = create(text, { errorCorrectionLevel: 'M' })
    const dark = [...modules.data.keys()].filter((at) => modules.data[at] === 1)
    const square = (at: number) => `M${(at % modules.size) + MARGIN} ${Math.floor(at / modules.size) + MARGIN}h1v1h-1z`
    return { path: dark.map(square).join(''), width: modules.size + 2 * MARGIN }
  }, [text])
  return (
    <svg className="qr" viewBox={`0 0 ${width} ${width}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <title>{label}</title>
      <rect width={width} height={width} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
