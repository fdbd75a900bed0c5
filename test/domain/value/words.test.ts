import { expect, test } from 'vitest'
import type { RuleId } from '../../../src/domain/rule/verdict.js'
import { fold } from '../../../src/domain/text/text.js'
import { BUILT_IN, checkWord, WORDS, wordsWith } from '../../../src/domain/value/words.js'

type Word = 'status' | 'sequence' | 'scheme' | 'firmenMandat'
const each = (list: string): string[] => list.split(', ')

// Written down a second time, so that a slip in the lists shows. 8.3.4 and 26.2 brought the languages.
const LISTS: [Word, RuleId | null, ...string[]][] = [
  [
    'status',
    'STATUS_NOT_ACTIVE',
    'cancelled, canceled, inactive, expired, revoked, closed, ended, deleted, blocked, failed, invalid',
    'widerrufen, gekündigt, inaktiv, abgelaufen, gesperrt, gelöscht, storniert, ingetrokken, opgezegd',
    'beëindigd, résilié, révoqué, annulé, revocado, cancelado, gekuendigt, GELOESCHT, beeindigd',
    'Resilie, gekundigt, ="EXPIRED" , paused, ruhend, Ruht, pausiert, op pauze, rustend, en pause',
    'gelée, in pausa, congelata, en pausa, pausado, vilande, på paus, hvilende, pauseret, zawieszony',
    'zamrożone, dormant, frozen, terminated, suspended, Suspended by payer, withdrawn, not active',
    'beendet, ausgesetzt, nicht mehr gültig, ungueltig, Kündigung, vervallen, geannuleerd, niet actief',
    'stopgezet, suspendu, résiliée, RESILIEES, clôturé, expiré, revocata, sospeso, scaduti, disdetta',
    'suspendido, caducada, dado de baja, no activo, uppsagt, återkallad, upphört, ophørt, ophoert',
    'ophort, udløbet, tilbagekaldt, wygasły, wygasly, wypowiedziany, zawieszona, cofnięty, cofniety',
    'nieaktywny, Gekündigt zum 31.12.2025, opgezegd per 1-1-2024, résilié le 01/02/2025',
    'Cancelled (2024-05-01), zrušen, zrušený, neplatné, preklican, otkazan, прекратен, откажан',
    'tühistatud, peruttu, ακυρωμένη, törölve, cealaithe, atcelts, atšauktas, imħassar, inativa',
    'suspensa, anulat, óvirkt, avvist, gekënnegt, anul·lat, i anuluar, iptal, Pte. firma, pending',
    'ausstehend, en attente, in attesa, oczekujący, odottaa, függőben',
  ],
  ['status', 'STATUS_UNKNOWN', 'in Klärung, new, 1, 4, SUB'],
  [
    'status',
    null,
    'active, valid, ok, aktiv, gültig, actief, actif, activo, laufend, wirksam, lopend, geldig',
    'en cours, en vigueur, attivo, valida, vigente, activa, giltigt, löpande, gældende, gaeldende',
    'aktywny, ważny, wazny, obowiązujący, aktiv seit 01.02.2020, aktivní, platný, aktívny, aktiven',
    'aktivan, активен, важи, kehtiv, voimassa, ενεργή, érvényes, gníomhach, spēkā, galiojantis, attiv',
    'ativo, activ, în vigoare, virkt, gyldig, gülteg, vigent, geçerli, ,  , -, ="" ',
  ],
  [
    'sequence',
    'SEQUENCE_ONE_OFF',
    'OOFF, one-off, one off, single, einmal, Einmallastschrift, one-time, einmalig',
    'Einmalige Lastschrift, eenmalig, ponctuel, ponctuelle, paiement unique, puntual, una tantum',
    'pago único, engångs, engangs, jednorazowy, jednorazowa',
  ],
  ['sequence', 'SEQUENCE_FINAL', 'FNAL, final, last, letzte, letzte Lastschrift'],
  ['sequence', 'SEQUENCE_UNKNOWN', 'weekly'],
  [
    'sequence',
    null,
    'FRST, RCUR, first, recurrent, recurring, Erstlastschrift, Folgelastschrift, Erst, Folge',
    'wiederkehrend, Dauerlastschrift, doorlopend, terugkerend, récurrent, permanent, ricorrente',
    'recurrente, periódico, återkommande, tilbagevendende, cykliczny, stały',
  ],
  ['scheme', 'SCHEME_B2B', 'B2B, b-2-b, Firmenlastschrift, SEPA B2B, SEPA-Firmenlastschrift'],
  ['scheme', 'SCHEME_B2B', 'Firmenmandat, interentreprises, Incasso bedrijven'],
  ['scheme', 'SCHEME_UNKNOWN', 'true, 1, JA, yes, false, 0, Nein, no'],
  ['scheme', null, 'CORE, cor1, Basislastschrift'],
  ['firmenMandat', 'SCHEME_B2B', 'true, 1, JA, yes, B2B, b-2-b, Firmenlastschrift'],
  ['firmenMandat', 'SCHEME_UNKNOWN', 'vielleicht'],
  ['firmenMandat', null, 'false, 0, Nein, no, CORE, cor1, Basislastschrift'],
]

const rulesOf = (word: Word, raw: string, words = WORDS) =>
  checkWord(word === 'firmenMandat' ? 'scheme' : word, raw, words[word], {}).map(({ rule }) => rule)

test.each(LISTS)('as a %s %s is said of %s', (word, rule, ...lists) => {
  for (const raw of lists.flatMap(each)) expect(rulesOf(word, raw), raw).toEqual(rule === null ? [] : [rule])
})

test.each(Object.entries(BUILT_IN))('no word of the %s means two things', (_, meanings) => {
  const lists = Object.values(meanings as Readonly<Record<string, readonly string[]>>)
  const words = lists.flatMap((list) => [...new Set(list.map(fold))])
  expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([])
})

test.each<[Word, string, RuleId | null]>([
  ['status', 'ruecklaeufig', 'STATUS_NOT_ACTIVE'],
  ['status', 'laufend', null],
  ['status', 'aktiv', null],
  ['status', 'failed', null],
  ['status', 'ok', 'STATUS_NOT_ACTIVE'],
  ['sequence', 'weekly', null],
  ['sequence', 'Einmalig', 'SEQUENCE_ONE_OFF'],
  ['sequence', 'Schluß', 'SEQUENCE_FINAL'],
  ['scheme', 'privat', null],
  ['scheme', 'Firma', 'SCHEME_B2B'],
])('words of the configuration add to the lists and win over them: %s %s', (word, raw, rule) => {
  const words = wordsWith({
    status: { notActive: ['rückläufig', 'ok'], active: ['laufend', 'failed'] },
    sequence: { recurrent: ['weekly'], oneOff: ['einmalig'], final: ['Schluss'] },
    scheme: { core: ['privat'], b2b: ['Firma'] },
  })
  expect(rulesOf(word, raw, words)).toEqual(rule === null ? [] : [rule])
})

test.each(['warning', 'off'] as const)('at %s no word passes that nobody understood', (severity) => {
  const found = checkWord('status', 'in Klärung', WORDS.status, { STATUS_UNKNOWN: severity })
  expect(found).toMatchObject([{ rule: 'STATUS_UNKNOWN' }])
})
