import { installValidationMessages } from '../../server/api/validation.js'
import { enforceRowShapes } from './row-shapes.js'

// Test files of one worker share its modules. If one file loads a wallet library, the library changes Zod's messages for all files.
installValidationMessages()
enforceRowShapes()
