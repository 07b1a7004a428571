import { installValidationMessages } from '../../server/api/validation.js'
import { enforceRowShapes } from './row-shapes.js'

// Files of one worker share its modules, and a wallet's library that one of them loads sets words of its own for all.
installValidationMessages()
enforceRowShapes()
