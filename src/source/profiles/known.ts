/** One line for each known system. */
export { default as businessCentral } from './business-central.json' with { type: 'json' }
export { default as civisepa } from './civisepa.json' with { type: 'json' }
export { default as dolibarr } from './dolibarr.json' with { type: 'json' }
export { default as easydta } from './easydta.json' with { type: 'json' }
export { default as gocardless } from './gocardless.json' with { type: 'json' }
export { default as hostbill } from './hostbill.json' with { type: 'json' }
export { default as jverein } from './jverein.json' with { type: 'json' }
export { default as odooOca } from './odoo-oca.json' with { type: 'json' }
export { default as odoo } from './odoo.json' with { type: 'json' }
export { default as sapCds } from './sap-cds.json' with { type: 'json' }
export { default as sap } from './sap.json' with { type: 'json' }
export { default as spgVerein } from './spg-verein.json' with { type: 'json' }
export { default as twikey } from './twikey.json' with { type: 'json' }
export { default as zuora } from './zuora.json' with { type: 'json' }
