/**
 * What each key of the configuration has to do with records that came in before. `cells`: they are read again from what the
 * ledger holds of them. `file`: only the file itself tells how they read now. `nothing`: they read as they did.
 */
export const READING_KEYS = {
  cells:
    `profile columns crosswalk join exclude words rules timezone dormantSoonDays service.creditorIdentifier
    source.ignoreColumns source.dates source.exportDay source.fillerDates`.split(/\s+/),
  file: `source.sheet source.hidden source.delimiter source.encoding source.skipLines source.skipFooterLines
    source.multilineColumns`.split(/\s+/),
  nothing: `ledger out lang logFile approval approvalValidFor approvers outcomes readBack campaign limits
    service.baseUrl service.username service.passwordFile service.concurrency service.customers service.rate service.timeout
    service.connectTimeout service.readBack service.testHost service.maxInDoubt service.maxRefused service.ca
    service.clientCertificate service.clientKey service.proxy service.freshConnections`.split(/\s+/),
}
