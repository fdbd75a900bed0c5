import { ACTIVE, NOT_ACTIVE, ONE_OFF, PENDING, RECURRENT, list } from './status-words.js'

/** Words by meaning. The configuration adds to these lists; a word it lists wins over the built-in meaning. */
export interface WordLists {
  readonly status?: { readonly active?: readonly string[]; readonly notActive?: readonly string[] }
  readonly sequence?: {
    readonly recurrent?: readonly string[]
    readonly oneOff?: readonly string[]
    readonly final?: readonly string[]
  }
  readonly scheme?: { readonly core?: readonly string[]; readonly b2b?: readonly string[] }
}

/** Latin languages write the same participle for he, she and several: `résilié` also as résiliée, résiliés, résiliées. */
const endings = (text: string, ...others: readonly string[]): readonly string[] =>
  list(text).flatMap((word) => [word, ...others.map((ending) => word.replace(/.$/u, ending))])
const french = (text: string): readonly string[] =>
  list(text).flatMap((word) => ['', 'e', 's', 'es'].map((ending) => `${word}${ending}`))
const italian = (text: string): readonly string[] => endings(text, 'a', 'i', 'e')
const spanish = (text: string): readonly string[] => endings(text, 'a', 'os', 'as')
const polish = (text: string): readonly string[] => endings(text, 'a', 'e')

/**
 * What status, sequence and scheme columns say in German, Dutch, French, Italian, Spanish, Swedish, Danish, Polish
 * and English; status-words.ts has the other official languages of the SEPA area. Words that could be read in two ways are left out: what is not understood is told.
 */
export const BUILT_IN: WordLists = {
  status: {
    active: [
      ...list(
        'active, activated, valid, ok, current, live, in force, enabled, confirmed, approved, accepted, signed',
        'aktiv, aktiviert, gültig, laufend, wirksam, bestätigt, freigegeben, in Kraft, unterschrieben, bestehend',
        'actief, geactiveerd, geldig, lopend, bevestigd, ondertekend, goedgekeurd',
        'en cours, en vigueur, valide, valides, actives',
        'in corso, in vigore, in essere',
        'vigente, vigentes, en vigor, alta, de alta',
        'aktivt, aktiverad, aktiverat, giltig, giltigt, gällande, löpande, pågående, godkänd, godkänt',
        'aktiveret, gyldig, gyldigt, gældende, løbende, godkendt, i kraft',
        'obowiązujący, obowiązująca',
      ),
      ...french('actif, activé, validé, confirmé, signé'),
      ...italian('attivo, attivato, valido, confermato, firmato'),
      ...spanish('activo, activado, válido, confirmado, firmado'),
      ...polish('aktywny, ważny'),
      ...endings('zatwierdzony, podpisany, potwierdzony', 'a', 'e'),
      ...ACTIVE,
    ],
    notActive: [
      ...list(
        'cancelled, canceled, cancelled by payer, inactive, not active, non-active, expired, revoked, closed, ended',
        'deleted, blocked, failed, invalid, suspended, suspended by payer, terminated, withdrawn, lapsed, stopped',
        'disabled, deactivated, archived, rejected, void, voided, obsolete, on hold, finished, consumed, dissolved',
        'cancelation, cancellation, termination, deceased, replaced, superseded, discontinued, removed',
      ),
      ...list(
        'widerrufen, widerruf, gekündigt, kündigung, inaktiv, nicht aktiv, abgelaufen, gesperrt, gelöscht, storniert',
        'storno, beendet, beendigt, ausgesetzt, suspendiert, erloschen, aufgehoben, ungültig, nicht gültig',
        'nicht mehr gültig, deaktiviert, stillgelegt, pausiert, annulliert, zurückgezogen, ausgetreten, austritt',
        'abgemeldet, verfallen, eingestellt, geschlossen, abgelehnt, archiviert, entzogen, blockiert, aufgelöst',
        'verstorben, ersetzt, zurückgegeben, ausgelaufen, unwirksam, nicht genutzt, entfernt',
      ),
      ...list(
        'ingetrokken, opgezegd, beëindigd, geannuleerd, vervallen, verlopen, geblokkeerd, opgeschort, geschorst',
        'inactief, niet actief, gestopt, stopgezet, herroepen, gesloten, verwijderd, afgesloten, ongeldig',
        'niet geldig, gepauzeerd, overleden, geweigerd, afgewezen, gedeactiveerd, opgeheven, opzegging, afgemeld',
        'uitgeschakeld, gearchiveerd, vervangen, ontbonden',
      ),
      ...french(
        'résilié, révoqué, annulé, suspendu, expiré, clôturé, terminé, supprimé, bloqué, périmé, échu',
      ),
      ...french('désactivé, rejeté, fermé, arrêté, refusé, décédé, archivé, remplacé, retiré, abandonné'),
      ...list('résiliation, inactif, inactive, inactifs, inactives, non actif, non active, caduc, caduque'),
      ...list('invalide, non valide, clos, close, sans suite, en pause'),
      ...italian('revocato, annullato, cancellato, scaduto, sospeso, cessato, estinto, disdetto, chiuso'),
      ...italian('terminato, inattivo, non attivo, bloccato, eliminato, disattivato, rifiutato, decaduto'),
      ...italian('concluso, archiviato, respinto, deceduto'),
      ...list('disdetta, revoca, non valido, non valida'),
      ...spanish(
        'revocado, cancelado, anulado, suspendido, caducado, vencido, expirado, finalizado, terminado',
      ),
      ...spanish('inactivo, no activo, bloqueado, eliminado, cerrado, rescindido, desactivado, rechazado'),
      ...spanish('extinguido, fallecido, archivado, retirado, no válido'),
      ...list('baja, de baja, dado de baja, dada de baja, no vigente'),
      ...list(
        'uppsagd, uppsagt, avslutad, avslutat, avbruten, avbrutet, återkallad, återkallat, upphörd, upphört',
        'inaktivt, ej aktiv, ej aktivt, inte aktiv, makulerad, makulerat, spärrad, spärrat, utgången, utgånget',
        'raderad, raderat, pausad, pausat, vilande, stängd, stängt, annullerad, annullerat, ogiltig, ogiltigt',
        'borttagen, borttaget, avregistrerad, avregistrerat, blockerad, blockerat, avvisad, avvisat, avliden',
        'suspenderad, suspenderat, avstängd, avstängt, förfallen, förfallet, indragen, indraget, hävd',
      ),
      ...list(
        'opsagt, ophørt, afsluttet, annulleret, tilbagekaldt, tilbagetrukket, udløbet, inaktiv, ikke aktiv, spærret',
        'slettet, suspenderet, lukket, stoppet, afmeldt, ugyldig, ugyldigt, pauseret, blokeret, afvist, bortfaldet',
        'deaktiveret, inaktivt, død, afbrudt, arkiveret',
      ),
      // A mandate that rests is not collected from: moving it would wake it up.
      ...list(
        'paused, pause, on pause, dormant, frozen, resting, ruhend, ruht, pausierend, in Pause, unterbrochen, eingefroren',
        'rustend, in rust, op pauze, bevroren, onderbroken, slapend, in pausa, en pausa, en sommeil, pausat, på paus',
        'i vila, fryst, frysta, hvilende, på pause, sat på pause, i bero, frosset, w zawieszeniu, w spoczynku',
      ),
      ...french('gelé, interrompu'),
      ...italian('congelato, interrotto'),
      ...spanish('pausado, congelado, interrumpido'),
      ...polish('zamrożony, przerwany'),
      ...polish('anulowany, odwołany, wygasły, wypowiedziany, zakończony, zawieszony, nieaktywny, cofnięty'),
      ...polish(
        'zablokowany, usunięty, nieważny, rozwiązany, zamknięty, wstrzymany, odrzucony, unieważniony',
      ),
      ...list('wygasł, wygasła, wygasło, przeterminowany, nieaktualny, wypowiedzenie, zmarły'),
      ...PENDING,
      ...NOT_ACTIVE,
    ],
  },
  sequence: {
    recurrent: [
      ...list(
        'FRST, RCUR, RPRE, first, recurrent, recurring, repeating, ongoing, periodic, continuous, subsequent, regular',
        'Erstlastschrift, Folgelastschrift, Erst, Folge, erste Lastschrift, wiederkehrend, wiederholend, mehrmalig',
        'mehrfach, dauerhaft, Dauerlastschrift, Dauermandat, Mehrfachmandat, regelmäßig, fortlaufend, unbefristet',
        'wiederkehrende Lastschrift, wiederkehrende Zahlung, wiederkehrende Zahlungen, wiederholt, erstmalig',
        'doorlopend, doorlopende machtiging, doorlopende incasso, terugkerend, periodiek, herhaald, herhalend',
        'vervolg, eerste, eerste incasso, vervolgincasso',
        'récurrente, récurrentes, récurrents, répétitif, répétitive, permanent, permanente, périodique, régulier',
        'régulière, premier, première, paiement récurrent, prélèvement récurrent, prélèvements récurrents',
        'ricorrente, ricorrenti, periodico, periodica, continuativo, continuativa, ripetuto, primo',
        'recurrente, recurrentes, periódico, periódica, pago recurrente, repetitivo, primero',
        'återkommande, upprepad, upprepat, löpande, fortlöpande, första, periodisk',
        'tilbagevendende, gentagen, gentaget, gentagne, løbende, første, regelmæssig',
        'cykliczny, cykliczna, cykliczne, powtarzalny, powtarzalna, powtarzający się, okresowy, wielorazowy',
        'wielokrotny, stały, pierwszy',
      ),
      ...RECURRENT,
    ],
    oneOff: [
      ...list(
        'OOFF, one-off, single, one-time, onetime, once, single payment, one-off payment, single use, one shot',
        'einmal, einmalig, einmalige, Einmallastschrift, einmalige Lastschrift, Einmalmandat, Einmaleinzug',
        'Einmalzahlung, einmalige Zahlung, Einzellastschrift, einmaliges Mandat, Einmal-Mandat, Einmaleinziehung',
        'eenmalig, eenmalige machtiging, eenmalige incasso, eenmalige betaling',
        'ponctuel, ponctuelle, ponctuels, ponctuelles, unique, paiement unique, paiement ponctuel, mandat ponctuel',
        'prélèvement ponctuel, prélèvement unique, une fois, une seule fois, occasionnel, mandat unique',
        'una tantum, singolo, singola, unico, unica, occasionale, addebito singolo, mandato singolo, pagamento unico',
        'único, única, puntual, pago único, adeudo único, una sola vez, un solo pago, esporádico, mandato único',
        'engångs, engång, en gång, engångsbetalning, engångsmedgivande, engångsuttag, enstaka',
        'engangs, engang, en gang, engangsbetaling, engangsopkrævning, enkeltstående',
        'jednorazowy, jednorazowa, jednorazowe, jednorazowo, płatność jednorazowa',
      ),
      ...ONE_OFF,
    ],
    final: list(
      'FNAL, final, last, final collection, last collection',
      'letzte, letzte Lastschrift, Schlusslastschrift, letztmalig, Abschlusslastschrift',
      'laatste, laatste incasso, dernier, dernière, dernier prélèvement, finale',
      'ultimo, ultima, ultimo addebito, último, última, último cobro, último adeudo',
      'sista, sista dragning, sidste, sidste opkrævning, ostatni, ostatnia, ostatnie',
    ),
  },
  scheme: {
    core: list(
      'CORE, COR1, SEPA Core, SDD Core, Core Direct Debit, SEPA Core Direct Debit, CORE/COR1',
      'Basislastschrift, SEPA-Basislastschrift, Basismandat, Basis, SEPA-Basis, Basisverfahren, CORE-Lastschrift',
      'incasso algemeen, algemeen, SEPA incasso algemeen, standaard Europese incasso, prélèvement SEPA Core',
      'SEPA Direct Debit Core, SDD Core scheme, básico, adeudo básico, schema core, grundläggande, podstawowy',
    ),
    b2b: list(
      'B2B, SEPA B2B, SDD B2B, B2B Direct Debit, business to business, SEPA B2B Direct Debit, SDD B2B scheme',
      'Firmenlastschrift, SEPA-Firmenlastschrift, Firmenmandat, B2B-Lastschrift, B2B-Mandat, Firmen-Lastschrift',
      'SEPA-Firmen, bedrijvenincasso, incasso bedrijven, SEPA incasso bedrijven, Europese incasso bedrijven',
      'inter-entreprises, interentreprises, interprofessionnel, prélèvement SEPA interentreprises, schema B2B',
      'adeudo B2B, entre empresas, tra imprese, företag till företag, virksomhed til virksomhed',
    ),
  },
}

/** What columns say that only answer yes or no. */
export const YES: readonly string[] = list(
  'true, 1, x, ja, j, yes, y, oui, o, si, sí, s, tak, t, wahr, waar, vrai, vero',
)
export const NO: readonly string[] = list(
  'false, 0, nein, n, no, nee, non, nej, nie, falsch, onwaar, faux, falso',
)

/** Words that other columns have too: marital status, results of checks, tariffs, remarks. */
export const WEAK: readonly string[] = [
  ...PENDING,
  ...list(
    'ok, valid, invalid, failed, live, current, signed, accepted, approved, confirmed, single, last, final, first, once',
    'regular, permanent, void, removed, replaced, closed, finished, stopped, deceased, on hold, archived, enabled',
    'disabled, bestätigt, freigegeben, laufend, unterschrieben, letzte, Erst, Folge, Basis, ersetzt, entfernt',
    'verstorben, geschlossen, abgelehnt, Austritt, Storno, laatste, eerste, algemeen, gesloten, geweigerd, overleden',
    'unique, dernier, dernière, premier, première, fermé, refusé, décédé, terminé, en cours, permanente, validé, signé',
    'único, única, unico, unica, singolo, singola, primo, ultimo, ultima, último, última, chiuso, confermato, firmato',
    'baja, alta, básico, primero, cerrado, confirmado, firmado, retirado, första, sista, stängd, avliden, enstaka',
    'første, sidste, lukket, død, stały, pierwszy, ostatni, ostatnia, ostatnie, zmarły, zamknięty, grundläggande',
    'podstawowy, godkänd, godkänt, godkendt, zatwierdzony, podpisany',
    'potvrzený, potvrzeno, schválený, schváleno, podepsaný, podepsáno, otevřený, uzavřený, zaprt, zatvoren, suletud, lukittu',
    'suljettu, hyväksytty, vahvistettu, jóváhagyott, lezárt, confirmat, aprobat, semnat, închis, κλειστή, κλειστό, закрит',
    'aprovado, assinado, fechado, onaylandı, onaylı, kapalı, potvrđen, potpisan, odobren, godkjent, stengt, lokað',
  ),
]
