import { html } from 'hono/html'
import type { Verification } from '../../domain/proof/verification.js'
import { timeText } from '../../domain/text/wording.js'
import type { Texts } from './en.js'
import { figuresOf } from './figures.js'

const { count, plural, share, duration, width } = figuresOf({
  thousands: '\u00a0',
  point: ',',
  isOne: (number) => number === 1,
  units: {
    second: ['sekund', 'sekunder'],
    minute: ['minut', 'minuter'],
    hour: ['timme', 'timmar'],
    day: ['dag', 'dagar'],
  },
})

const states: Texts['states'] = {
  invalid: {
    name: 'ogiltig',
    long: 'Ett värde saknas eller är fel. Aldrig skickad; rätta och läs in igen.',
  },
  duplicate: {
    name: 'dubblett',
    long: 'Samma mandat med samma uppgifter har redan lästs. Skickat högst en gång.',
  },
  conflict: {
    name: 'konflikt',
    long: 'Samma mandat förekommer med olika uppgifter. Ingen av raderna skickas.',
  },
  excluded: {
    name: 'utesluten',
    long: 'Läsbar, men får inte migreras; regeln anger skälet.',
  },
  superseded: {
    name: 'ersatt',
    long: 'Ersatt av en rad i en senare fil.',
  },
  ready: {
    name: 'redo',
    long: 'Kontrollerad och ännu inte skickad, eller tills vidare avvisad och i väntan på nästa körning.',
  },
  sending: {
    name: 'skickas',
    long: 'På väg när rapporten skrevs, eller när en körning avbröts. Nästa körning avslutar raden eller gör den oklar.',
  },
  registered: {
    name: 'registrerad',
    long: 'Tjänsten bekräftade mandatet och gav det nya identifierare.',
  },
  refused: {
    name: 'nekad',
    long: 'Tjänsten sade nej. Ingenting registrerades.',
  },
  in_doubt: {
    name: 'oklar',
    long: 'Mandatet kan finnas hos tjänsten eller inte. Programmet skickar det aldrig igen; en person måste ta reda på det och besluta.',
  },
  written_off: {
    name: 'avskriven',
    long: 'Avslutad genom ett dokumenterat beslut av en person.',
  },
}

const TEACH =
  'Ange under ”words” i konfigurationen vad det betyder och läs in samma fil igen. Om raden är rätt som den står, skriv ”send” i migration_decision på dess rad i corrections.csv och läs in den filen.'

const rules: Texts['rules'] = {
  EXCEL_SCIENTIFIC: {
    message:
      'Kalkylprogrammet har ersatt värdet med ett avrundat tal. Originalet går inte att återskapa ur det.',
    remedy: 'Exportera igen med kolumnen formaterad som text, utan att öppna filen i ett kalkylprogram.',
  },
  CUST_EMPTY: {
    message: 'Kundnummer saknas.',
    remedy: 'Fyll i det, eller lägg till den tidigare nyckeln i översättningsfilen.',
  },
  CUST_FORMAT: {
    message: 'Kundnumret är inte ett rent heltal.',
    remedy:
      'Ange kundens nummer i faktureringstjänsten. Om detta är den tidigare borgenärens nyckel, använd en översättningsfil.',
  },
  CUST_RANGE: {
    message: 'Kundnumret ligger utanför det tillåtna intervallet.',
    remedy: 'Rätta numret. Undersök om ett kalkylprogram har ändrat det.',
  },
  CUST_LEADING_ZERO: {
    message:
      'Inledande nollor går förlorade, eftersom tjänsten lagrar ett tal. Det kan vara en nyckel från ett annat system.',
    remedy: 'Jämför några rader med tjänsten innan du skickar.',
  },
  CROSSWALK_NO_MATCH: {
    message: 'Ingen kund är känd för denna tidigare nyckel.',
    remedy: 'Lägg till nyckeln i översättningsfilen, eller ta bort raden ur exporten.',
  },
  CROSSWALK_AMBIGUOUS: {
    message: 'Denna tidigare nyckel pekar på flera kunder.',
    remedy: 'Behåll bara den enda rätta raden i översättningsfilen.',
  },
  CROSSWALK_MISMATCH: {
    message: 'Raden i översättningsfilen hör till ett annat konto eller namn.',
    remedy: 'Kontrollera om kolumner i översättningsfilen har förskjutits eller sorterats var för sig.',
  },
  CROSSWALK_DUPLICATE_LINE: {
    message: 'Översättningsfilen upprepar en rad.',
    remedy: 'Ta bort den upprepade raden.',
  },
  CROSSWALK_UNUSED_LINE: {
    message: 'En kund i översättningsfilen har inget mandat i exporten.',
    remedy: 'Kontrollera att exporten är fullständig.',
  },
  IBAN_EMPTY: {
    message: 'IBAN saknas.',
    remedy: 'Skaffa IBAN från den tidigare borgenären eller kunden.',
  },
  IBAN_MASKED: {
    message: 'IBAN är maskerat. De dolda siffrorna går inte att återskapa.',
    remedy: 'Be den tidigare borgenären om en export med fullständiga IBAN.',
  },
  IBAN_COUNTRY: {
    message: 'Värdet börjar inte med ett land som utfärdar IBAN.',
    remedy:
      'Ett gammalt kontonummer med bankkod måste räknas om till IBAN av banken. Utomeuropeiska territorier använder moderlandets landskod.',
  },
  IBAN_NOT_SEPA: {
    message: 'Kontots land deltar inte i SEPA.',
    remedy: 'Migrera inte denna rad. Kom överens om ett annat betalningssätt.',
  },
  IBAN_CHARSET: {
    message: 'IBAN innehåller ett tecken som inte är tillåtet.',
    remedy: 'Rätta IBAN. Rapporten anger tecknet.',
  },
  IBAN_LENGTH: {
    message: 'IBAN är för kort eller för långt för sitt land.',
    remedy: 'Sök efter en förlorad nolla eller en avklippt cell.',
  },
  IBAN_STRUCTURE: {
    message: 'Bokstäver och siffror står på fel plats för detta land.',
    remedy: 'Kontrollera om det står O i stället för 0 och I i stället för 1.',
  },
  IBAN_CHECK_RANGE: {
    message: 'Dessa kontrollsiffror kan aldrig förekomma.',
    remedy: 'IBAN är påhittat eller skadat. Skaffa det från kunden.',
  },
  IBAN_CHECKSUM: {
    message: 'IBAN innehåller ett skrivfel.',
    remedy: 'Jämför det med originaldokumentet.',
  },
  IBAN_QR: {
    message: 'Detta är ett QR-IBAN. Det tar bara emot betalningar och kan inte debiteras.',
    remedy: 'Be kunden om sitt vanliga IBAN.',
  },
  IBAN_NON_EEA: {
    message: 'Debiteringar från detta land kräver även betalarens adress (och vanligen BIC).',
    remedy:
      'Lagra adressen på kunden med ort och land i egna fält: sedan den 15 november 2026 nekar banker ostrukturerade adresser.',
  },
  IBAN_NEW_SEPA: {
    message:
      'Landet har nyligen anslutit sig till SEPA. Banken godtar kanske ännu inte autogiro. Betalarens adress behövs.',
    remedy:
      'Fråga banken före den första debiteringen. Lagra adressen med ort och land i egna fält: sedan den 15 november 2026 nekar banker ostrukturerade adresser.',
  },
  IBAN_NATIONAL_CHECK: {
    message:
      'Kontots nationella kontrollsiffra är ovanlig. Det kan förekomma för gamla eller särskilda konton.',
    remedy: 'Jämför med originaldokumentet; skicka annars.',
  },
  IBAN_LIBRARY_DISAGREES: {
    message: 'Två kontroller av detta IBAN säger emot varandra.',
    remedy: 'Rapportera det till utvecklarna; kontrollera IBAN för hand.',
  },
  DATE_EMPTY: {
    message: 'Underskriftsdatum saknas.',
    remedy: 'Hämta det från mandatet. Använd aldrig exportens eller migreringens datum.',
  },
  DATE_AMBIGUOUS: {
    message: 'Datumet kan läsas på två sätt.',
    remedy: 'Ange kolumnens format.',
  },
  DATE_INVALID: {
    message: 'Detta är inte ett datum i det angivna formatet.',
    remedy: 'Rätta datumet, eller ange rätt format.',
  },
  DATE_FUTURE: {
    message: 'Underskriftsdatumet ligger i framtiden.',
    remedy: 'Kontrollera om dag och månad har bytt plats.',
  },
  DATE_PRE_SEPA: {
    message: 'Mandatet är äldre än SEPA-autogiro, eller så är datumet ett utfyllnadsvärde som 1970-01-01.',
    remedy: 'Bekräfta att det är datumet på papperet. Gamla tyska medgivanden får behålla det.',
  },
  DATE_LEGACY_DEFAULT: {
    message: 'Detta är det vanliga utfyllnadsvärdet för gamla nederländska mandat. Det är lagligt.',
    remedy:
      'Ange datum för den senaste debiteringen, så att det kan bedömas om mandatet har upphört att gälla.',
  },
  DATE_TWO_DIGIT_YEAR: {
    message: 'Århundradet har antagits.',
    remedy: 'Jämför några datum med källan.',
  },
  DATE_UTC_SHIFT: {
    message: 'Datumet ser ut som lokal midnatt lagrad i UTC. Det kan vara en dag för tidigt.',
    remedy: 'Be om ett rent datum, utan klockslag.',
  },
  CI_EMPTY: {
    message: 'Den tidigare borgenärens borgenärsidentitet saknas.',
    remedy: 'Fyll i kolumnen, eller konfigurera konstanten.',
  },
  CI_FORMAT: {
    message: 'Värdet har inte formen av en borgenärsidentitet.',
    remedy: 'Skriv av den från ett kontoutdrag eller en gammal förhandsavisering.',
  },
  CI_LOOKS_LIKE_IBAN: {
    message: 'Detta är ett IBAN, inte en borgenärsidentitet.',
    remedy: 'Kontrollera om två kolumner har bytt plats.',
  },
  CI_CHECKSUM: {
    message: 'Kontrollsiffrorna är fel.',
    remedy: 'Sök efter ett skrivfel. Räkna inte om kontrollsiffrorna.',
  },
  CI_COUNTRY: {
    message: 'Inga SEPA-borgenärsidentiteter utfärdas under denna landskod.',
    remedy: 'Skriv av den från källan igen.',
  },
  CI_LENGTH: {
    message: 'Längden är fel för detta land. Ofta har en inledande nolla gått förlorad.',
    remedy: 'Återställ den från ett dokument. Fyll inte ut på gissning.',
  },
  CI_LENGTH_UNCONFIRMED: {
    message: 'Längden är ovanlig för detta land.',
    remedy: 'Jämför med ett kontoutdrag.',
  },
  CI_LENGTH_UNKNOWN: {
    message: 'Längden går inte att kontrollera för detta land.',
    remedy: 'Jämför med ett kontoutdrag.',
  },
  CI_NATIONAL_CHARS: {
    message: 'Borgenärsidentiteten innehåller ovanliga tecken.',
    remedy: 'Jämför med ett kontoutdrag.',
  },
  CI_CONSTANT_MISMATCH: {
    message: 'Raden anger en annan borgenär än den konfigurerade.',
    remedy: 'Ta bort konstanten, eller dela filen.',
  },
  CI_SAME_AS_NEW: {
    message: 'Tidigare och ny borgenär är densamma. Banker nekar en ändring som inte ändrar något.',
    remedy: 'Kontrollera att den tidigare borgenärsidentiteten angavs, inte den nya.',
  },
  UMR_EMPTY: {
    message: 'Mandatreferens saknas.',
    remedy: 'Skaffa den från den tidigare borgenären.',
  },
  UMR_CHARSET: {
    message: 'Mandatreferensen innehåller ett tecken som banker inte godtar.',
    remedy:
      'Fråga den tidigare borgenären vad som verkligen skickades till banken. Eller rätta exportens teckenkodning.',
  },
  UMR_LENGTH: {
    message: 'Mandatreferensen är längre än 35 tecken.',
    remedy: 'Kontrollera om kolumner har slagits ihop.',
  },
  UMR_SLASH: {
    message: 'Snedstreck står på en plats som banker inte godtar.',
    remedy: 'Fråga den tidigare borgenären vad som skickades till banken.',
  },
  UMR_SPACE: {
    message: 'Vissa banker förbjuder blanksteg eller slår ihop dem.',
    remedy: 'Jämför med ett gammalt kontoutdrag.',
  },
  UMR_PLACEHOLDER: {
    message: 'Detta ser ut som ett utfyllnadsvärde, inte som en mandatreferens.',
    remedy: 'Skaffa den verkliga mandatreferensen.',
  },
  UMR_PRECISION: {
    message: 'De sista siffrorna kan ha gått förlorade i ett kalkylprogram.',
    remedy: 'Jämför med källsystemet.',
  },
  UMR_LOOKS_LIKE_DATE: {
    message: 'Ett kalkylprogram kan ha gjort om mandatreferensen till ett datum.',
    remedy: 'Jämför med källsystemet.',
  },
  UMR_APOSTROPHE: {
    message:
      'Detta kan vara ett kalkylprograms textmarkering. Det är också ett tillåtet tecken och behålls därför.',
    remedy: 'Jämför med ett gammalt kontoutdrag.',
  },
  LAST_COLLECTION_INVALID: {
    message: 'Datumet för den senaste debiteringen går inte att läsa.',
    remedy: 'Rätta det eller töm cellen.',
  },
  LAST_COLLECTION_FUTURE: {
    message: 'Den senaste debiteringen ligger i framtiden. Den är kanske bara planerad.',
    remedy: 'Använd den senaste debiteringen som lämnades in till banken, även om den kom i retur.',
  },
  LAST_COLLECTION_BEFORE_SIGNATURE: {
    message: 'Mandatet användes innan det skrevs under. Ett av datumen är fel.',
    remedy: 'Kontrollera båda datumen.',
  },
  MANDATE_DORMANT: {
    message: 'Ingen debitering har lämnats in på mer än 36 månader: mandatet har upphört att gälla.',
    remedy:
      'Skaffa ett nytt mandat, såvida inte en senare debitering lämnades in: den räknas även om den kom i retur.',
  },
  MANDATE_DORMANT_SOON: {
    message: 'Mandatet upphör snart att gälla.',
    remedy:
      'Lämna in den första debiteringen senast det angivna datumet; den räknas även om den kommer i retur.',
  },
  DORMANCY_UNKNOWN: {
    message: 'Det går inte att säga om mandatet har upphört att gälla (obekräftat: varna, avvisa aldrig).',
    remedy: 'Ange datum för den senaste debiteringen som lämnades in, även om den kom i retur.',
  },
  STATUS_NOT_ACTIVE: {
    message: 'Mandatet är inte aktivt.',
    remedy: 'Migrera inte. Skaffa ett nytt mandat vid behov.',
  },
  STATUS_UNKNOWN: {
    message: 'Ingen har angett vad detta statusord betyder.',
    remedy: TEACH,
  },
  SEQUENCE_ONE_OFF: {
    message: 'Engångsmandat: förbrukat efter en debitering.',
    remedy: 'Migrera inte.',
  },
  SEQUENCE_FINAL: {
    message: 'Den sista debiteringen har redan gjorts.',
    remedy: 'Migrera inte.',
  },
  SEQUENCE_UNKNOWN: {
    message: 'Ingen har angett vad detta sekvensord betyder.',
    remedy: TEACH,
  },
  SCHEME_B2B: {
    message:
      'B2B-mandat (mellan företag): betalarens bank måste registrera det på nytt, och tjänsten har inget fält för det.',
    remedy: 'Migrera inte. Kom överens om ett Core-mandat.',
  },
  SCHEME_UNKNOWN: {
    message: 'Ingen har angett vad detta ord för typ av autogiro betyder.',
    remedy: TEACH,
  },
  EXCLUDED_BY_CONFIGURATION: {
    message: 'Konfigurationen utesluter denna rad.',
    remedy: 'Migrera inte, eller ändra regeln under exclude.',
  },
  CORRECTION_UNREADABLE: {
    message: 'Raden säger inte vilken rad den rättar.',
    remedy:
      'Ta raden ur corrections.csv eller refused.csv igen och lämna dess migration_row som det är; töm cellen för ett nytt mandat.',
  },
  CORRECTION_TAKES_REFERENCE: {
    message: 'Rättelsen ger raden en annan rads mandatreferens.',
    remedy:
      'Kontrollera om en kolumn har flyttats en rad och rätta den i corrections.csv. Om det stämmer, skriv ”send” i migration_decision på raden. Läs sedan in filen igen.',
  },
  CORRECTION_TAKES_ACCOUNT: {
    message: 'Rättelsen ger raden en annan kunds konto.',
    remedy:
      'Kontrollera om en kolumn har flyttats en rad och rätta den i corrections.csv. Om båda delar kontot, skriv ”send” i migration_decision på raden. Läs sedan in filen igen.',
  },
  CONFLICT_MANDATE: {
    message: 'Samma mandat förekommer med olika uppgifter. Ingen av raderna skickas.',
    remedy:
      'Rätta den felaktiga raden i corrections.csv, eller skriv ”send” i migration_decision på den som är rätt, och läs in filen igen.',
  },
  MANDATE_RESEMBLES_SENT: {
    message:
      'Kund, konto och datum är desamma som för ett mandat som har skickats, eller fortfarande kan skickas, under en annan mandatreferens. Det kan vara det mandatet med rättad mandatreferens.',
    remedy:
      'Om det är samma mandat, skicka det inte: rätta mandatreferensen hos tjänsten och avskriv denna rad. Om det är ett andra mandat för denna kund, skriv ”send” i migration_decision på dess rad i corrections.csv och läs in filen igen.',
  },
  DUPLICATE_MANDATE: {
    message: 'Mandatet finns redan i filen. Den första raden skickas.',
    remedy: 'Inget att göra; den upprepade raden kan tas bort.',
  },
  CUSTOMER_MULTIPLE_MANDATES: {
    message: 'Denna kund får flera mandat. Tjänsten behåller kanske bara ett.',
    remedy: 'Bestäm vilket mandat som gäller. Kontrollera översättningsfilen.',
  },
  MANDATE_NEAR_DUPLICATE: {
    message: 'Två mandatreferenser skiljer sig bara i blanksteg; banker kan se dem som ett enda mandat.',
    remedy: 'Kontrollera vilken skrivning banken känner till.',
  },
  IBAN_SHARED: {
    message: 'Ett konto betalar för flera kunder. Vanligt för familjer och vid flera avtal.',
    remedy: 'Inget att göra.',
  },
  FILE_FORMAT: {
    message: 'Filen är inte i ett format som läses.',
    remedy: 'Ange exporten som CSV.',
  },
  FILE_ENCODING: {
    message: 'Filen går inte att läsa som text.',
    remedy: 'Ange teckenkodningen, eller exportera som UTF-8.',
  },
  FILE_DELIMITER: {
    message: 'Kolumnavgränsaren är inte entydig.',
    remedy: 'Ange avgränsaren.',
  },
  FILE_HEADER_MISSING: {
    message: 'En obligatorisk kolumn hittades inte.',
    remedy: 'Koppla kolumnen med namn i konfigurationen.',
  },
  FILE_HEADER_DUPLICATE: {
    message: 'Ett kolumnnamn förekommer två gånger.',
    remedy: 'Byt namn på en av dem, eller koppla efter position.',
  },
  FILE_HEADER_AMBIGUOUS: {
    message: 'Det är inte klart vilken kolumn som ska användas.',
    remedy: 'Koppla kolumnen med namn i konfigurationen.',
  },
  FILE_RECORD_TOO_LONG: {
    message: 'Ett citattecken saknas troligen; meddelandet anger raden där posten börjar.',
    remedy: 'Rätta citattecknet på den raden.',
  },
  FILE_QUOTE_STRAY: {
    message: 'En cell över flera rader ser ut som poster som ett vilset citattecken har fogat ihop.',
    remedy: 'Rätta citattecknen, eller ange kolumnen under source.multilineColumns.',
  },
  FILE_ROW_LEFT_OUT: {
    message: 'En rad som utelämnas före rubrikraden eller i slutet kan vara ett mandat.',
    remedy:
      'Rätta source.skipLines eller source.skipFooterLines; de räknar fysiska rader, även tomma. Om raden inte är ett mandat, ta bort den ur exporten eller ange rules: { FILE_ROW_LEFT_OUT: warning }.',
  },
  FILE_COUNT_MISMATCH: {
    message: 'Filen anger ett annat antal poster än det som lästes.',
    remedy:
      'Be om en fullständig export. Om talet räknar något annat, ange rules: { FILE_COUNT_MISMATCH: warning }.',
  },
  FILE_COLUMN_UNDECIDED: {
    message: 'En kolumn ser ut att ange vilka mandat som inte får migreras, och ingenting använder den.',
    remedy:
      'Använd kolumnen eller bestäm att den inte räknas, som meddelandet anger; ”sepa-migrate init” skriver ett utkast till konfiguration.',
  },
  FILE_WORDS_UNKNOWN: {
    message: 'Inget enda värde i en kolumn förstås.',
    remedy:
      'Ange under ”words” i konfigurationen vad värdena betyder, eller att kolumnen innehåller något annat, som meddelandet anger.',
  },
  FILE_CONFIGURATION_FORGOTTEN: {
    message: 'Rader i denna fil togs in med en konfiguration som detta kommando inte har.',
    remedy:
      'Ange konfigurationen som exporten lästes med (--config), eller bestäm i en annan om det som meddelandet anger.',
  },
  FILE_CHANGED: {
    message: 'Filen ändrades medan den lästes. Ingenting ur den togs in.',
    remedy: 'Se till att inget annat program skriver i den, och börja om.',
  },
  ROW_MAY_BE_CUT: {
    message: 'Filen slutar inne i denna rad: dess sista värde kan vara avkapat.',
    remedy:
      'Exportera igen. Om raden är fullständig, skriv ”send” i migration_decision på dess rad i corrections.csv och läs in den filen.',
  },
  ROW_FIELD_COUNT: {
    message: 'Raden har fel antal kolumner.',
    remedy: 'Sök efter en avgränsare eller en radbrytning utan citattecken.',
  },
  FILE_MAY_BE_CUT: {
    message: 'Den sista raden saknar radslut, så filen kan vara avkapad. Den raden skickas inte.',
    remedy: 'Jämför antalet rader med exporten och titta på den sista.',
  },
  FILE_EMPTY: {
    message: 'Filen innehåller inga mandat.',
    remedy: 'Kontrollera exporten.',
  },
  FILE_ENCODING_ASSUMED: {
    message: 'Teckenkodningen har antagits.',
    remedy: 'Se efter i rapporten hur namn med å, ä, ö eller accenter ser ut.',
  },
  FILE_MOJIBAKE: {
    message: 'Texten har avkodats fel någonstans.',
    remedy: 'Exportera igen med rätt teckenkodning.',
  },
  FILE_DATE_DOMINANT: {
    message: 'Ett underskriftsdatum dominerar. Det är troligen ett utfyllnadsvärde.',
    remedy: 'Be om de verkliga datumen.',
  },
  FILE_UMR_EQUALS_CUSTOMER: {
    message: 'Mandatreferenserna ser ut som kundnummer.',
    remedy: 'Kontrollera att de är vad banken känner till.',
  },
  FILE_DORMANCY_UNKNOWN: {
    message: 'Det går inte att säga vilka av dessa mandat som har upphört att gälla.',
    remedy: 'Koppla en kolumn med den senaste debiteringen som lämnades in, även om den kom i retur.',
  },
  FILE_CI_MIXED: {
    message: 'Filen anger flera tidigare borgenärer. Vanligen är det en.',
    remedy: 'Kontrollera om borgenärsidentiteter är skadade.',
  },
  FILE_CI_LENGTH: {
    message: 'En borgenärsidentitet från Förenade kungariket har ovanlig längd.',
    remedy: 'Jämför den med ett kontoutdrag.',
  },
  FILE_TOTALS_LINE: {
    message: 'Sista raden innehåller summor och inget mandat. Den utelämnades och räknas inte.',
    remedy: 'Inget att göra, såvida den inte är ett mandat.',
  },
  RESPONSE_ECHO_MISMATCH: {
    message: 'Svaret anger en annan kund, ett annat konto eller ett annat underskriftsdatum än begäran.',
    remedy: 'Raden är oklar och körningen stoppades. Fråga tjänsten vad den registrerade.',
  },
  RESPONSE_CI_UNCHANGED: {
    message: 'Den tilldelade borgenärsidentiteten anger samma borgenär som den tidigare.',
    remedy: 'Det sker inget borgenärsbyte; banken kan neka ändringen av mandatet. Fråga tjänsten.',
  },
  RESPONSE_UMR_UNCHANGED: {
    message: 'Den tilldelade mandatreferensen är lika med den tidigare.',
    remedy: 'Inget att göra.',
  },
  RESPONSE_CUSTOMER_TEXT: {
    message: 'Svaret gav kundnumret som text.',
    remedy: 'Inget att göra; siffrorna är desamma.',
  },
  RESPONSE_IDENTIFIER_FORMAT: {
    message: 'En tilldelad identifierare har inte den vanliga formen. Den behålls som den kom.',
    remedy: 'Fråga tjänsten innan kunden underrättas.',
  },
  RESPONSE_STATUS_WORD: {
    message: 'Svaret var fullständigt, men dess statusord var inte OK.',
    remedy: 'Jämför detta mandat med tjänsten.',
  },
}

const severities: Texts['severities'] = { error: 'fel', warning: 'varning', off: 'avstängd' }

const decisionWords: Texts['decisionWords'] = {
  registered: 'registrerad',
  refused: 'nekad',
  resend: 'skicka igen',
  written_off: 'avskriven',
  retry_refused: 'skicka nekad igen',
  corrected: 'rättad',
}

const verdictWords: Texts['verdictWords'] = {
  missing: 'saknas',
  twice: 'dubbel',
  different: 'avvikande',
  unreadable: 'oläslig',
  proven: 'styrkt',
}

const verdictTitles: Texts['verdictTitles'] = {
  missing: 'Saknas: visas inte för kunden',
  twice: 'Dubbel: visas mer än en gång',
  different: 'Avvikande: visas med andra uppgifter, eller som avslutad',
  unreadable: 'Oläslig: kunde inte jämföras',
  proven: 'Styrkt: visas exakt en gång',
}

const hints: Texts['hints'] = {
  probably_registered: 'troligen registrerad',
  may_exist: 'kan redan finnas',
}

const page: Texts['page'] = {
  title: 'Avstämning av migreringen av SEPA-mandat',
  annex: 'Bilaga: vad första sidan vilar på',
  footer:
    'Alla tider är i UTC. Kontonummer visas som land och de fyra sista tecknen. Upprättad enbart ur journalen: samma journal ger samma sida.',
  asRecorded:
    'Tjänstens och personers ord, varför en körning stoppades och vad som konstaterats om ett enskilt värde står som de antecknades, liksom inställningarna.',
  printedLedger: (id, at) => `Journal ${id}, per ${at}`,
  printedPage: (number, pages) => `Sida ${number} av ${pages}`,
  firstShown: (shown, total) => `De första ${count(shown)} av ${count(total)} visas.`,
  allIn: (file) => `Alla finns i ${file}.`,
}

const cover: Texts['cover'] = {
  noService: 'ännu ingen tjänst',
  lead: (host, at) => `till ${host}, per ${at}`,
  rehearsal: 'PROVKÖRNING',
  onThisComputer: 'Allt skickades till en tjänst på denna dator.',
  declaredAsTest: (host) => `Konfigurationen anger att ${host} är en testmiljö.`,
  treatedAsActive: (names, more) =>
    `Ingen kolumn i ${names}${more > 0 ? ` och ${more} till` : ''} anger vilka mandat som är aktiva: varje mandat behandlas som aktivt.`,
  read: 'Lästa poster',
  registered: 'Registrerade',
  inDoubt: 'Oklara',
  refused: 'Nekade',
  notSent: 'Inte skickade',
  comeFrom: 'Registrerade mandat kommer från',
  goTo: 'och går till',
  others: (number) => `övriga (${count(number)})`,
  nothingRun: 'ingenting kördes',
  runsBetween: (number, from, to) => `${plural(number, 'körning', 'körningar')}, ${from} till ${to}`,
  runBy: 'Kört av',
  decidedBy: 'Beslutat av',
  nobodyDecided: 'ingen rad avgjordes av en person',
  decisionsBy: (name, number) => `${name} (${count(number)} beslut)`,
  forcedResends: (number) => `${count(number)} omsändningar framtvingade inom 15 minuter efter försöket`,
  decisionsByOthers: (number) => `övriga (${count(number)} beslut)`,
  plannedBy: 'Planerat av',
  approvedBy: 'Godkänt av',
  moreNames: (number) => `${count(number)} till`,
  signOff: 'Intygande och underskrift',
  compared: (read, confirmed, ledger, at) =>
    html`Jag har jämfört ${plural(read, 'läst post', 'lästa poster')} med
    ${plural(confirmed, 'registrerat mandat', 'registrerade mandat')} och de öppna punkterna ovan, för journal
    ${ledger} per ${at}.`,
  signers: { prepared: 'Upprättad av', checked: 'Granskad av', approved: 'Godkänd av' },
  nameAndFunction: 'Namn, befattning',
  dateAndSignature: 'Datum, underskrift',
}

const metadata: Texts['metadata'] = {
  target: 'Mål',
  notBound: 'ännu inte knuten till en tjänst',
  user: 'Användare hos tjänsten',
  period: 'Tidsperiod',
  span: (from, to) => `${from} till ${to}`,
  ledger: 'Journal',
  ledgerId: 'Journalens id',
  accounts: 'Kontonummer',
  accountsKept: 'sparas för rader som inte är registrerade',
  accountsRemoved: (at) => `borttagna ${at}`,
}

const verdict: Texts['verdict'] = {
  notBalanced: 'Kontrollsummorna balanserar INTE',
  nothingRead: 'Balanserar: ingen post har lästs ännu',
  nothingOpen: 'Balanserar, ingenting är öppet',
  open: (points) => `Balanserar, ${plural(points, 'öppen punkt', 'öppna punkter')}`,
  everyRecord: (records, number) =>
    `${plural(records, 'läst post', 'lästa poster')} ur ${plural(number, 'källa', 'källor')}: var och en har exakt ett läge.`,
  doNotSign:
    'Lägena summerar inte till de lästa posterna. Skriv inte under: behåll journalen som den är och låt den undersökas.',
  stoppedEarly: (why) => `Den senaste körningen stoppades i förtid: ${why}`,
  settingsChanged: 'inställningar ändrade',
  readDifferently: (number) =>
    `${plural(number, 'körning', 'körningar')} läste svar eller regler på annat sätt än standard.`,
  runGoingOn: 'en körning pågick',
  changedMeanwhile:
    'Journalen ändrades medan rapporten skrevs. Varje rad räknas en gång, som den påträffades; skriv rapporten igen när körningen är slut.',
}

const openPoints: Texts['openPoints'] = {
  contradicted: (number) =>
    `${plural(number, 'registrerat mandat saknas, är dubbelt eller avvikande', 'registrerade mandat saknas, är dubbla eller avvikande')} hos tjänsten.`,
  inDoubt: (number) =>
    `${plural(number, 'mandat är oklart: registrerat eller inte', 'mandat är oklara: registrerade eller inte')}, ingen vet ännu.`,
  sending: (number) => `${count(number)} mandat var på väg när rapporten skrevs.`,
  refused: (number) => `${plural(number, 'mandat nekades', 'mandat nekades')} av tjänsten.`,
  ready: (number) =>
    `${plural(number, 'rad är redo och ännu inte registrerad', 'rader är redo och ännu inte registrerade')}; kör igen för att fortsätta.`,
  invalid: (number) =>
    plural(
      number,
      'rad är ogiltig och kan inte skickas som den är.',
      'rader är ogiltiga och kan inte skickas som de är.',
    ),
  conflict: (number) => `${plural(number, 'rad', 'rader')} motsäger en annan rad för samma mandat.`,
}

const totals: Texts['totals'] = {
  title: 'Kontrollsummor',
  state: 'Läge',
  rows: 'Rader',
  share: 'Andel',
  listedIn: 'Listas i',
  sum: 'Summa av alla lägen',
  read: 'Lästa poster, räknade av källornas läsare',
  difference: 'Differens',
  resubmitted: (lines) =>
    `${plural(lines, 'rad lästes', 'rader lästes')} in igen som rättelse. En rättelse räknas i stället för raden som den rättar och lägger därför inget till de lästa posterna.`,
  notTaken: (number, file) =>
    `${count(number)} av dem godtogs inte, eftersom det som har skickats eller avslutats inte kan ersättas av en fil, eller eftersom raden inte passar ihop med den rad som den anger: se ${file} och problems.csv.`,
}

const chart: Texts['chart'] = {
  rowsByState: 'Rader efter läge',
  nothingRead: 'Ingen post har lästs ännu.',
  nothingRegistered: 'Ingenting har registrerats ännu.',
  registrationsPer: (span) => `Registreringar per ${span}`,
  countPer: (number, span) => `${count(number)} per ${span}`,
  bars: (bars, span, from, to, highest) =>
    `${plural(bars, 'stapel', 'staplar')}, en per ${span}, från ${from} till ${to}, högst ${count(highest)}`,
}

const VERDICTS_OF_SEVERAL = {
  missing: 'saknas',
  twice: 'dubbla',
  different: 'avvikande',
  unreadable: 'oläsliga',
} as const

/** How many of what, in agreement with each. */
const verdictCounts = (verification: Verification): string[] =>
  (['missing', 'twice', 'different', 'unreadable'] as const).flatMap((word) =>
    verification[word] === 0
      ? []
      : [plural(verification[word], verdictWords[word], VERDICTS_OF_SEVERAL[word])],
  )

function verificationSummary(verification: Verification): string {
  const { registered: confirmed, proven, notAsked, firstAt, lastAt } = verification
  const between = firstAt === null ? '' : `, mellan ${timeText(firstAt)} och ${timeText(lastAt)}`
  const parts = [
    `Styrkta hos tjänsten: ${count(proven)} av ${plural(confirmed, 'registrerat mandat', 'registrerade mandat')}${between}`,
    verdictCounts(verification).join(', '),
    plural(notAsked, 'inte efterfrågat', 'inte efterfrågade'),
  ]
  return `${parts.filter((part) => part !== '').join('; ')}.`
}

const verification: Texts['verification'] = {
  notAsked: 'Tillbakaläsning hos tjänsten: inte gjord.',
  summary: verificationSummary,
  sample: (mandates) =>
    `Den senaste frågan gällde ett stickprov av ${count(mandates)} mandat, draget slumpmässigt.`,
  title: 'Styrkt hos tjänsten',
  eachIn: (file) => html`Varje rad som tjänsten har tillfrågats om finns i ${file}.`,
  notAskedTitle: 'Inte efterfrågade',
  row: 'Rad',
  what: 'Vad',
  customer: 'Kund, konto',
  assignedReference: 'Tilldelad mandatreferens',
  seen: 'Vad som sågs',
}

const inDoubt: Texts['inDoubt'] = {
  title: 'Oklara',
  none: 'Inget mandat är oklart: utfallet av varje begäran är känt.',
  counted: (mandates) => `Oklara: ${count(mandates)} mandat`,
  lead: (file, command) =>
    html`Vart och ett av dessa kan finnas hos tjänsten eller inte. Att skicka ett igen skulle kunna debitera
    kunden två gånger, så programmet gör det aldrig. Slå upp vart och ett hos tjänsten, fyll i
    beslutskolumnerna i ${file} och kör ${command}.`,
  proposals: (number, file, word) =>
    html`${count(number)} av dem har tillräckligt länge saknats vid tillbakaläsning: ${file} föreslår ${word}
    med underlaget, för en person att besluta.`,
  alreadyThere: 'redan hos tjänsten, inte skickad',
  noneAnswered: 'inget',
  noAnswer: 'inget svar',
  row: (row, customer) => `Rad ${row}, kund ${customer}`,
  unknown: 'okänd',
  openSince: (at) => `öppen sedan ${at}`,
  previousReference: 'Tidigare mandatreferens',
  requestSent: 'Begäran skickad',
  notSent: 'inte skickad',
  previousCreditor: 'Tidigare borgenär',
  answer: 'Svar',
  account: 'Konto, underskrivet',
  requestId: 'Begärans id',
  source: 'Källa',
  record: (source, record) => `${source}, post ${record}`,
  attempts: 'Försök',
  asReceived: 'Svaret som det togs emot, maskerat:',
  cut: 'hela svaret finns i journalen',
}

const refused: Texts['refused'] = {
  title: 'Nekade',
  none: 'Tjänsten nekade inget mandat.',
  counted: (mandates) => `Nekade av tjänsten: ${count(mandates)} mandat`,
  lead: (file, command) =>
    html`Ingenting registrerades för dessa rader. Rätta dem i ${file} och läs in filen igen med ${command}.`,
  said: 'Vad tjänsten sade',
  rows: 'Rader',
  compared: 'Jämförelse',
  decided: 'beslutat',
  field: (field) => `fält ${field}`,
  noReason: 'Inget skäl angavs',
  answersIn: (file) => `Varje rad har sitt svar i ${file}.`,
}

const problems: Texts['problems'] = {
  title: 'Problem i källorna',
  none: 'Kontrollerna hittade inget problem.',
  lead: (problemsFile, correctionsFile) =>
    html`Ett fel hindrar att en rad skickas; en varning gör det inte. En rad kan ha flera. Vart och ett finns
    med sin plats i källan i ${problemsFile}; rader som inte skickades kan rättas i ${correctionsFile} och
    läsas in igen.`,
  severity: 'Allvarlighetsgrad',
  rule: 'Regel och betydelse',
  count: 'Antal',
  compared: 'Jämförelse',
}

const registered: Texts['registered'] = {
  counted: (mandates) => `Registrerade: ${count(mandates)} mandat`,
  means: 'Vad ”registrerad” betyder.',
  meaning: (file) =>
    html`Tjänsten svarade att den har lagrat mandatet och gav det en ny borgenärsidentitet och en ny
    mandatreferens. ${file} innehåller tidigare och nytt sida vid sida.`,
  meansNot: 'Vad det inte betyder.',
  notFinal:
    'Det är inte slutgiltigt. Ett mandat har flyttat först när dess första betalning initieras med det.',
  notProven:
    'Det styrker inte kontot, mandatreferensen eller datumet. Om något av dem är fel kommer den första debiteringen i retur (MD01, MD02, AC01, AC04, AM05, MD07), dagar eller månader senare.',
  notCancelled:
    'Det är inget skäl att säga upp något hos den tidigare borgenären, och de tidigare identifierarna måste bevaras för gott.',
  notRestarted: 'Det startar inte om de 36 månader efter vilka ett oanvänt mandat upphör att gälla.',
  notTold:
    'Varje kund måste få veta borgenärens nya namn samt den nya borgenärsidentiteten och mandatreferensen före nästa debitering.',
  lapseFirst: 'Registrerade mandat som först upphör att gälla',
  earliest: (rows) =>
    `Den första debiteringen måste ske senast detta datum. De tidigaste ${rows} av dem för vilka det kan fastställas.`,
  firstDebitBy: 'Första debitering senast',
  customer: 'Kund',
  assignedReference: 'Tilldelad mandatreferens',
  previousReference: 'Tidigare mandatreferens',
}

const sources: Texts['sources'] = {
  title: 'Källor',
  source: 'Källa',
  read: 'Lästa',
  addsUp: 'Stämmer',
  all: 'Alla källor',
  size: (bytes, records, blankLines, at) =>
    `${count(bytes)} byte, ${plural(records, 'post', 'poster')}, ${plural(blankLines, 'tom rad', 'tomma rader')}, intagen ${at}`,
}

const plans: Texts['plans'] = {
  samePerson: 'samma person',
  approvedAlone: (number, name, link) =>
    html`${plural(number, 'plan har planerats och godkänts', 'planer har planerats och godkänts')} av samma
    person, senast ${name}: ingen annan såg på ${link}.`,
  whatWasToBeSent: 'vad som skulle skickas',
  person: (name, user) => `${name} (användare ${user})`,
  title: 'Planer och godkännanden',
  latest: (shown, total) => `De senaste ${shown} av ${count(total)}.`,
  underNone: (number, ids) =>
    `${plural(number, 'körning', 'körningar')} skickade rader utan någon plan: ${ids}.`,
  plan: 'Plan',
  planned: 'Planerad',
  rows: 'Rader',
  approved: 'Godkänd',
  runs: 'Körningar',
  notApproved: 'inte godkänd',
  noRun: 'ingen',
  byTheSamePerson: 'samma person',
  approval: (at, person, reason, until) => `${at}, ${person}: ${reason}; till ${until}`,
}

const runs: Texts['runs'] = {
  title: 'Körningar',
  none: 'Ingenting har körts ännu.',
  run: (id, at) => `Körning ${id}, ${at}`,
  requests: (confirmed, turnedDown, unclear, turnedAway, notSent) =>
    `Begäranden efter utfall: registrerad ${count(confirmed)}, nekad ${count(turnedDown)}, oklar ${count(unclear)}, tills vidare avvisad ${count(turnedAway)}, inte skickad ${count(notSent)}`,
  withoutOutcome: (number) => `utan utfall ${count(number)}`,
  answersChanged: 'svar lästa på annat sätt',
  readAs: (status, outcome) => `${status} som ${outcome}`,
  rulesChanged: 'regler ändrade',
  usually: (severity) => `standard ${severity}`,
  unknown: 'okänd',
  startedBy: 'startad av',
  version: 'programversion',
  today: 'dagens datum för datumreglerna',
  goingOn: 'Pågår, eller slutade utan meddelande.',
  killed: 'Avbruten: den slutade utan meddelande.',
  becameDoubtful: 'Det som var på väg blev oklart.',
  ended: (at, exit) => `Slutade ${at}, avslutskod ${exit}.`,
  onlyRows: (column, values) => `endast rader med ${column}: ${values}`,
  leftByChoice: (number) => `${plural(number, 'annan rad', 'andra rader')} är fortfarande redo.`,
  stopped: (why) => `Stoppad i förtid: ${why}`,
  exit: (exit) => `avslutskod ${exit}`,
}

const decisions: Texts['decisions'] = {
  title: 'Beslut av personer',
  none: 'Ingen rad avgjordes av en person.',
  row: 'Rad',
  decision: 'Beslut',
  by: 'Av, tid',
  reason: 'Skäl och underlag',
  corrected: 'Rättade rader',
  correctedLead: 'Återlämnade rader där någon har ändrat värden: före och efter, med maskerade konton.',
  noReason: 'ingen anledning angiven',
}

const hashTotals: Texts['hashTotals'] = {
  title: 'Hashsummor',
  customers: 'Olika kunder',
  mandates: 'Olika mandat',
  accounts: 'Olika konton',
  distinct: (number) => `${count(number)} bland alla mandat`,
  lead: 'Dessa summor ändras när en rad går förlorad, fördubblas eller ändras. De beror inte på radernas ordning.',
  over: 'Över',
  rows: 'Rader',
  total: 'Summa',
  value: 'Värde',
  allMandates: 'Alla mandat',
  registered: 'Registrerade',
  sum: 'summa av customer_no',
  oldKeys: 'hashvärde av tidigare nycklar',
  pairs: 'hashvärde av tidigare och nytt',
  definitions:
    'Tidigare nyckel: de två första tecknen i original_creditor_identifier, "|", dess tecken från och med det åttonde, "|", original_mandate_reference med a till z som versaler. Hashvärde av tidigare nycklar: summan modulo 2^256 av SHA-256 för varje tidigare nyckel (UTF-8, läst som ett big-endian-tal), som 64 hexadecimala siffror. Hashvärde av tidigare och nytt: detsamma över den tidigare nyckeln, en radmatning (LF), assigned_creditor_identifier, en radmatning (LF) och assigned_mandate_reference.',
  whereAll: (summary, manifest) =>
    html`Summorna för varje läge finns i ${summary}; lägenas summor blir tillsammans summan för alla rader.
    ${manifest} innehåller storlek och SHA-256 för varje fil i detta paket och för varje källa.`,
}

const explanation: Texts['explanation'] = {
  inDoubtRemedy:
    'Slå upp mandatet hos tjänsten. Fyll sedan i beslutskolumnerna och kör ”sepa-migrate resolve --from” med denna fil. Läs aldrig in den igen som källa.',
  refusedRemedy:
    'Rätta värdet och läs in denna fil igen. Om orsaken fanns hos tjänsten, kör igen med --retry-refused.',
  readyRemedy: 'Kör igen för att skicka den.',
  sending: 'En körning skickar denna rad, eller slutade medan den gjorde det',
  sendingRemedy: 'Om ingen körning pågår, kör igen: raden blir oklar och skickas inte.',
  registered: 'Registrerad',
  replaced: 'Ersatt av en senare fil',
  replacedBy: (row) => `Ersatt av rad ${row} i en senare fil`,
  writtenOff: 'Avskriven av en person',
  decided: (by, on, decision, reason) => `Beslutat av ${by} den ${on} (${decision}): ${reason}`,
  field: (field) => `fält ${field}`,
  theServiceSaid: (reason, words) => `${reason}. Tjänsten sade: ${words}`,
  notSentYet: 'Ännu inte skickad',
  toBeSentAgain: (why) => `Ska skickas igen. ${why}`,
  aPersonDecided: 'En person beslutade så',
  afterRefusal: (said) => `Ska skickas igen efter att ha nekats: ${said}`,
  notCarriedOut: (said) => `Ännu inte registrerad, det senaste försöket genomfördes inte: ${said}`,
  itWasInDoubt: (how, at, request) => `Raden var oklar: ${how} ${at} (id ${request})`,
  rowWasInDoubt: (row, how, at, request) =>
    `Rad ${row} för detta mandat var oklar: ${how} ${at} (id ${request})`,
  mayHaveLeft: 'dess begäran kan ha gått iväg',
  left: 'dess begäran gick iväg',
  heldAlready: 'tjänsten hade det redan, och ingenting skickades',
  mayBeApplied: (told) => `${told} och kan ha verkställts.`,
}

const reasons: Texts['reasons'] = {
  unsent: {
    refusedConnection: 'Tjänsten tog inte emot anslutningen',
    unknownHost: 'Tjänstens värdnamn är inte känt',
    notLookedUp: 'Tjänstens värdnamn kunde inte slås upp',
    unreachable: 'Tjänsten kan inte nås härifrån',
    connectionLate: 'Anslutningen var inte klar i tid',
    noConnection: 'Ingen anslutning var klar i tid',
    brokenOff: 'Körningen stoppades i förtid innan begäran gick iväg',
    proxyCredentials: 'Proxyn begärde inloggningsuppgifter med 407',
    proxyAnswered: (status) => `Proxyn svarade ${status} i stället för att öppna vägen till tjänsten`,
    notTrusted: 'Ingen betrodd anslutning kunde upprättas, kontrollera certifikat, värdnamn och port',
    notWellFormed: (problem) => `Begäran var inte välformad: ${problem}`,
    notSetUp: 'Anslutningen kunde inte upprättas',
  },
  broken: {
    notComplete: 'Inget fullständigt svar kom i tid',
    noAnswer: 'Inget svar kom i tid',
    inTheMiddle: 'Svaret avbröts mitt i',
    tooLarge: 'Svaret var för stort för att läsas',
    brokenOff: 'Körningen stoppades i förtid medan begäran var på väg',
    connection: 'Anslutningen bröts innan svaret var fullständigt',
  },
  consequence: {
    mayExist: 'mandatet kan redan finnas där',
    refused: 'nekad',
    credentials: 'inloggningsuppgifter eller behörighet godtogs inte, ingenting verkställdes',
    later: 'inte nu, försök senare',
    redirect: 'en omdirigering, som aldrig följs',
    unclear: 'det framgår inte om begäran verkställdes',
  },
  held: {
    once: 'Tjänsten har redan detta mandat',
    moreThanOnce: 'Tjänsten har redan detta mandat mer än en gång',
    ended: 'Tjänsten har detta mandat som uppsagt',
    otherDate: 'Tjänsten har ett mandat med detta konto och ett annat datum',
    ambiguous:
      'Tjänsten har ett mandat som är detta eller ett som hör till en annan rad med samma konto och datum',
  },
  compared: {
    lacking: 'en betalningskälla som kan vara detta mandat saknar det som jämförs',
    unknownRow: 'denna rad är inte känd i journalen',
  },
  source: {
    withReference: (id, reference) => `betalningskälla ${id}, referens ${reference}`,
    alone: (id) => `betalningskälla ${id}`,
  },
  unread: {
    broken: (how, code) => `${how} (${code})`,
    notWhole: (status, how, code) => `Tjänsten svarade ${status}, men inte fullständigt: ${how} (${code})`,
    answeredSaying: (status, said) => `Tjänsten svarade ${status} (${said})`,
    answered: (status) => `Tjänsten svarade ${status}`,
    tooLarge: 'Listan över betalningskällor är större än vad som läses',
    notAList: (status, problem) =>
      `Tjänsten svarade ${status}, men inte med en lista över betalningskällor (${problem})`,
    notComparable: (why) => `Listan över betalningskällor kan inte jämföras med detta mandat: ${why}`,
  },
  sentence: {
    nothingSent: (cause, code) => `${cause} (${code}): ingenting skickades`,
    mayBeApplied: (how, code) => `${how} (${code}): tjänsten kan ha verkställt begäran`,
    cutProbablyApplied: (status, how, code) =>
      `Tjänsten svarade ${status}, men svaret kom inte fram fullständigt (${how} (${code})): begäran verkställdes troligen`,
    cut: (status, how, code) =>
      `Tjänsten svarade ${status}, men svaret kom inte fram fullständigt (${how} (${code}))`,
    answeredSaying: (status, said, consequence) => `Tjänsten svarade ${status} (${said}): ${consequence}`,
    answered: (status, consequence) => `Tjänsten svarade ${status}: ${consequence}`,
    complete: (status) => `Tjänsten svarade ${status} med ett fullständigt svar`,
    nothingElse: (status) => `Tjänsten svarade ${status} och ingenting mer: begäran verkställdes troligen`,
    notJson: (status) =>
      `Tjänsten svarade ${status} och något som inte är JSON: begäran verkställdes troligen`,
    notUsable: (status, problem) =>
      `Tjänsten svarade ${status}, men svaret går inte att använda (${problem}): begäran verkställdes troligen`,
    otherField: (status, field) =>
      `Tjänsten svarade ${status}, men värdet i ${field} är inte det som skickades: svaren kan vara förskjutna`,
    repeated: (reference, creditor) =>
      `Tjänsten svarade med mandatreferensen ”${reference}” för ”${creditor}”, som den tidigare gav en annan rad`,
    heldBack: (what, shown) => `${what}, därför skickades det inte: ${shown}`,
    askedFirst: (answer) => `Först efterfrågades vad tjänsten redan har; raden skickades inte. ${answer}`,
    interrupted: 'Körningen avbröts medan tjänsten tillfrågades; raden skickades inte',
    ended: 'Programmet slutade innan svaret hade dokumenterats',
    endedWithAnswer: (file) =>
      `Programmet slutade innan svaret hade dokumenterats. Svaret finns i filen ”${file}”`,
    olderCopy: 'En äldre kopia av journalen lades tillbaka: denna rad kan ha skickats sedan kopian gjordes',
    anotherLedger: 'En annan av era journaler började skicka denna rad',
    allInDoubt: 'Ingen vet vad som skickades innan denna journal skapades: denna rad kan ha skickats',
  },
  withoutId: 'utan id',
  noError: 'inget fel angavs',
}

const seen: Texts['seen'] = {
  absent:
    'Tjänsten visar ingen betalningskälla för denna kund. Fråga tjänsten: mandatet kan ha sagts upp, eller visas först senare.',
  times: (number) => `Tjänsten visar detta mandat ${number} gånger.`,
  moreThanOnce: 'Tjänsten visar detta mandat mer än en gång.',
  cannotTell: 'Vilka av dem som får sägas upp går inte att avgöra här: slå upp dem hos tjänsten.',
  mayBeCancelled: (own, others) =>
    `${own} är den som hör till denna journal; en person får säga upp ${others}.`,
  withoutId: 'En utan id',
  unreadable: (why) => `Den kunde inte jämföras, och är därför inte styrkt: ${why}.`,
  noList: 'ingen lista kom',
  ended: (status) => `Tjänsten visar detta mandat som avslutat (${status}).`,
  noStatus: 'ingen status',
  ambiguous:
    'En annan rad för denna kund har samma konto och datum, och ingen mandatreferens skiljer dem åt.',
  noneOfThem:
    'Tjänsten visar betalningskällor för denna kund, och ingen med detta mandats konto, datum och mandatreferens.',
  differs: (theirs, ours) => `Tjänsten visar det med ${theirs}; journalen har ${ours}.`,
  accountAndDate: (account, date) => `konto ${account}, underskrivet ${date}`,
  unknown: 'okänt',
}

const registeredColumns: Texts['columns']['registered'] = {
  customer_no: 'Kundens nummer hos tjänsten.',
  iban_masked: 'Kontot: land och de fyra sista tecknen.',
  signed_date: 'Dag då mandatet skrevs under.',
  original_creditor_identifier: 'Den tidigare borgenärens borgenärsidentitet.',
  original_mandate_reference: 'Mandatreferens hos den tidigare borgenären.',
  assigned_creditor_identifier: 'Borgenärsidentitet som tjänsten tilldelade.',
  assigned_mandate_reference: 'Mandatreferens som tjänsten tilldelade.',
  registered_at: 'När mandatet blev registrerat, i UTC.',
  source: 'Filen som raden lästes ur.',
  record: 'Postens nummer i den filen; rubrikraden är ingen post.',
  attempts: 'Hur många försök att skicka raden som gjordes.',
  latest_first_debit:
    'Dag då den första debiteringen senast måste ske, eftersom mandatet då upphör att gälla; tom där det inte kan fastställas.',
}

const resultColumns: Texts['columns']['result'] = {
  migration_row: 'Radens nummer i journalen, som en rättad rad känns igen på. Lämna det som det är.',
  migration_state: 'Radens läge, som programmet benämner det.',
  migration_rule: 'Reglerna som ger raden detta läge.',
  migration_status: 'HTTP-status för det senaste svaret.',
  migration_message: 'Vad som hände med raden.',
  migration_remedy: 'Vad som ska göras åt det.',
  migration_sent_at: 'När den senaste begäran började, i UTC.',
  migration_sent_ago: 'Hur lång tid det var före journalens senaste ändring.',
  migration_resend_from:
    'Från och med när raden får anges som nekad eller skickas igen, i UTC; fram till dess kan begäran ännu komma fram.',
  migration_request_id: 'Id för den begäran, för att fråga tjänsten om den.',
  migration_proposal: 'Beslutet som underlaget medger. Det avgör ingenting.',
  migration_proposal_evidence: 'Vad förslaget vilar på, eller varför det inte finns något.',
  migration_ledger: 'Journalens märke: ett beslut gäller bara för denna journal. Lämna det som det är.',
  migration_attempt:
    'Det senaste försökets nummer: ett beslut avvisas när det har gjorts ett nytt försök. Lämna det som det är.',
  migration_decision:
    'Fylls i av en person: registered, refused, resend eller written-off i in-doubt.csv, written-off för att avsluta en rad, send i corrections.csv där raden är rätt som den står.',
  migration_reason: 'Fylls i av en person: hur det är känt.',
  migration_by: 'Fylls i av en person: vem som beslutade. Om den är tom, användaren som antecknar beslutet.',
  migration_assigned_creditor_identifier:
    'Fylls i av en person med beslutet registered: borgenärsidentiteten som tjänsten tilldelade.',
  migration_assigned_mandate_reference:
    'Fylls i av en person med beslutet registered: mandatreferensen som tjänsten tilldelade.',
}

const problemColumns: Texts['columns']['problems'] = {
  source: 'Filen som problemet hittades i.',
  record: 'Postens nummer i den filen; rubrikraden är ingen post. Tom för en hel fil.',
  line: 'Fysisk rad i filen där posten börjar. Tom för en hel fil.',
  column: 'Exportens kolumn.',
  rule: 'Regeln som bröts.',
  severity: 'error hindrar att raden skickas, warning gör det inte.',
  value: 'Värdet som hittades, med kontonummer maskerade.',
  message: 'Vad som är fel.',
  remedy: 'Vad som ska göras åt det.',
}

const decisionColumns: Texts['columns']['decisions'] = {
  id: 'Beslutets nummer.',
  row: 'Radens nummer i journalen.',
  attempt: 'Numret, i journalen, på försöket som beslutet gällde; tom där det inte fanns något.',
  time: 'När det antecknades, i UTC.',
  by: 'Vem som beslutade, med det namn som angavs.',
  as: 'Användaren i operativsystemet som antecknade det.',
  decision: 'Vad som beslutades.',
  from: 'Radens läge före beslutet.',
  to: 'Radens läge efter beslutet.',
  reason: 'Hur det var känt, så som det angavs.',
  evidence: 'Vad det vilar på.',
  hash: 'SHA-256 över föregående rads hashvärde och denna rads celler: ingen kan ändras, flyttas eller försvinna obemärkt.',
}

const verificationColumns: Texts['columns']['verification'] = {
  migration_row: 'Radens nummer i journalen.',
  customer_no: 'Kundens nummer hos tjänsten.',
  iban_masked: 'Kontot: land och de fyra sista tecknen.',
  assigned_mandate_reference: 'Mandatreferens som tjänsten tilldelade.',
  assigned_creditor_identifier: 'Borgenärsidentitet som tjänsten tilldelade.',
  verification:
    'Vad det senaste svaret säger: missing (saknas), twice (dubbel), different (avvikande), unreadable (oläslig) eller proven (styrkt).',
  verified_at: 'När det svaret kom, i UTC.',
  payment_sources: 'Id för betalningskällorna som tjänsten visar, med blanksteg emellan.',
  payment_source_statuses: 'Deras status, i samma ordning.',
  may_be_cancelled: 'Id för dem som en person får säga upp.',
  explanation: 'Vad som sågs, och vad en person kan göra åt det.',
}

const columns: Texts['columns'] = {
  title: 'Filernas kolumner',
  lead: 'Kolumnernas namn, och de ord som programmet skriver under dem, är engelska på alla språk, eftersom program läser dem. I filerna som ska rättas står exportens kolumner före dessa.',
  column: 'Kolumn',
  meaning: 'Betydelse',
  registered: registeredColumns,
  result: resultColumns,
  problems: problemColumns,
  decisions: decisionColumns,
  verification: verificationColumns,
}

const sheets: Texts['workbook']['sheets'] = {
  summary: 'Sammanfattning',
  verification: 'Kontroll hos tjänsten',
  inDoubt: 'Oklara',
  refused: 'Nekade',
  corrections: 'Att rätta',
  notSent: 'Inte skickade',
  registered: 'Registrerade',
  closed: 'Avslutade',
  problems: 'Problem',
  decisions: 'Beslut',
  sources: 'Källor',
  plans: 'Planer',
  runs: 'Körningar',
  columns: 'Kolumner',
}

const headers: Texts['workbook']['headers'] = {
  row: 'Rad',
  state: 'Läge',
  customer: 'Kund',
  account: 'IBAN (maskerat)',
  signed: 'Underskrivet',
  previousCreditor: 'Tidigare borgenär',
  previousReference: 'Tidigare mandatreferens',
  assignedCreditor: 'Tilldelat borgenärs-ID',
  assignedReference: 'Tilldelad mandatreferens',
  registeredAt: 'Registrerat',
  firstDebitBy: 'Debitera senast',
  source: 'Källa',
  record: 'Post',
  line: 'Fysisk rad',
  lastRequest: 'Senaste begäran',
  lastAttemptAt: 'Senaste försök',
  status: 'HTTP-status',
  rule: 'Regel',
  message: 'Förklaring',
  remedy: 'Åtgärd',
  column: 'Kolumn',
  severity: 'Allvarlighetsgrad',
  value: 'Värde',
  verification: 'Kontroll',
  verifiedAt: 'Tid för svaret',
  paymentSources: 'Betalningskällor',
  cancellable: 'Får sägas upp',
  seen: 'Vad som sågs',
  at: 'Tid',
  by: 'Av',
  decision: 'Beslut',
  reason: 'Skäl',
  evidence: 'Underlag',
  admittedAt: 'Intagen',
  bytes: 'Byte',
  read: 'Lästa',
  resubmitted: 'Rättelser',
  balanced: 'Stämmer',
  run: 'Körning',
  started: 'Början',
  ended: 'Slut',
  version: 'Version',
  asOf: 'Dagens datum',
  zone: 'Tidszon',
  registered: 'Registrerad',
  refused: 'Nekad',
  inDoubt: 'Oklar',
  turnedAway: 'Avvisad',
  notSent: 'Inte skickad',
  open: 'Utan utfall',
  stoppedBy: 'Stoppad av',
  exit: 'Avslutskod',
  settings: 'Inställningar',
  plan: 'Plan',
  plannedAt: 'Planerad',
  plannedBy: 'Planerad av',
  rows: 'Rader',
  approvedAt: 'Godkänd',
  approvedBy: 'Godkänd av',
  expires: 'Gäller till',
  asUser: 'Systemanvändare',
  samePerson: 'Samma person',
  runs: 'Körningar',
  file: 'Fil',
  meaning: 'Betydelse',
}

const workbook: Texts['workbook'] = {
  title: 'Migrering av SEPA-mandat: avstämning',
  sheets,
  headers,
  notProven: 'Inte styrkta hos tjänsten',
  proposals: (file, number) => `(${file} föreslår att skicka igen: ${count(number)})`,
  span: (first, last, total) => `rader ${count(first)} till ${count(last)} av ${count(total)}`,
  noneOf: (total) => `inga av ${count(total)}`,
  full: 'En arbetsbok rymmer inte fler.',
  allInLedger: 'Alla finns i journalen, i tabellen över rader.',
  plansTitle: 'Planer, en rad per godkännande',
  samePerson: 'JA',
  otherPerson: 'nej',
  user: 'Användare',
  asOf: 'Journalens ställning per',
  result: 'Resultat',
  balanced: 'Kontrollsummorna balanserar',
  notBalanced: 'KONTROLLSUMMORNA BALANSERAR INTE',
  resubmitted: 'Rättelser, räknade i stället för raderna som de rättar',
  notTaken: 'Varav inte godtagna',
  distinct: 'Olika',
  count: 'Antal',
  customers: 'Kunder',
  mandates: 'Mandat',
  accounts: 'Konton',
  sumOfAll: 'Summa av kundnummer, alla mandat',
  oldKeysOfAll: 'Hashvärde av tidigare nycklar, alla mandat',
  sumOfRegistered: 'Summa av kundnummer, registrerade',
  oldKeysOfRegistered: 'Hashvärde av tidigare nycklar, registrerade',
  pairsOfRegistered: 'Hashvärde av tidigare och nytt, registrerade',
}

/** Settings whose own name says nothing to a person; the others stand as the configuration spells them. */
const settingNames: Readonly<Partial<Record<string, string>>> = {
  stopAtCanaryDoubt: 'stoppa om den allra första raden inte får något svar',
  maxDurationMs: 'längsta varaktighet i ms',
  timeoutMs: 'tidsgräns för en begäran i ms',
  resultFile: 'skriven av detta program',
}

const settings: Texts['settings'] = {
  name: (name) => settingNames[name] ?? name,
  yes: 'ja',
  no: 'nej',
}

/** Everything that a reader of the report sees in Swedish. */
export const sv: Texts = {
  tag: 'sv',
  count,
  share,
  duration,
  width,
  labelled: (name, value) => `${name}: ${value}`,
  addsUp: 'ja',
  doesNotAddUp: 'NEJ',
  states,
  rules,
  stillNotSent: 'Allvarlighetsgraden sänktes, men inget användbart värde finns kvar, så raden skickas inte.',
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
  stateMeanings: 'Vad lägena betyder',
  explanation,
  reasons,
  seen,
  columns,
  workbook,
  settings,
}
