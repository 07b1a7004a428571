import { Link } from '@tanstack/react-router'
import { useTexts } from '../../../texts/use-texts.js'
import { forgetHanded, handOver } from '../../../ui/kept/handed-over.js'
import { May } from '../../../ui/use-may.js'

interface Props {
  /** The credential to explain. Without it, the user enters one on the screen of the explanation. */
  readonly credential?: string
}

/** A link to the screen that explains why an issuer is trusted or not. The credential goes there in memory alone. */
export function ToExplain({ credential }: Props) {
  const { trust: words } = useTexts()
  const onClick = () => (credential === undefined ? forgetHanded() : handOver(credential))
  return (
    <May open="/trust/explain">
      <p>
        <Link to="/trust/explain" onClick={onClick}>
          {words.toExplain}
        </Link>
      </p>
    </May>
  )
}
