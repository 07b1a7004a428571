import { providerKind } from '../provider.js'
import { openPkcs11 } from './adapter.js'
import { zPkcs11Settings } from './settings.js'

/** Tokens behind a PKCS#11 library (PKCS#11 v2.40, v3.0): hardware security modules, smart cards, SoftHSM. */
export const pkcs11 = providerKind({
  settings: zPkcs11Settings,
  open: (settings, { name, environment }) => openPkcs11(settings, name, environment),
})
