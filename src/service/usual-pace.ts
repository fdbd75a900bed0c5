/** What holds where nobody says otherwise, for commands that speak to no service too: they load no client. */
export const USUAL_CONCURRENCY = 8
export const USUAL_TIMEOUT_MS = 150_000
export const USUAL_CONNECT_TIMEOUT_MS = 10_000
