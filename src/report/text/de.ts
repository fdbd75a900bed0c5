import { html } from 'hono/html'
import type { VerificationWord } from '../../domain/proof/verification.js'
import { timeText } from '../../domain/text/wording.js'
import type { Texts } from './en.js'
import { figuresOf } from './figures.js'

const { count, plural, share, duration, width } = figuresOf({
  thousands: '.',
  point: ',',
  isOne: (number) => number === 1,
  units: {
    second: ['Sekunde', 'Sekunden'],
    minute: ['Minute', 'Minuten'],
    hour: ['Stunde', 'Stunden'],
    day: ['Tag', 'Tage'],
  },
})

const states: Texts['states'] = {
  invalid: {
    name: 'ungültig',
    long: 'Ein Wert fehlt oder ist falsch. Nie gesendet; korrigieren und wieder einlesen.',
  },
  duplicate: {
    name: 'Dublette',
    long: 'Dasselbe Mandat mit denselben Daten wurde schon gelesen. Höchstens einmal gesendet.',
  },
  conflict: {
    name: 'Konflikt',
    long: 'Dasselbe Mandat kommt mit unterschiedlichen Daten vor. Keine der Zeilen wird gesendet.',
  },
  excluded: {
    name: 'ausgeschlossen',
    long: 'Lesbar, darf aber nicht migriert werden; den Grund nennt die Regel.',
  },
  superseded: {
    name: 'ersetzt',
    long: 'Durch eine Zeile einer späteren Datei ersetzt.',
  },
  ready: {
    name: 'bereit',
    long: 'Geprüft und noch nicht gesendet oder vorerst abgewiesen und auf den nächsten Lauf wartend.',
  },
  sending: {
    name: 'wird gesendet',
    long: 'Unterwegs, als dieser Bericht geschrieben oder ein Lauf abgebrochen wurde. Der nächste Lauf schließt die Zeile ab oder stuft sie als ungeklärt ein.',
  },
  registered: {
    name: 'registriert',
    long: 'Der Dienst hat das Mandat bestätigt und ihm neue Kennungen gegeben.',
  },
  refused: {
    name: 'abgelehnt',
    long: 'Der Dienst hat abgelehnt. Es wurde nichts registriert.',
  },
  in_doubt: {
    name: 'ungeklärt',
    long: 'Das Mandat kann beim Dienst vorhanden sein oder nicht. Das Programm sendet es nie erneut; eine Person muss es herausfinden und entscheiden.',
  },
  written_off: {
    name: 'ausgebucht',
    long: 'Durch die aufgezeichnete Entscheidung einer Person geschlossen.',
  },
}

const TEACH =
  'Unter „words“ in der Konfiguration angeben, was es bedeutet, und dieselbe Datei erneut einlesen. Stimmt diese Zeile, wie sie ist, bei ihr in corrections.csv „send“ in migration_decision eintragen und jene Datei einlesen.'

const rules: Texts['rules'] = {
  EXCEL_SCIENTIFIC: {
    message:
      'Die Tabellenkalkulation hat diesen Wert durch eine gerundete Zahl ersetzt. Das Original lässt sich daraus nicht wiederherstellen.',
    remedy:
      'Neu exportieren, die Spalte als Text formatiert, und die Datei dabei nicht in einer Tabellenkalkulation öffnen.',
  },
  CUST_EMPTY: {
    message: 'Die Kundennummer fehlt.',
    remedy: 'Kundennummer eintragen oder den bisherigen Schlüssel in die Umschlüsselungsdatei aufnehmen.',
  },
  CUST_FORMAT: {
    message: 'Die Kundennummer ist keine reine ganze Zahl.',
    remedy:
      'Die Nummer des Kunden im Rechnungsdienst angeben. Ist dies der Schlüssel des bisherigen Gläubigers, eine Umschlüsselungsdatei verwenden.',
  },
  CUST_RANGE: {
    message: 'Die Kundennummer liegt außerhalb des zulässigen Bereichs.',
    remedy: 'Die Nummer korrigieren. Prüfen, ob eine Tabellenkalkulation sie verändert hat.',
  },
  CUST_LEADING_ZERO: {
    message:
      'Führende Nullen gehen verloren, weil der Dienst eine Zahl speichert. Es kann ein Schlüssel eines anderen Systems sein.',
    remedy: 'Vor dem Senden einige Zeilen mit dem Dienst vergleichen.',
  },
  CROSSWALK_NO_MATCH: {
    message: 'Zu diesem bisherigen Schlüssel ist kein Kunde bekannt.',
    remedy: 'Den Schlüssel in die Umschlüsselungsdatei aufnehmen oder die Zeile aus dem Export entfernen.',
  },
  CROSSWALK_AMBIGUOUS: {
    message: 'Dieser bisherige Schlüssel verweist auf mehrere Kunden.',
    remedy: 'In der Umschlüsselungsdatei nur die eine richtige Zeile behalten.',
  },
  CROSSWALK_MISMATCH: {
    message: 'Die Zeile der Umschlüsselungsdatei gehört zu einem anderen Konto oder Namen.',
    remedy: 'Die Umschlüsselungsdatei auf verschobene oder einzeln sortierte Spalten prüfen.',
  },
  CROSSWALK_DUPLICATE_LINE: {
    message: 'Die Umschlüsselungsdatei wiederholt eine Zeile.',
    remedy: 'Die wiederholte Zeile entfernen.',
  },
  CROSSWALK_UNUSED_LINE: {
    message: 'Ein Kunde der Umschlüsselungsdatei hat kein Mandat im Export.',
    remedy: 'Prüfen, ob der Export vollständig ist.',
  },
  IBAN_EMPTY: {
    message: 'Die IBAN fehlt.',
    remedy: 'Die IBAN beim bisherigen Gläubiger oder beim Kunden erfragen.',
  },
  IBAN_MASKED: {
    message: 'Die IBAN ist maskiert. Die verdeckten Ziffern lassen sich nicht wiederherstellen.',
    remedy: 'Vom bisherigen Gläubiger einen Export mit vollständigen IBANs verlangen.',
  },
  IBAN_COUNTRY: {
    message: 'Der Wert beginnt nicht mit einem Land, das IBANs vergibt.',
    remedy:
      'Eine alte Kontonummer mit Bankleitzahl muss die Bank in eine IBAN umrechnen. Überseegebiete verwenden das Länderkennzeichen ihres Mutterlandes.',
  },
  IBAN_NOT_SEPA: {
    message: 'Das Land dieses Kontos nimmt nicht an SEPA teil.',
    remedy: 'Diese Zeile nicht migrieren. Ein anderes Zahlungsmittel vereinbaren.',
  },
  IBAN_CHARSET: {
    message: 'Die IBAN enthält ein Zeichen, das nicht zulässig ist.',
    remedy: 'Die IBAN korrigieren. Der Bericht nennt das Zeichen.',
  },
  IBAN_LENGTH: {
    message: 'Die IBAN ist für ihr Land zu kurz oder zu lang.',
    remedy: 'Nach einer verlorenen Null oder einer abgeschnittenen Zelle suchen.',
  },
  IBAN_STRUCTURE: {
    message: 'Buchstaben und Ziffern stehen für dieses Land an den falschen Stellen.',
    remedy: 'Auf O statt 0 und I statt 1 prüfen.',
  },
  IBAN_CHECK_RANGE: {
    message: 'Diese Prüfziffern können nie vorkommen.',
    remedy: 'Die IBAN wurde erfunden oder beschädigt. Beim Kunden erfragen.',
  },
  IBAN_CHECKSUM: {
    message: 'Die IBAN enthält einen Tippfehler.',
    remedy: 'Mit dem Originaldokument vergleichen.',
  },
  IBAN_QR: {
    message: 'Dies ist eine QR-IBAN. Sie empfängt nur Zahlungen und kann nicht belastet werden.',
    remedy: 'Den Kunden nach der normalen IBAN fragen.',
  },
  IBAN_NON_EEA: {
    message:
      'Lastschriften aus diesem Land brauchen auch die Anschrift des Zahlungspflichtigen (und meist den BIC).',
    remedy:
      'Die Anschrift beim Kunden hinterlegen, Ort und Land in eigenen Feldern: Seit dem 15. November 2026 lehnen Banken unstrukturierte Anschriften ab.',
  },
  IBAN_NEW_SEPA: {
    message:
      'Das Land ist SEPA erst vor Kurzem beigetreten. Die Bank nimmt möglicherweise noch keine Lastschriften an. Die Anschrift des Zahlungspflichtigen wird benötigt.',
    remedy:
      'Vor der ersten Lastschrift die Bank fragen. Die Anschrift hinterlegen, Ort und Land in eigenen Feldern: Seit dem 15. November 2026 lehnen Banken unstrukturierte Anschriften ab.',
  },
  IBAN_NATIONAL_CHECK: {
    message:
      'Die nationale Prüfziffer des Kontos ist ungewöhnlich. Das kann bei alten oder besonderen Konten vorkommen.',
    remedy: 'Mit dem Originaldokument vergleichen; sonst senden.',
  },
  IBAN_LIBRARY_DISAGREES: {
    message: 'Zwei Prüfungen dieser IBAN widersprechen sich.',
    remedy: 'Den Entwicklern melden; die IBAN von Hand prüfen.',
  },
  DATE_EMPTY: {
    message: 'Das Unterschriftsdatum fehlt.',
    remedy: 'Dem Mandat entnehmen. Nie das Datum des Exports oder der Migration verwenden.',
  },
  DATE_AMBIGUOUS: {
    message: 'Das Datum lässt sich auf zwei Arten lesen.',
    remedy: 'Das Format dieser Spalte festlegen.',
  },
  DATE_INVALID: {
    message: 'Dies ist kein Datum im festgelegten Format.',
    remedy: 'Das Datum korrigieren oder das richtige Format festlegen.',
  },
  DATE_FUTURE: {
    message: 'Das Unterschriftsdatum liegt in der Zukunft.',
    remedy: 'Prüfen, ob Tag und Monat vertauscht sind.',
  },
  DATE_PRE_SEPA: {
    message:
      'Das Mandat ist älter als die SEPA-Lastschrift, oder das Datum ist ein Platzhalter wie 1970-01-01.',
    remedy:
      'Bestätigen, dass es das Datum auf dem Papier ist. Alte deutsche Einzugsermächtigungen dürfen es behalten.',
  },
  DATE_LEGACY_DEFAULT: {
    message: 'Dies ist der übliche Platzhalter für alte niederländische Mandate. Er ist rechtmäßig.',
    remedy:
      'Das Datum der letzten Lastschrift angeben, damit beurteilt werden kann, ob das Mandat verfallen ist.',
  },
  DATE_TWO_DIGIT_YEAR: {
    message: 'Das Jahrhundert wurde angenommen.',
    remedy: 'Einige Datumsangaben mit der Quelle vergleichen.',
  },
  DATE_UTC_SHIFT: {
    message:
      'Das Datum sieht nach örtlicher Mitternacht aus, gespeichert in UTC. Es kann einen Tag zu früh sein.',
    remedy: 'Ein reines Datum ohne Uhrzeit verlangen.',
  },
  CI_EMPTY: {
    message: 'Die Gläubiger-Identifikationsnummer des bisherigen Gläubigers fehlt.',
    remedy: 'Die Spalte füllen oder die Konstante konfigurieren.',
  },
  CI_FORMAT: {
    message: 'Der Wert hat nicht die Form einer Gläubiger-Identifikationsnummer.',
    remedy: 'Von einem Kontoauszug oder einer alten Vorabankündigung abschreiben.',
  },
  CI_LOOKS_LIKE_IBAN: {
    message: 'Dies ist eine IBAN, keine Gläubiger-Identifikationsnummer.',
    remedy: 'Prüfen, ob zwei Spalten vertauscht sind.',
  },
  CI_CHECKSUM: {
    message: 'Die Prüfziffern sind falsch.',
    remedy: 'Nach einem Tippfehler suchen. Die Prüfziffern nicht neu berechnen.',
  },
  CI_COUNTRY: {
    message: 'Unter diesem Länderkennzeichen werden keine SEPA-Gläubiger-Identifikationsnummern vergeben.',
    remedy: 'Erneut aus der Quelle abschreiben.',
  },
  CI_LENGTH: {
    message: 'Die Länge ist für dieses Land falsch. Oft ging eine führende Null verloren.',
    remedy: 'Anhand eines Dokuments wiederherstellen. Nicht auf Verdacht auffüllen.',
  },
  CI_LENGTH_UNCONFIRMED: {
    message: 'Die Länge ist für dieses Land ungewöhnlich.',
    remedy: 'Mit einem Kontoauszug vergleichen.',
  },
  CI_LENGTH_UNKNOWN: {
    message: 'Die Länge lässt sich für dieses Land nicht prüfen.',
    remedy: 'Mit einem Kontoauszug vergleichen.',
  },
  CI_NATIONAL_CHARS: {
    message: 'Die Gläubiger-Identifikationsnummer enthält ungewöhnliche Zeichen.',
    remedy: 'Mit einem Kontoauszug vergleichen.',
  },
  CI_CONSTANT_MISMATCH: {
    message: 'Die Zeile nennt einen anderen Gläubiger als den konfigurierten.',
    remedy: 'Die Konstante entfernen oder die Datei aufteilen.',
  },
  CI_SAME_AS_NEW: {
    message:
      'Bisheriger und neuer Gläubiger sind derselbe. Banken lehnen eine Änderung ab, die nichts ändert.',
    remedy: 'Prüfen, ob die bisherige Gläubiger-Identifikationsnummer eingetragen wurde und nicht die neue.',
  },
  UMR_EMPTY: {
    message: 'Die Mandatsreferenz fehlt.',
    remedy: 'Beim bisherigen Gläubiger erfragen.',
  },
  UMR_CHARSET: {
    message: 'Die Mandatsreferenz enthält ein Zeichen, das Banken nicht annehmen.',
    remedy:
      'Beim bisherigen Gläubiger erfragen, was wirklich an die Bank ging. Oder die Zeichencodierung des Exports berichtigen.',
  },
  UMR_LENGTH: {
    message: 'Die Mandatsreferenz ist länger als 35 Zeichen.',
    remedy: 'Auf zusammengefügte Spalten prüfen.',
  },
  UMR_SLASH: {
    message: 'Schrägstriche stehen an einer Stelle, die Banken nicht annehmen.',
    remedy: 'Beim bisherigen Gläubiger erfragen, was an die Bank ging.',
  },
  UMR_SPACE: {
    message: 'Manche Banken verbieten Leerzeichen oder fassen sie zusammen.',
    remedy: 'Mit einem alten Kontoauszug vergleichen.',
  },
  UMR_PLACEHOLDER: {
    message: 'Dies sieht nach einem Platzhalter aus, nicht nach einer Mandatsreferenz.',
    remedy: 'Die wirkliche Mandatsreferenz beschaffen.',
  },
  UMR_PRECISION: {
    message: 'Die letzten Ziffern können in einer Tabellenkalkulation verloren gegangen sein.',
    remedy: 'Mit dem Ausgangssystem vergleichen.',
  },
  UMR_LOOKS_LIKE_DATE: {
    message: 'Eine Tabellenkalkulation kann aus der Mandatsreferenz ein Datum gemacht haben.',
    remedy: 'Mit dem Ausgangssystem vergleichen.',
  },
  UMR_APOSTROPHE: {
    message:
      'Dies kann das Textkennzeichen einer Tabellenkalkulation sein. Es ist auch ein zulässiges Zeichen und bleibt daher stehen.',
    remedy: 'Mit einem alten Kontoauszug vergleichen.',
  },
  LAST_COLLECTION_INVALID: {
    message: 'Das Datum der letzten Lastschrift ist nicht lesbar.',
    remedy: 'Korrigieren oder die Zelle leeren.',
  },
  LAST_COLLECTION_FUTURE: {
    message: 'Die letzte Lastschrift liegt in der Zukunft. Sie ist möglicherweise erst geplant.',
    remedy: 'Die letzte Lastschrift angeben, die bei der Bank eingereicht wurde, auch wenn sie zurückkam.',
  },
  LAST_COLLECTION_BEFORE_SIGNATURE: {
    message: 'Das Mandat wurde genutzt, bevor es unterschrieben war. Eines der Daten ist falsch.',
    remedy: 'Beide Daten prüfen.',
  },
  MANDATE_DORMANT: {
    message: 'Seit mehr als 36 Monaten wurde keine Lastschrift eingereicht: Das Mandat ist verfallen.',
    remedy:
      'Ein neues Mandat einholen, außer es wurde später noch eine Lastschrift eingereicht: Sie zählt auch, wenn sie zurückkam.',
  },
  MANDATE_DORMANT_SOON: {
    message: 'Das Mandat verfällt bald.',
    remedy:
      'Die erste Lastschrift bis zum angegebenen Datum einreichen; sie zählt auch, wenn sie zurückkommt.',
  },
  DORMANCY_UNKNOWN: {
    message:
      'Es lässt sich nicht sagen, ob das Mandat verfallen ist (nicht gesichert: nur warnen, nie abweisen).',
    remedy: 'Das Datum der letzten Lastschrift angeben, die eingereicht wurde, auch wenn sie zurückkam.',
  },
  STATUS_NOT_ACTIVE: {
    message: 'Das Mandat ist nicht aktiv.',
    remedy: 'Nicht migrieren. Bei Bedarf ein neues Mandat einholen.',
  },
  STATUS_UNKNOWN: {
    message: 'Niemand hat angegeben, was dieses Statuswort bedeutet.',
    remedy: TEACH,
  },
  SEQUENCE_ONE_OFF: {
    message: 'Einmaliges Mandat: nach einer Lastschrift verbraucht.',
    remedy: 'Nicht migrieren.',
  },
  SEQUENCE_FINAL: {
    message: 'Die letzte Lastschrift wurde bereits eingezogen.',
    remedy: 'Nicht migrieren.',
  },
  SEQUENCE_UNKNOWN: {
    message: 'Niemand hat angegeben, was dieses Sequenzwort bedeutet.',
    remedy: TEACH,
  },
  SCHEME_B2B: {
    message:
      'Firmenmandat (B2B): Die Bank des Zahlungspflichtigen muss es neu hinterlegen, und der Dienst hat kein Feld dafür.',
    remedy: 'Nicht migrieren. Ein Basismandat (CORE) vereinbaren.',
  },
  SCHEME_UNKNOWN: {
    message: 'Niemand hat angegeben, was dieses Wort für das Lastschriftverfahren bedeutet.',
    remedy: TEACH,
  },
  EXCLUDED_BY_CONFIGURATION: {
    message: 'Die Konfiguration schließt diese Zeile aus.',
    remedy: 'Nicht migrieren oder die Regel unter exclude ändern.',
  },
  CORRECTION_UNREADABLE: {
    message: 'Die Zeile sagt nicht, welche Zeile sie korrigiert.',
    remedy:
      'Die Zeile erneut aus corrections.csv oder refused.csv nehmen und ihr migration_row unverändert lassen; für ein neues Mandat die Zelle leeren.',
  },
  CORRECTION_TAKES_REFERENCE: {
    message: 'Die Korrektur gibt dieser Zeile die Mandatsreferenz einer anderen Zeile.',
    remedy:
      'Prüfen, ob eine Spalte um eine Zeile verrutscht ist, und sie in corrections.csv korrigieren. Stimmt sie so, in der Zeile „send“ in migration_decision eintragen. Dann die Datei wieder einlesen.',
  },
  CORRECTION_TAKES_ACCOUNT: {
    message: 'Die Korrektur gibt dieser Zeile das Konto eines anderen Kunden.',
    remedy:
      'Prüfen, ob eine Spalte um eine Zeile verrutscht ist, und sie in corrections.csv korrigieren. Haben beide dasselbe Konto, in der Zeile „send“ in migration_decision eintragen. Dann die Datei wieder einlesen.',
  },
  CONFLICT_MANDATE: {
    message: 'Dasselbe Mandat kommt mit unterschiedlichen Daten vor. Keine der Zeilen wird gesendet.',
    remedy:
      'Die falsche Zeile in corrections.csv korrigieren oder bei der richtigen „send“ in migration_decision eintragen, und die Datei wieder einlesen.',
  },
  MANDATE_RESEMBLES_SENT: {
    message:
      'Kunde, Konto und Datum sind die eines Mandats, das unter einer anderen Mandatsreferenz gesendet wurde oder noch gesendet werden kann. Es kann dasselbe Mandat mit korrigierter Mandatsreferenz sein.',
    remedy:
      'Ist es dasselbe Mandat, nicht senden: die Mandatsreferenz beim Dienst korrigieren und diese Zeile ausbuchen. Ist es ein zweites Mandat dieses Kunden, in seiner Zeile in corrections.csv „send“ in migration_decision eintragen und die Datei wieder einlesen.',
  },
  DUPLICATE_MANDATE: {
    message: 'Das Mandat steht schon in der Datei. Die erste Zeile wird gesendet.',
    remedy: 'Nichts zu tun; die wiederholte Zeile kann entfernt werden.',
  },
  CUSTOMER_MULTIPLE_MANDATES: {
    message: 'Dieser Kunde erhält mehrere Mandate. Der Dienst behält möglicherweise nur eines.',
    remedy: 'Entscheiden, welches Mandat gilt. Die Umschlüsselungsdatei prüfen.',
  },
  MANDATE_NEAR_DUPLICATE: {
    message:
      'Zwei Mandatsreferenzen unterscheiden sich nur durch Leerzeichen; Banken sehen darin möglicherweise ein einziges Mandat.',
    remedy: 'Prüfen, welche Schreibweise die Bank kennt.',
  },
  IBAN_SHARED: {
    message: 'Ein Konto zahlt für mehrere Kunden. Üblich bei Familien und mehreren Verträgen.',
    remedy: 'Nichts zu tun.',
  },
  FILE_FORMAT: {
    message: 'Die Datei hat kein Format, das gelesen wird.',
    remedy: 'Den Export als CSV angeben.',
  },
  FILE_ENCODING: {
    message: 'Die Datei ist nicht als Text lesbar.',
    remedy: 'Die Zeichencodierung festlegen oder als UTF-8 exportieren.',
  },
  FILE_DELIMITER: {
    message: 'Das Trennzeichen der Spalten ist nicht eindeutig.',
    remedy: 'Das Trennzeichen festlegen.',
  },
  FILE_HEADER_MISSING: {
    message: 'Eine erforderliche Spalte wurde nicht gefunden.',
    remedy: 'Die Spalte in der Konfiguration mit ihrem Namen zuordnen.',
  },
  FILE_HEADER_DUPLICATE: {
    message: 'Ein Spaltenname kommt zweimal vor.',
    remedy: 'Einen der beiden umbenennen oder nach Position zuordnen.',
  },
  FILE_HEADER_AMBIGUOUS: {
    message: 'Es ist nicht eindeutig, welche Spalte zu verwenden ist.',
    remedy: 'Die Spalte in der Konfiguration mit ihrem Namen zuordnen.',
  },
  FILE_RECORD_TOO_LONG: {
    message:
      'Wahrscheinlich fehlt ein Anführungszeichen; die Meldung nennt die Zeile, in der der Datensatz beginnt.',
    remedy: 'Das Anführungszeichen in dieser Zeile berichtigen.',
  },
  FILE_QUOTE_STRAY: {
    message:
      'Eine Zelle über mehrere Zeilen sieht aus wie Datensätze, die ein verirrtes Anführungszeichen verbunden hat.',
    remedy: 'Die Anführungszeichen berichtigen oder die Spalte unter source.multilineColumns angeben.',
  },
  FILE_ROW_LEFT_OUT: {
    message: 'Eine Zeile, die vor der Kopfzeile oder am Ende ausgelassen wird, könnte ein Mandat sein.',
    remedy:
      'source.skipLines oder source.skipFooterLines korrigieren; beide zählen Dateizeilen, leere eingeschlossen. Ist die Zeile kein Mandat, sie aus dem Export nehmen oder rules: { FILE_ROW_LEFT_OUT: warning } setzen.',
  },
  FILE_COUNT_MISMATCH: {
    message: 'Die Datei nennt eine andere Zahl von Datensätzen, als gelesen wurden.',
    remedy:
      'Einen vollständigen Export verlangen. Zählt die Zahl etwas anderes, rules: { FILE_COUNT_MISMATCH: warning } setzen.',
  },
  FILE_COLUMN_UNDECIDED: {
    message:
      'Eine Spalte sieht aus, als nenne sie Mandate, die nicht migriert werden dürfen, und nichts verwendet sie.',
    remedy:
      'Die Spalte verwenden oder entscheiden, dass sie nicht zählt, wie die Meldung angibt; „sepa-migrate init“ entwirft eine Konfiguration.',
  },
  FILE_WORDS_UNKNOWN: {
    message: 'Kein einziger Wert einer Spalte wird verstanden.',
    remedy:
      'Unter „words“ in der Konfiguration angeben, was die Werte bedeuten, oder dass die Spalte etwas anderes enthält, wie die Meldung angibt.',
  },
  FILE_CONFIGURATION_FORGOTTEN: {
    message:
      'Zeilen dieser Datei wurden mit einer Konfiguration aufgenommen, die diesem Befehl nicht vorliegt.',
    remedy:
      'Die Konfiguration angeben, mit der der Export gelesen wurde (--config), oder in einer anderen über das entscheiden, was die Meldung nennt.',
  },
  FILE_CHANGED: {
    message: 'Die Datei änderte sich, während sie gelesen wurde. Nichts daraus wurde aufgenommen.',
    remedy: 'Sicherstellen, dass kein anderes Programm sie schreibt, und neu beginnen.',
  },
  ROW_MAY_BE_CUT: {
    message: 'Die Datei endet in dieser Zeile: Ihr letzter Wert kann abgeschnitten sein.',
    remedy:
      'Erneut exportieren. Ist die Zeile vollständig, bei ihr in corrections.csv „send“ in migration_decision eintragen und jene Datei einlesen.',
  },
  ROW_FIELD_COUNT: {
    message: 'Die Zeile hat die falsche Zahl von Spalten.',
    remedy: 'Auf ein Trennzeichen oder einen Zeilenumbruch ohne Anführungszeichen prüfen.',
  },
  FILE_MAY_BE_CUT: {
    message:
      'Die letzte Zeile hat kein Zeilenende, die Datei kann also abgeschnitten sein. Diese Zeile wird nicht gesendet.',
    remedy: 'Die Zahl der Zeilen mit dem Export vergleichen und die letzte ansehen.',
  },
  FILE_EMPTY: {
    message: 'Die Datei enthält keine Mandate.',
    remedy: 'Den Export prüfen.',
  },
  FILE_ENCODING_ASSUMED: {
    message: 'Die Zeichencodierung wurde angenommen.',
    remedy: 'Im Bericht Namen mit Umlauten oder Akzenten ansehen.',
  },
  FILE_MOJIBAKE: {
    message: 'Der Text wurde irgendwo falsch decodiert.',
    remedy: 'Mit der richtigen Zeichencodierung neu exportieren.',
  },
  FILE_DATE_DOMINANT: {
    message: 'Ein Unterschriftsdatum überwiegt. Es ist wahrscheinlich ein Platzhalter.',
    remedy: 'Die wirklichen Daten verlangen.',
  },
  FILE_UMR_EQUALS_CUSTOMER: {
    message: 'Die Mandatsreferenzen sehen nach Kundennummern aus.',
    remedy: 'Prüfen, ob sie das sind, was die Bank kennt.',
  },
  FILE_DORMANCY_UNKNOWN: {
    message: 'Es lässt sich nicht sagen, welche dieser Mandate verfallen sind.',
    remedy:
      'Eine Spalte mit der letzten Lastschrift zuordnen, die eingereicht wurde, auch wenn sie zurückkam.',
  },
  FILE_CI_MIXED: {
    message: 'Die Datei nennt mehrere bisherige Gläubiger. Üblich ist einer.',
    remedy: 'Auf beschädigte Gläubiger-Identifikationsnummern prüfen.',
  },
  FILE_CI_LENGTH: {
    message: 'Eine Gläubiger-Identifikationsnummer des Vereinigten Königreichs hat eine ungewöhnliche Länge.',
    remedy: 'Mit einem Kontoauszug vergleichen.',
  },
  FILE_TOTALS_LINE: {
    message: 'Die letzte Zeile enthält Summen und kein Mandat. Sie wurde ausgelassen und wird nicht gezählt.',
    remedy: 'Nichts zu tun, außer sie ist ein Mandat.',
  },
  RESPONSE_ECHO_MISMATCH: {
    message:
      'Die Antwort nennt einen anderen Kunden, ein anderes Konto oder ein anderes Unterschriftsdatum als die Anfrage.',
    remedy: 'Die Zeile ist ungeklärt, und der Lauf wurde beendet. Den Dienst fragen, was er registriert hat.',
  },
  RESPONSE_CI_UNCHANGED: {
    message: 'Die zugeteilte Gläubiger-Identifikationsnummer nennt denselben Gläubiger wie die bisherige.',
    remedy: 'Es gibt keinen Gläubigerwechsel; die Bank kann die Mandatsänderung ablehnen. Den Dienst fragen.',
  },
  RESPONSE_UMR_UNCHANGED: {
    message: 'Die zugeteilte Mandatsreferenz ist gleich der bisherigen.',
    remedy: 'Nichts zu tun.',
  },
  RESPONSE_CUSTOMER_TEXT: {
    message: 'Die Antwort gab die Kundennummer als Text zurück.',
    remedy: 'Nichts zu tun; die Ziffern sind dieselben.',
  },
  RESPONSE_IDENTIFIER_FORMAT: {
    message: 'Eine zugeteilte Kennung hat nicht die übliche Form. Sie wird behalten, wie sie kam.',
    remedy: 'Den Dienst fragen, bevor der Kunde informiert wird.',
  },
  RESPONSE_STATUS_WORD: {
    message: 'Die Antwort war vollständig, aber ihr Statuswort war nicht OK.',
    remedy: 'Dieses Mandat mit dem Dienst vergleichen.',
  },
}

const severities: Texts['severities'] = { error: 'Fehler', warning: 'Warnung', off: 'aus' }

const decisionWords: Texts['decisionWords'] = {
  registered: 'registriert',
  refused: 'abgelehnt',
  resend: 'erneut senden',
  written_off: 'ausgebucht',
  retry_refused: 'Abgelehntes erneut senden',
  corrected: 'korrigiert',
}

const verdictWords: Texts['verdictWords'] = {
  missing: 'fehlend',
  twice: 'doppelt',
  different: 'abweichend',
  unreadable: 'nicht lesbar',
  proven: 'nachgewiesen',
}

const verdictTitles: Texts['verdictTitles'] = {
  missing: 'Fehlend: für den Kunden nicht gezeigt',
  twice: 'Doppelt: mehr als einmal gezeigt',
  different: 'Abweichend: mit anderen Daten gezeigt oder beendet',
  unreadable: 'Nicht lesbar: konnte nicht verglichen werden',
  proven: 'Nachgewiesen: genau einmal gezeigt',
}

const hints: Texts['hints'] = {
  probably_registered: 'wahrscheinlich registriert',
  may_exist: 'möglicherweise schon vorhanden',
}

const page: Texts['page'] = {
  title: 'Abgleich der SEPA-Mandatsmigration',
  annex: 'Anhang: worauf die erste Seite beruht',
  footer:
    'Alle Zeiten sind UTC. Kontonummern stehen als Land und letzte vier Zeichen. Allein aus dem Journal erstellt: Dasselbe Journal ergibt dieselbe Seite.',
  asRecorded:
    'Was der Dienst und was Personen schrieben, warum ein Lauf endete und was zu einem einzelnen Wert gefunden wurde, steht ebenso wie die Einstellungen im aufgezeichneten Wortlaut.',
  printedLedger: (id, at) => `Journal ${id}, Stand ${at}`,
  printedPage: (number, pages) => `Seite ${number} von ${pages}`,
  firstShown: (shown, total) => `Gezeigt sind die ersten ${count(shown)} von ${count(total)}.`,
  allIn: (file) => `Alle stehen in ${file}.`,
}

const cover: Texts['cover'] = {
  noService: 'noch kein Dienst',
  lead: (host, at) => `zu ${host}, Stand ${at}`,
  rehearsal: 'PROBELAUF',
  onThisComputer: 'Alles ging an einen Dienst auf diesem Computer.',
  declaredAsTest: (host) => `Die Konfiguration bezeichnet ${host} als Testumgebung.`,
  treatedAsActive: (names, more) =>
    `Keine Spalte von ${names}${more > 0 ? ` und ${more} weiteren` : ''} sagt, welche Mandate aktiv sind: Jedes Mandat wird als aktiv behandelt.`,
  read: 'Gelesene Datensätze',
  registered: 'Registriert',
  inDoubt: 'Ungeklärt',
  refused: 'Abgelehnt',
  notSent: 'Nicht gesendet',
  comeFrom: 'Registrierte Mandate kommen von',
  goTo: 'und gehen an',
  others: (number) => `andere (${count(number)})`,
  nothingRun: 'es gab keinen Lauf',
  runsBetween: (runs, from, to) => `${plural(runs, 'Lauf', 'Läufe')}, ${from} bis ${to}`,
  runBy: 'Ausgeführt von',
  decidedBy: 'Entschieden von',
  nobodyDecided: 'keine Zeile wurde durch eine Person geklärt',
  decisionsBy: (name, decisions) => `${name} (${plural(decisions, 'Entscheidung', 'Entscheidungen')})`,
  forcedResends: (resends) =>
    `${plural(resends, 'erzwungene Wiederholung', 'erzwungene Wiederholungen')} innerhalb von 15 Minuten nach dem Versuch`,
  decisionsByOthers: (decisions) => `andere (${plural(decisions, 'Entscheidung', 'Entscheidungen')})`,
  plannedBy: 'Geplant von',
  approvedBy: 'Genehmigt von',
  moreNames: (number) => `${count(number)} weitere`,
  signOff: 'Bestätigung und Unterschrift',
  compared: (read, registered, ledger, at) =>
    html`Ich habe ${plural(read, 'gelesenen Datensatz', 'gelesene Datensätze')} mit
    ${plural(registered, 'registrierten Mandat', 'registrierten Mandaten')} und den oben genannten offenen
    Punkten verglichen, für das Journal ${ledger}, Stand ${at}.`,
  signers: { prepared: 'Erstellt von', checked: 'Geprüft von', approved: 'Genehmigt von' },
  nameAndFunction: 'Name, Funktion',
  dateAndSignature: 'Datum, Unterschrift',
}

const metadata: Texts['metadata'] = {
  target: 'Ziel',
  notBound: 'noch an keinen Dienst gebunden',
  user: 'Benutzer beim Dienst',
  period: 'Zeitraum',
  span: (from, to) => `${from} bis ${to}`,
  ledger: 'Journal',
  ledgerId: 'Kennung des Journals',
  accounts: 'Kontonummern',
  accountsKept: 'aufbewahrt für Zeilen, die nicht registriert sind',
  accountsRemoved: (at) => `entfernt ${at}`,
}

const verdict: Texts['verdict'] = {
  notBalanced: 'Die Kontrollsummen gehen NICHT auf',
  nothingRead: 'Ausgeglichen: noch kein Datensatz gelesen',
  nothingOpen: 'Ausgeglichen, nichts ist offen',
  open: (points) => `Ausgeglichen, ${plural(points, 'Punkt', 'Punkte')} offen`,
  everyRecord: (records, sources) =>
    `${plural(records, 'Datensatz', 'Datensätze')} aus ${plural(sources, 'Quelle', 'Quellen')} gelesen; jeder hat genau einen Status.`,
  doNotSign:
    'Die Summe über alle Status ergibt nicht die Zahl der gelesenen Datensätze. Nicht unterschreiben: Journal unverändert aufbewahren und untersuchen lassen.',
  stoppedEarly: (why) => `Der letzte Lauf endete vorzeitig: ${why}`,
  settingsChanged: 'geänderte Einstellungen',
  readDifferently: (runs) =>
    `${plural(runs, 'Lauf hat', 'Läufe haben')} Antworten oder Regeln anders bewertet als voreingestellt.`,
  runGoingOn: 'ein Lauf war im Gang',
  changedMeanwhile:
    'Das Journal änderte sich, während dieser Bericht geschrieben wurde. Jede Zeile ist einmal gezählt, so wie sie angetroffen wurde; den Bericht neu schreiben, wenn der Lauf beendet ist.',
}

const openPoints: Texts['openPoints'] = {
  contradicted: (number) =>
    `${plural(number, 'registriertes Mandat ist', 'registrierte Mandate sind')} beim Dienst fehlend, doppelt oder abweichend.`,
  inDoubt: (number) =>
    `${plural(number, 'Mandat ist', 'Mandate sind')} ungeklärt: Ob registriert oder nicht, weiß noch niemand.`,
  sending: (number) =>
    `${plural(number, 'Mandat war', 'Mandate waren')} unterwegs, als dieser Bericht geschrieben wurde.`,
  refused: (number) => `${plural(number, 'Mandat wurde', 'Mandate wurden')} vom Dienst abgelehnt.`,
  ready: (number) =>
    `${plural(number, 'Zeile ist', 'Zeilen sind')} bereit und noch nicht registriert; ein weiterer Lauf setzt fort.`,
  invalid: (number) => `${plural(number, 'Zeile ist', 'Zeilen sind')} ungültig und so nicht zu senden.`,
  conflict: (number) =>
    `${plural(number, 'Zeile steht', 'Zeilen stehen')} im Konflikt mit einer anderen Zeile desselben Mandats.`,
}

const totals: Texts['totals'] = {
  title: 'Kontrollsummen',
  state: 'Status',
  rows: 'Zeilen',
  share: 'Anteil',
  listedIn: 'Aufgeführt in',
  sum: 'Summe über alle Status',
  read: 'Gelesene Datensätze, gezählt beim Lesen der Quellen',
  difference: 'Differenz',
  resubmitted: (lines) =>
    `${plural(lines, 'Zeile wurde', 'Zeilen wurden')} als Korrektur wieder eingelesen. Eine Korrektur zählt an der Stelle der Zeile, die sie korrigiert; zu den gelesenen Datensätzen kommt dadurch nichts hinzu.`,
  notTaken: (number, file) =>
    `${plural(number, 'davon wurde', 'davon wurden')} nicht übernommen, weil eine Datei nicht ersetzen kann, was gesendet oder geschlossen wurde, oder weil die Zeile nicht zu der passt, die sie nennt: siehe ${file} und problems.csv.`,
}

const chart: Texts['chart'] = {
  rowsByState: 'Zeilen nach Status',
  nothingRead: 'Noch kein Datensatz gelesen.',
  nothingRegistered: 'Noch nichts registriert.',
  registrationsPer: (span) => `Registrierungen je ${span}`,
  countPer: (number, span) => `${count(number)} je ${span}`,
  bars: (bars, span, from, to, highest) =>
    `${plural(bars, 'Balken', 'Balken')} (einer je ${span}) von ${from} bis ${to}, höchstens ${count(highest)}`,
}

/** Those that are told where there are any. */
const unprovenWords: readonly VerificationWord[] = ['missing', 'twice', 'different', 'unreadable']

const verification: Texts['verification'] = {
  notAsked: 'Beim Dienst zurückgelesen: nicht angefragt.',
  summary: (verified) => {
    const { registered, proven, notAsked, firstAt, lastAt } = verified
    const between = firstAt === null ? '' : ` (zwischen ${timeText(firstAt)} und ${timeText(lastAt)})`
    const unproven = unprovenWords
      .filter((word) => verified[word] > 0)
      .map((word) => `${count(verified[word])} ${verdictWords[word]}, `)
    return `${count(proven)} von ${plural(registered, 'registriertem Mandat', 'registrierten Mandaten')} beim Dienst nachgewiesen${between}; ${unproven.join('')}${count(notAsked)} nicht angefragt.`
  },
  sample: (mandates) =>
    `Zuletzt angefragt wurde eine zufällig gezogene Stichprobe von ${plural(mandates, 'Mandat', 'Mandaten')}.`,
  title: 'Nachweis beim Dienst',
  eachIn: (file) => html`Jede angefragte Zeile steht in ${file}.`,
  notAskedTitle: 'Nicht angefragt',
  row: 'Zeile',
  what: 'Was',
  customer: 'Kunde, Konto',
  assignedReference: 'Zugeteilte Referenz',
  seen: 'Was zu sehen war',
}

const inDoubt: Texts['inDoubt'] = {
  title: 'Ungeklärt',
  none: 'Kein Mandat ist ungeklärt: Das Ergebnis jeder Anfrage ist bekannt.',
  counted: (mandates) => `Ungeklärt: ${plural(mandates, 'Mandat', 'Mandate')}`,
  lead: (file, command) =>
    html`Jedes dieser Mandate kann beim Dienst vorhanden sein oder nicht. Wird eines erneut gesendet, könnte
    der Kunde doppelt belastet werden; deshalb tut das Programm das nie. Jedes beim Dienst nachsehen, die
    Entscheidungsspalten in ${file} ausfüllen und ${command} aufrufen.`,
  proposals: (number, file, word) =>
    html`${plural(number, 'davon war', 'davon waren')} beim Zurücklesen lange genug nicht vorhanden: ${file}
    schlägt mit dem Beleg ${word} vor; entscheiden muss eine Person.`,
  alreadyThere: 'schon beim Dienst, nicht gesendet',
  noneAnswered: 'keine',
  noAnswer: 'keine Antwort',
  row: (row, customer) => `Zeile ${row}, Kunde ${customer}`,
  unknown: 'unbekannt',
  openSince: (at) => `offen seit ${at}`,
  previousReference: 'Bisherige Referenz',
  requestSent: 'Anfrage gesendet',
  notSent: 'nicht gesendet',
  previousCreditor: 'Bisheriger Gläubiger',
  answer: 'Antwort',
  account: 'Konto, unterschrieben',
  requestId: 'Kennung der Anfrage',
  source: 'Quelle',
  record: (source, record) => `${source}, Datensatz ${record}`,
  attempts: 'Versuche',
  asReceived: 'Antwort wie empfangen, maskiert:',
  cut: 'die ganze Antwort steht im Journal',
}

const refused: Texts['refused'] = {
  title: 'Abgelehnt',
  none: 'Der Dienst hat kein Mandat abgelehnt.',
  counted: (mandates) => `Vom Dienst abgelehnt: ${plural(mandates, 'Mandat', 'Mandate')}`,
  lead: (file, command) =>
    html`Für diese Zeilen wurde nichts registriert. Sie in ${file} korrigieren und die Datei mit ${command}
    wieder einlesen.`,
  said: 'Was der Dienst sagte',
  rows: 'Zeilen',
  compared: 'Vergleich',
  decided: 'entschieden',
  field: (field) => `Feld ${field}`,
  noReason: 'Es wurde kein Grund genannt',
  answersIn: (file) => `Zu jeder Zeile steht die Antwort in ${file}.`,
}

const problems: Texts['problems'] = {
  title: 'Probleme in den Quellen',
  none: 'Die Prüfungen fanden kein Problem.',
  lead: (problemsFile, correctionsFile) =>
    html`Ein Fehler verhindert, dass eine Zeile gesendet wird; eine Warnung nicht. Eine Zeile kann mehrere
    haben. Jedes Problem mit seiner Stelle in der Quelle steht in ${problemsFile}; Zeilen, die nicht gesendet
    wurden, lassen sich in ${correctionsFile} korrigieren und wieder einlesen.`,
  severity: 'Schweregrad',
  rule: 'Regel und Bedeutung',
  count: 'Anzahl',
  compared: 'Vergleich',
}

const registered: Texts['registered'] = {
  counted: (mandates) => `Registriert: ${plural(mandates, 'Mandat', 'Mandate')}`,
  means: 'Was „registriert“ bedeutet.',
  meaning: (file) =>
    html`Der Dienst hat geantwortet, dass er das Mandat gespeichert hat, und ihm eine neue
    Gläubiger-Identifikationsnummer und eine neue Referenz gegeben. ${file} stellt Alt und Neu nebeneinander.`,
  meansNot: 'Was es nicht bedeutet.',
  notFinal:
    'Es ist nicht endgültig. Ein Mandat ist erst umgezogen, wenn die erste Zahlung damit eingeleitet wird.',
  notProven:
    'Es weist weder das Konto noch die Mandatsreferenz noch das Datum nach. Ist eines davon falsch, kommt die erste Lastschrift zurück (MD01, MD02, AC01, AC04, AM05, MD07), Tage oder Monate später.',
  notCancelled:
    'Es ist kein Grund, beim bisherigen Gläubiger etwas zu kündigen, und die bisherigen Kennungen sind auf Dauer aufzubewahren.',
  notRestarted: 'Die 36 Monate, nach denen ein ungenutztes Mandat verfällt, beginnen dadurch nicht von vorn.',
  notTold:
    'Jeder Kunde muss den neuen Gläubigernamen, die neue Gläubiger-Identifikationsnummer und die neue Mandatsreferenz vor der nächsten Lastschrift erfahren.',
  lapseFirst: 'Registrierte Mandate, die zuerst verfallen',
  earliest: (rows) =>
    `Bis zu diesem Tag muss die erste Lastschrift laufen. Die frühesten ${rows}, für die sich das sagen lässt.`,
  firstDebitBy: 'Erste Lastschrift bis',
  customer: 'Kunde',
  assignedReference: 'Zugeteilte Referenz',
  previousReference: 'Bisherige Referenz',
}

const sources: Texts['sources'] = {
  title: 'Quellen',
  source: 'Quelle',
  read: 'Gelesen',
  addsUp: 'Geht auf',
  all: 'Alle Quellen',
  size: (bytes, records, blankLines, at) =>
    `${count(bytes)} Bytes, ${plural(records, 'Datensatz', 'Datensätze')}, ${plural(blankLines, 'Leerzeile', 'Leerzeilen')}, aufgenommen ${at}`,
}

const plans: Texts['plans'] = {
  samePerson: 'dieselbe Person',
  approvedAlone: (number, name, link) =>
    html`${plural(number, 'Plan wurde', 'Pläne wurden')} von derselben Person geplant und genehmigt, zuletzt
    ${name}: ${link} hat sonst niemand angesehen.`,
  whatWasToBeSent: 'Was gesendet werden sollte,',
  person: (name, user) => `${name} (Benutzer ${user})`,
  title: 'Pläne und Genehmigungen',
  latest: (shown, total) => `Die letzten ${shown} von ${count(total)}.`,
  underNone: (number, runs) =>
    `${plural(number, 'Lauf hat', 'Läufe haben')} Zeilen ohne Plan gesendet: ${runs}.`,
  plan: 'Plan',
  planned: 'Geplant',
  rows: 'Zeilen',
  approved: 'Genehmigt',
  runs: 'Läufe',
  notApproved: 'nicht genehmigt',
  noRun: 'keiner',
  byTheSamePerson: 'dieselbe Person',
  approval: (at, person, reason, until) => `${at}, ${person}: ${reason}; gültig bis ${until}`,
}

const runs: Texts['runs'] = {
  title: 'Läufe',
  none: 'Es gab noch keinen Lauf.',
  run: (id, at) => `Lauf ${id}, ${at}`,
  requests: (registeredCount, refusedCount, inDoubtCount, turnedAway, notSent) =>
    `Anfragen: ${count(registeredCount)} registriert, ${count(refusedCount)} abgelehnt, ${count(inDoubtCount)} ungeklärt, ${count(turnedAway)} vorerst abgewiesen, ${count(notSent)} nicht gesendet`,
  withoutOutcome: (number) => `${count(number)} ohne Ergebnis`,
  answersChanged: 'Antworten anders bewertet',
  readAs: (status, outcome) => `${status} als ${outcome}`,
  rulesChanged: 'geänderte Regeln',
  usually: (severity) => `voreingestellt ${severity}`,
  unknown: 'unbekannt',
  startedBy: 'gestartet von',
  version: 'Programmversion',
  today: '„heute“ der Datumsregeln',
  goingOn: 'Im Gang oder ohne Meldung beendet.',
  killed: 'Abgebrochen: ohne Meldung beendet.',
  becameDoubtful: 'Was unterwegs war, wurde ungeklärt.',
  ended: (at, exit) => `Beendet ${at}, Exit-Status ${exit}.`,
  onlyRows: (column, values) => `nur Zeilen mit ${column}: ${values}`,
  leftByChoice: (number) => `${plural(number, 'andere Zeile bleibt', 'andere Zeilen bleiben')} bereit.`,
  stopped: (why) => `Vorzeitig beendet: ${why}`,
  exit: (exit) => `Exit-Status ${exit}`,
}

const decisions: Texts['decisions'] = {
  title: 'Entscheidungen von Personen',
  none: 'Keine Zeile wurde durch eine Person geklärt.',
  row: 'Zeile',
  decision: 'Entscheidung',
  by: 'Von, am',
  reason: 'Grund und Beleg',
  corrected: 'Korrigierte Zeilen',
  correctedLead: 'Zurückgegebene Zeilen, deren Werte jemand geändert hat: davor und danach, Konten maskiert.',
  noReason: 'kein Grund angegeben',
}

const hashTotals: Texts['hashTotals'] = {
  title: 'Hash-Summen',
  customers: 'Verschiedene Kunden',
  mandates: 'Verschiedene Mandate',
  accounts: 'Verschiedene Konten',
  distinct: (number) => `${count(number)} unter allen Mandaten`,
  lead: 'Diese Summen ändern sich, wenn eine Zeile verloren geht, verdoppelt oder verändert wird. Von der Reihenfolge der Zeilen hängen sie nicht ab.',
  over: 'Über',
  rows: 'Zeilen',
  total: 'Summe',
  value: 'Wert',
  allMandates: 'Alle Mandate',
  registered: 'Registriert',
  sum: 'Summe von customer_no',
  oldKeys: 'Hash-Wert der bisherigen Schlüssel',
  pairs: 'Hash-Wert von Alt und Neu',
  definitions:
    'Bisheriger Schlüssel: die ersten zwei Zeichen von original_creditor_identifier, „|“, seine Zeichen ab dem achten, „|“, original_mandate_reference mit a bis z in Großbuchstaben. Hash-Wert der bisherigen Schlüssel: Summe modulo 2^256 der SHA-256 jedes bisherigen Schlüssels (UTF-8, als Big-Endian-Zahl gelesen), als 64 hexadezimale Ziffern. Hash-Wert von Alt und Neu: dasselbe über den bisherigen Schlüssel, einen Zeilenvorschub, assigned_creditor_identifier, einen Zeilenvorschub und assigned_mandate_reference.',
  whereAll: (summary, manifest) =>
    html`Die Summen jedes Status stehen in ${summary}; zusammen ergeben sie die aller Zeilen. ${manifest}
    nennt Größe und SHA-256 jeder Datei dieses Abgleichspakets und jeder Quelle.`,
}

const explanation: Texts['explanation'] = {
  inDoubtRemedy:
    'Das Mandat beim Dienst nachsehen. Dann die Entscheidungsspalten ausfüllen und „sepa-migrate resolve --from“ mit dieser Datei aufrufen. Die Datei nie als Quelle wieder einlesen.',
  refusedRemedy:
    'Den Wert korrigieren und diese Datei wieder einlesen. Lag die Ursache beim Dienst, einen weiteren Lauf mit --retry-refused starten.',
  readyRemedy: 'Ein weiterer Lauf sendet die Zeile.',
  sending: 'Ein Lauf sendet diese Zeile gerade oder endete dabei',
  sendingRemedy:
    'Ist kein Lauf im Gang, einen weiteren starten: Die Zeile wird ungeklärt und nicht gesendet.',
  registered: 'Registriert',
  replaced: 'Durch eine spätere Datei ersetzt',
  replacedBy: (row) => `Durch Zeile ${row} einer späteren Datei ersetzt`,
  writtenOff: 'Von einer Person ausgebucht',
  decided: (by, on, decision, reason) => `Entschieden von ${by} am ${on} (${decision}): ${reason}`,
  field: (field) => `Feld ${field}`,
  theServiceSaid: (reason, words) => `${reason}. Der Dienst sagte: ${words}`,
  notSentYet: 'Noch nicht gesendet',
  toBeSentAgain: (why) => `Erneut zu senden. ${why}`,
  aPersonDecided: 'Eine Person hat so entschieden',
  afterRefusal: (said) => `Nach der Ablehnung erneut zu senden: ${said}`,
  notCarriedOut: (said) => `Noch nicht registriert, der letzte Versuch wurde nicht ausgeführt: ${said}`,
  itWasInDoubt: (how, at, request) => `Die Zeile war ungeklärt: ${how} ${at} (Kennung ${request})`,
  rowWasInDoubt: (row, how, at, request) =>
    `Zeile ${row} dieses Mandats war ungeklärt: ${how} ${at} (Kennung ${request})`,
  mayHaveLeft: 'ihre Anfrage ging möglicherweise hinaus am',
  left: 'ihre Anfrage ging hinaus am',
  heldAlready: 'der Dienst hatte das Mandat schon, und nichts wurde gesendet am',
  mayBeApplied: (told) => `${told}; sie kann ausgeführt worden sein.`,
}

const reasons: Texts['reasons'] = {
  unsent: {
    refusedConnection: 'Der Dienst nahm die Verbindung nicht an',
    unknownHost: 'Der Hostname des Dienstes ist nicht bekannt',
    notLookedUp: 'Der Hostname des Dienstes ließ sich nicht auflösen',
    unreachable: 'Der Dienst ist von hier aus nicht erreichbar',
    connectionLate: 'Die Verbindung kam nicht rechtzeitig zustande',
    noConnection: 'Keine Verbindung kam rechtzeitig zustande',
    brokenOff: 'Der Lauf wurde vorzeitig beendet, bevor die Anfrage hinausging',
    proxyCredentials: 'Der Proxy verlangte mit 407 Zugangsdaten',
    proxyAnswered: (status) => `Der Proxy antwortete mit ${status}, statt den Weg zum Dienst zu öffnen`,
    notTrusted: 'Es kam keine vertrauenswürdige Verbindung zustande; Zertifikate, Hostnamen und Port prüfen',
    notWellFormed: (problem) => `Die Anfrage war nicht wohlgeformt: ${problem}`,
    notSetUp: 'Die Verbindung ließ sich nicht aufbauen',
  },
  broken: {
    notComplete: 'Es kam rechtzeitig keine vollständige Antwort',
    noAnswer: 'Es kam rechtzeitig keine Antwort',
    inTheMiddle: 'Die Antwort brach in der Mitte ab',
    tooLarge: 'Die Antwort war zu groß, um gelesen zu werden',
    brokenOff: 'Der Lauf wurde vorzeitig beendet, während die Anfrage unterwegs war',
    connection: 'Die Verbindung brach ab, bevor die Antwort vollständig war',
  },
  consequence: {
    mayExist: 'Das Mandat ist dort möglicherweise schon vorhanden',
    refused: 'abgelehnt',
    credentials: 'Zugangsdaten oder Berechtigung nicht anerkannt, nichts wurde ausgeführt',
    later: 'nicht jetzt, später erneut versuchen',
    redirect: 'eine Weiterleitung, der nie gefolgt wird',
    unclear: 'Daraus geht nicht hervor, ob die Anfrage ausgeführt wurde',
  },
  held: {
    once: 'Der Dienst hat dieses Mandat bereits',
    moreThanOnce: 'Der Dienst hat dieses Mandat bereits mehr als einmal',
    ended: 'Der Dienst führt dieses Mandat als gekündigt',
    otherDate: 'Der Dienst hat ein Mandat mit diesem Konto und einem anderen Datum',
    ambiguous:
      'Der Dienst hat ein Mandat, das dieses oder das einer anderen Zeile mit demselben Konto und Datum ist',
  },
  compared: {
    lacking: 'einer Zahlungsquelle, die dieses Mandat sein könnte, fehlt, was verglichen wird',
    unknownRow: 'diese Zeile ist im Journal nicht bekannt',
  },
  source: {
    withReference: (id, reference) => `Zahlungsquelle ${id}, Referenz ${reference}`,
    alone: (id) => `Zahlungsquelle ${id}`,
  },
  unread: {
    broken: (how, code) => `${how} (${code})`,
    notWhole: (status, how, code) =>
      `Der Dienst antwortete mit ${status}, aber nicht vollständig: ${how} (${code})`,
    answeredSaying: (status, said) => `Der Dienst antwortete mit ${status} (${said})`,
    answered: (status) => `Der Dienst antwortete mit ${status}`,
    tooLarge: 'Die Liste der Zahlungsquellen ist größer, als gelesen wird',
    notAList: (status, problem) =>
      `Der Dienst antwortete mit ${status}, aber nicht mit einer Liste von Zahlungsquellen (${problem})`,
    notComparable: (why) =>
      `Die Liste der Zahlungsquellen lässt sich mit diesem Mandat nicht vergleichen: ${why}`,
  },
  sentence: {
    nothingSent: (cause, code) => `${cause} (${code}): Nichts wurde gesendet`,
    mayBeApplied: (how, code) => `${how} (${code}): Der Dienst kann die Anfrage ausgeführt haben`,
    cutProbablyApplied: (status, how, code) =>
      `Der Dienst antwortete mit ${status}, aber die Antwort kam nicht vollständig an (${how} (${code})): Die Anfrage wurde wahrscheinlich ausgeführt`,
    cut: (status, how, code) =>
      `Der Dienst antwortete mit ${status}, aber die Antwort kam nicht vollständig an (${how} (${code}))`,
    answeredSaying: (status, said, consequence) =>
      `Der Dienst antwortete mit ${status} (${said}): ${consequence}`,
    answered: (status, consequence) => `Der Dienst antwortete mit ${status}: ${consequence}`,
    complete: (status) => `Der Dienst antwortete mit ${status} und einer vollständigen Antwort`,
    nothingElse: (status) =>
      `Der Dienst antwortete mit ${status} und sonst nichts: Die Anfrage wurde wahrscheinlich ausgeführt`,
    notJson: (status) =>
      `Der Dienst antwortete mit ${status} und etwas, das kein JSON ist: Die Anfrage wurde wahrscheinlich ausgeführt`,
    notUsable: (status, problem) =>
      `Der Dienst antwortete mit ${status}, aber die Antwort ist nicht verwendbar (${problem}): Die Anfrage wurde wahrscheinlich ausgeführt`,
    otherField: (status, field) =>
      `Der Dienst antwortete mit ${status}, aber der Wert von ${field} ist nicht der gesendete: Antworten können vertauscht sein`,
    repeated: (reference, creditor) =>
      `Der Dienst antwortete mit der Mandatsreferenz „${reference}“ von „${creditor}“, die er zuvor einer anderen Zeile gegeben hat`,
    heldBack: (what, shown) => `${what}, deshalb wurde es nicht gesendet: ${shown}`,
    askedFirst: (answer) =>
      `Zuerst wurde angefragt, was der Dienst schon hat; die Zeile wurde nicht gesendet. ${answer}`,
    interrupted:
      'Der Lauf wurde unterbrochen, während der Dienst befragt wurde; die Zeile wurde nicht gesendet',
    ended: 'Das Programm endete, bevor die Antwort aufgezeichnet war',
    endedWithAnswer: (file) =>
      `Das Programm endete, bevor die Antwort aufgezeichnet war. Die Antwort steht in der Datei „${file}“`,
    olderCopy:
      'Eine ältere Kopie des Journals wurde zurückgespielt: Diese Zeile kann seit deren Erstellung gesendet worden sein',
    anotherLedger: 'Ein anderes Ihrer Journale hat begonnen, diese Zeile zu senden',
    allInDoubt:
      'Niemand weiß, was gesendet wurde, bevor dieses Journal angelegt wurde: Diese Zeile kann darunter sein',
  },
  withoutId: 'ohne Kennung',
  noError: 'kein Fehler wurde genannt',
}

const seen: Texts['seen'] = {
  absent:
    'Der Dienst zeigt für diesen Kunden keine Zahlungsquelle. Dort nachfragen: Das Mandat kann gekündigt sein oder verspätet erscheinen.',
  times: (number) => `Der Dienst zeigt dieses Mandat ${number} Mal.`,
  moreThanOnce: 'Der Dienst zeigt dieses Mandat mehr als einmal.',
  cannotTell: 'Welches davon gekündigt werden darf, lässt sich hier nicht sagen: beim Dienst nachsehen.',
  mayBeCancelled: (own, others) => `${own} gehört zu diesem Journal; eine Person darf ${others} kündigen.`,
  withoutId: 'Eines ohne Kennung',
  unreadable: (why) => `Es konnte nicht verglichen werden und ist daher nicht nachgewiesen: ${why}.`,
  noList: 'es kam keine Liste',
  ended: (status) => `Der Dienst zeigt dieses Mandat als beendet (${status}).`,
  noStatus: 'kein Status',
  ambiguous:
    'Eine andere Zeile dieses Kunden hat dasselbe Konto und Datum, und keine Referenz unterscheidet sie.',
  noneOfThem:
    'Der Dienst zeigt Zahlungsquellen dieses Kunden, aber keine mit Konto, Datum und Referenz dieses Mandats.',
  differs: (theirs, ours) => `Der Dienst zeigt es mit ${theirs}; das Journal hat ${ours}.`,
  accountAndDate: (account, date) => `Konto ${account}, unterschrieben ${date}`,
  unknown: 'unbekannt',
}

const registeredColumns: Texts['columns']['registered'] = {
  customer_no: 'Kundennummer beim Dienst.',
  iban_masked: 'Das Konto: Land und letzte vier Zeichen.',
  signed_date: 'Tag, an dem das Mandat unterschrieben wurde.',
  original_creditor_identifier: 'Gläubiger-Identifikationsnummer des bisherigen Gläubigers.',
  original_mandate_reference: 'Mandatsreferenz beim bisherigen Gläubiger.',
  assigned_creditor_identifier: 'Gläubiger-Identifikationsnummer, die der Dienst zugeteilt hat.',
  assigned_mandate_reference: 'Mandatsreferenz, die der Dienst zugeteilt hat.',
  registered_at: 'Wann das Mandat als registriert aufgezeichnet wurde, in UTC.',
  source: 'Datei, aus der die Zeile gelesen wurde.',
  record: 'Nummer des Datensatzes in dieser Datei; die Kopfzeile zählt nicht.',
  attempts: 'Wie oft versucht wurde, die Zeile zu senden.',
  latest_first_debit:
    'Tag, bis zu dem die erste Lastschrift laufen muss, weil das Mandat dann verfällt; leer, wo es sich nicht sagen lässt.',
}

const resultColumns: Texts['columns']['result'] = {
  migration_row:
    'Nummer der Zeile im Journal; daran wird eine korrigierte Zeile erkannt. Unverändert lassen.',
  migration_state: 'Status der Zeile, wie ihn das Programm nennt.',
  migration_rule: 'Regeln, nach denen die Zeile diesen Status hat.',
  migration_status: 'HTTP-Status der letzten Antwort.',
  migration_message: 'Was mit der Zeile geschah.',
  migration_remedy: 'Was zu tun ist.',
  migration_sent_at: 'Wann die letzte Anfrage begann, in UTC.',
  migration_sent_ago: 'Wie lange das vor der letzten Änderung des Journals lag.',
  migration_resend_from:
    'Ab wann die Zeile abgelehnt genannt oder erneut gesendet werden darf, in UTC; bis dahin kann die Anfrage noch ankommen.',
  migration_request_id: 'Kennung dieser Anfrage, für Rückfragen beim Dienst.',
  migration_proposal: 'Entscheidung, die der Beleg zulässt. Der Vorschlag entscheidet nichts.',
  migration_proposal_evidence: 'Worauf der Vorschlag beruht oder warum es keinen gibt.',
  migration_ledger: 'Kennzeichen des Journals: Eine Entscheidung gilt nur für dieses. Unverändert lassen.',
  migration_attempt:
    'Nummer des letzten Versuchs: Gab es inzwischen einen weiteren, wird die Entscheidung abgelehnt. Unverändert lassen.',
  migration_decision:
    'Von einer Person auszufüllen: registered, refused, resend oder written-off in in-doubt.csv, written-off zum Schließen einer Zeile, send in corrections.csv, wo die Zeile so stimmt.',
  migration_reason: 'Von einer Person auszufüllen: woher es bekannt ist.',
  migration_by:
    'Von einer Person auszufüllen: wer entschieden hat. Wenn leer, gilt der Benutzer, der die Entscheidung aufzeichnet.',
  migration_assigned_creditor_identifier:
    'Von einer Person auszufüllen bei der Entscheidung registered: die Gläubiger-Identifikationsnummer, die der Dienst zugeteilt hat.',
  migration_assigned_mandate_reference:
    'Von einer Person auszufüllen bei der Entscheidung registered: die Mandatsreferenz, die der Dienst zugeteilt hat.',
}

const problemColumns: Texts['columns']['problems'] = {
  source: 'Datei, in der es gefunden wurde.',
  record:
    'Nummer des Datensatzes in dieser Datei; die Kopfzeile zählt nicht. Leer, wenn die ganze Datei gemeint ist.',
  line: 'Dateizeile, in der der Datensatz beginnt. Leer, wenn die ganze Datei gemeint ist.',
  column: 'Spalte des Exports.',
  rule: 'Regel, gegen die verstoßen wurde.',
  severity: 'error verhindert, dass die Zeile gesendet wird, warning nicht.',
  value: 'Der gefundene Wert, Kontonummern maskiert.',
  message: 'Was nicht stimmt.',
  remedy: 'Was zu tun ist.',
}

const decisionColumns: Texts['columns']['decisions'] = {
  id: 'Nummer der Entscheidung.',
  row: 'Nummer der Zeile im Journal.',
  attempt: 'Nummer, im Journal, des Versuchs, über den entschieden wurde; leer, wo es keinen gab.',
  time: 'Wann sie aufgezeichnet wurde, in UTC.',
  by: 'Wer entschieden hat, mit dem angegebenen Namen.',
  as: 'Benutzer des Betriebssystems, der sie aufgezeichnet hat.',
  decision: 'Was entschieden wurde.',
  from: 'Status der Zeile davor.',
  to: 'Status der Zeile danach.',
  reason: 'Woher es bekannt war, wie angegeben.',
  evidence: 'Worauf sie beruht.',
  hash: 'SHA-256 über den Hash-Wert der Zeile davor und die Zellen dieser Zeile: Keine kann unbemerkt geändert, verschoben oder entfernt werden.',
}

const verificationColumns: Texts['columns']['verification'] = {
  migration_row: 'Nummer der Zeile im Journal.',
  customer_no: registeredColumns.customer_no,
  iban_masked: registeredColumns.iban_masked,
  assigned_mandate_reference: registeredColumns.assigned_mandate_reference,
  assigned_creditor_identifier: registeredColumns.assigned_creditor_identifier,
  verification:
    'Was die letzte Antwort sagt: missing (fehlend), twice (doppelt), different (abweichend), unreadable (nicht lesbar) oder proven (nachgewiesen).',
  verified_at: 'Wann diese Antwort kam, in UTC.',
  payment_sources: 'Kennungen der Zahlungsquellen, die der Dienst zeigt, durch Leerzeichen getrennt.',
  payment_source_statuses: 'Ihre Status, in derselben Reihenfolge.',
  may_be_cancelled: 'Kennungen derer, die eine Person kündigen darf.',
  explanation: 'Was zu sehen war und was eine Person tun kann.',
}

const columns: Texts['columns'] = {
  title: 'Die Spalten der Dateien',
  lead: 'Spaltennamen und die Wörter, die das Programm darunter schreibt, sind in jeder Sprache englisch, weil Programme sie lesen. In den Dateien, die zu korrigieren sind, stehen die Spalten des Exports davor.',
  column: 'Spalte',
  meaning: 'Bedeutung',
  registered: registeredColumns,
  result: resultColumns,
  problems: problemColumns,
  decisions: decisionColumns,
  verification: verificationColumns,
}

const sheets: Texts['workbook']['sheets'] = {
  summary: 'Zusammenfassung',
  verification: 'Nachweis',
  inDoubt: 'Ungeklärt',
  refused: 'Abgelehnt',
  corrections: 'Zu korrigieren',
  notSent: 'Nicht gesendet',
  registered: 'Registriert',
  closed: 'Geschlossen',
  problems: 'Probleme',
  decisions: 'Entscheidungen',
  sources: 'Quellen',
  plans: 'Pläne',
  runs: 'Läufe',
  columns: 'Spalten',
}

const headers: Texts['workbook']['headers'] = {
  row: 'Zeile',
  state: 'Status',
  customer: 'Kunde',
  account: 'IBAN (maskiert)',
  signed: 'Unterschrift',
  previousCreditor: 'Bisheriger Gläubiger',
  previousReference: 'Bisherige Referenz',
  assignedCreditor: 'Zugeteilte Gläubiger-ID',
  assignedReference: 'Zugeteilte Referenz',
  registeredAt: 'Registriert am',
  firstDebitBy: 'Lastschrift bis',
  source: 'Quelle',
  record: 'Datensatz',
  line: 'Dateizeile',
  lastRequest: 'Letzte Anfrage',
  lastAttemptAt: 'Letzter Versuch am',
  status: 'HTTP-Status',
  rule: 'Regel',
  message: 'Was geschah',
  remedy: 'Was zu tun ist',
  column: 'Spalte',
  severity: 'Schweregrad',
  value: 'Wert',
  verification: 'Nachweis',
  verifiedAt: 'Nachgesehen am',
  paymentSources: 'Zahlungsquellen',
  cancellable: 'Darf gekündigt werden',
  seen: 'Was zu sehen war',
  at: 'Am',
  by: 'Von',
  decision: 'Entscheidung',
  reason: 'Grund',
  evidence: 'Beleg',
  admittedAt: 'Aufgenommen am',
  bytes: 'Bytes',
  read: 'Gelesen',
  resubmitted: 'Korrekturen',
  balanced: 'Geht auf',
  run: 'Lauf',
  started: 'Beginn',
  ended: 'Ende',
  version: 'Version',
  asOf: 'Stichtag',
  zone: 'Zeitzone',
  registered: 'Registriert',
  refused: 'Abgelehnt',
  inDoubt: 'Ungeklärt',
  turnedAway: 'Abgewiesen',
  notSent: 'Nicht gesendet',
  open: 'Offen',
  stoppedBy: 'Beendet durch',
  exit: 'Exit-Status',
  settings: 'Einstellungen',
  plan: 'Plan',
  plannedAt: 'Geplant am',
  plannedBy: 'Geplant von',
  rows: 'Zeilen',
  approvedAt: 'Genehmigt am',
  approvedBy: 'Genehmigt von',
  expires: 'Gültig bis',
  asUser: 'Systembenutzer',
  samePerson: 'Dieselbe Person',
  runs: 'Läufe',
  file: 'Datei',
  meaning: 'Bedeutung',
}

const workbook: Texts['workbook'] = {
  title: 'SEPA-Mandatsmigration: Abgleich',
  sheets,
  headers,
  notProven: 'Beim Dienst nicht nachgewiesen',
  proposals: (file, number) => `(${file} schlägt vor, erneut zu senden: ${count(number)})`,
  span: (first, last, total) => `Zeilen ${count(first)} bis ${count(last)} von ${count(total)}`,
  noneOf: (total) => `keine von ${count(total)}`,
  full: 'Mehr fasst eine Arbeitsmappe nicht.',
  allInLedger: 'Alle stehen im Journal, in der Tabelle der Zeilen.',
  plansTitle: 'Pläne, eine Zeile je Genehmigung',
  samePerson: 'JA',
  otherPerson: 'nein',
  user: 'Benutzer',
  asOf: 'Stand des Journals',
  result: 'Ergebnis',
  balanced: 'Die Kontrollsummen gehen auf',
  notBalanced: 'DIE KONTROLLSUMMEN GEHEN NICHT AUF',
  resubmitted: 'Korrekturen, gezählt an der Stelle der Zeilen, die sie korrigieren',
  notTaken: 'Davon nicht übernommen',
  distinct: 'Verschiedene',
  count: 'Anzahl',
  customers: 'Kunden',
  mandates: 'Mandate',
  accounts: 'Konten',
  sumOfAll: 'Summe der Kundennummern, alle Mandate',
  oldKeysOfAll: 'Hash-Wert der bisherigen Schlüssel, alle Mandate',
  sumOfRegistered: 'Summe der Kundennummern, registriert',
  oldKeysOfRegistered: 'Hash-Wert der bisherigen Schlüssel, registriert',
  pairsOfRegistered: 'Hash-Wert von Alt und Neu, registriert',
}

const settingNames: Readonly<Partial<Record<string, string>>> = {
  stopAtCanaryDoubt: 'beenden, wenn schon die allererste Zeile keine Antwort bekommt',
  maxDurationMs: 'längste Dauer in ms',
  timeoutMs: 'Frist einer Anfrage in ms',
  resultFile: 'von diesem Programm geschrieben',
}

const settings: Texts['settings'] = {
  name: (name) => settingNames[name] ?? name,
  yes: 'ja',
  no: 'nein',
}

/** Everything that a reader of the report sees in German. */
export const de: Texts = {
  tag: 'de',
  count,
  share,
  duration,
  width,
  labelled: (name, value) => `${name}: ${value}`,
  addsUp: 'ja',
  doesNotAddUp: 'NEIN',
  states,
  rules,
  stillNotSent:
    'Der Schweregrad wurde gesenkt, aber es bleibt kein verwendbarer Wert, daher wird die Zeile nicht gesendet.',
  severities,
  decisionWords,
  verdictWords,
  verdictTitles,
  hints,
  page,
  cover,
  metadata,
  verdict,
  openPoints,
  totals,
  chart,
  verification,
  inDoubt,
  refused,
  problems,
  registered,
  sources,
  plans,
  runs,
  decisions,
  hashTotals,
  stateMeanings: 'Was die Status bedeuten',
  explanation,
  reasons,
  seen,
  columns,
  workbook,
  settings,
}
