import { html } from 'hono/html'
import type { Verification } from '../../domain/proof/verification.js'
import { timeText } from '../../domain/text/wording.js'
import type { Texts } from './en.js'
import { figuresOf } from './figures.js'

const { count, plural, share, duration, width } = figuresOf({
  thousands: '\u202f',
  point: ',',
  isOne: (number) => number < 2,
  units: {
    second: ['seconde', 'secondes'],
    minute: ['minute', 'minutes'],
    hour: ['heure', 'heures'],
    day: ['jour', 'jours'],
  },
})

const states: Texts['states'] = {
  invalid: {
    name: 'non valide',
    long: 'Une valeur manque ou est fausse. Jamais envoyé ; corriger et fournir de nouveau.',
  },
  duplicate: {
    name: 'doublon',
    long: 'Le même mandat avec les mêmes données a déjà été lu. Envoyé une fois au plus.',
  },
  conflict: {
    name: 'conflit',
    long: "Le même mandat figure avec des données différentes. Aucune des lignes n'est envoyée.",
  },
  excluded: {
    name: 'exclu',
    long: 'Lisible, mais ne doit pas être migré ; la règle en donne la raison.',
  },
  superseded: {
    name: 'remplacé',
    long: "Remplacé par une ligne d'un fichier ultérieur.",
  },
  ready: {
    name: 'prêt',
    long: 'Contrôlé et pas encore envoyé, ou provisoirement repoussé et en attente de la prochaine exécution.',
  },
  sending: {
    name: "en cours d'envoi",
    long: "En route au moment où ce rapport a été écrit, ou lorsqu'une exécution a été interrompue brutalement. La prochaine exécution en fixe l'issue ou le rend incertain.",
  },
  registered: {
    name: 'inscrit',
    long: 'Le service a confirmé le mandat et lui a donné de nouveaux identifiants.',
  },
  refused: {
    name: 'refusé',
    long: "Le service a répondu non. Rien n'a été inscrit.",
  },
  in_doubt: {
    name: 'incertain',
    long: 'Le mandat existe peut-être auprès du service, peut-être pas. Le programme ne le renvoie jamais ; une personne doit le découvrir et décider.',
  },
  written_off: {
    name: 'classé sans suite',
    long: "Clos par la décision consignée d'une personne.",
  },
}

const TEACH =
  "Indiquer sous « words » dans la configuration ce qu'il signifie et fournir de nouveau le même fichier. Si cette ligne est juste telle quelle, écrire « send » dans migration_decision de sa ligne dans corrections.csv et fournir ce fichier."

const rules: Texts['rules'] = {
  EXCEL_SCIENTIFIC: {
    message:
      "Le tableur a remplacé cette valeur par un nombre arrondi. L'original ne peut pas être rétabli à partir de ce nombre.",
    remedy: 'Exporter de nouveau avec la colonne au format texte, sans ouvrir le fichier dans un tableur.',
  },
  CUST_EMPTY: {
    message: "Il n'y a pas de numéro de client.",
    remedy: "Le renseigner, ou ajouter l'ancienne clé au fichier de correspondance.",
  },
  CUST_FORMAT: {
    message: "Le numéro de client n'est pas un simple nombre entier.",
    remedy:
      "Indiquer le numéro du client dans le service de facturation. S'il s'agit de la clé de l'ancien créancier, utiliser un fichier de correspondance.",
  },
  CUST_RANGE: {
    message: 'Le numéro de client est hors de la plage autorisée.',
    remedy: "Corriger le numéro. Rechercher un tableur qui l'aurait modifié.",
  },
  CUST_LEADING_ZERO: {
    message:
      "Les zéros de tête sont perdus, car le service enregistre un nombre. Il peut s'agir d'une clé d'un autre système.",
    remedy: "Comparer quelques lignes avec le service avant l'envoi.",
  },
  CROSSWALK_NO_MATCH: {
    message: "Aucun client n'est connu pour cette ancienne clé.",
    remedy: "Ajouter la clé au fichier de correspondance, ou retirer la ligne de l'export.",
  },
  CROSSWALK_AMBIGUOUS: {
    message: 'Cette ancienne clé désigne plusieurs clients.',
    remedy: 'Ne garder que la seule ligne correcte dans le fichier de correspondance.',
  },
  CROSSWALK_MISMATCH: {
    message: 'La ligne du fichier de correspondance appartient à un autre compte ou à un autre nom.',
    remedy: 'Vérifier si des colonnes du fichier de correspondance ont été décalées ou triées séparément.',
  },
  CROSSWALK_DUPLICATE_LINE: {
    message: 'Le fichier de correspondance répète une ligne.',
    remedy: 'Supprimer la ligne répétée.',
  },
  CROSSWALK_UNUSED_LINE: {
    message: "Un client du fichier de correspondance n'a aucun mandat dans l'export.",
    remedy: "Vérifier que l'export est complet.",
  },
  IBAN_EMPTY: {
    message: "Il n'y a pas d'IBAN.",
    remedy: "Obtenir l'IBAN auprès de l'ancien créancier ou du client.",
  },
  IBAN_MASKED: {
    message: "L'IBAN est masqué. Les chiffres cachés ne peuvent pas être rétablis.",
    remedy: "Demander à l'ancien créancier un export avec les IBAN complets.",
  },
  IBAN_COUNTRY: {
    message: 'La valeur ne commence pas par un pays qui émet des IBAN.',
    remedy:
      "Un ancien numéro de compte avec code banque doit être converti en IBAN par la banque. Les territoires d'outre-mer utilisent le préfixe de l'État dont ils relèvent.",
  },
  IBAN_NOT_SEPA: {
    message: 'Le pays de ce compte ne participe pas au SEPA.',
    remedy: "Ne pas migrer cette ligne. Convenir d'un autre moyen de paiement.",
  },
  IBAN_CHARSET: {
    message: "L'IBAN contient un caractère non autorisé.",
    remedy: "Corriger l'IBAN. Le rapport indique le caractère.",
  },
  IBAN_LENGTH: {
    message: "L'IBAN est trop court ou trop long pour son pays.",
    remedy: 'Rechercher un zéro perdu ou une cellule tronquée.',
  },
  IBAN_STRUCTURE: {
    message: 'Lettres et chiffres sont mal placés pour ce pays.',
    remedy: "Vérifier s'il y a O au lieu de 0 et I au lieu de 1.",
  },
  IBAN_CHECK_RANGE: {
    message: 'Ces chiffres de contrôle ne peuvent jamais exister.',
    remedy: "L'IBAN a été inventé ou altéré. L'obtenir auprès du client.",
  },
  IBAN_CHECKSUM: {
    message: "L'IBAN comporte une faute de frappe.",
    remedy: "Le comparer avec le document d'origine.",
  },
  IBAN_QR: {
    message: "Il s'agit d'un QR-IBAN. Il ne fait que recevoir des paiements et ne peut pas être débité.",
    remedy: "Demander au client l'IBAN normal.",
  },
  IBAN_NON_EEA: {
    message: "Les prélèvements depuis ce pays exigent aussi l'adresse du débiteur (et en général le BIC).",
    remedy:
      "Enregistrer l'adresse dans la fiche du client, la ville et le pays dans des champs distincts : depuis le 15 novembre 2026, les banques refusent les adresses non structurées.",
  },
  IBAN_NEW_SEPA: {
    message:
      "Le pays a rejoint le SEPA récemment. Il se peut que sa banque n'accepte pas encore les prélèvements. L'adresse du débiteur est nécessaire.",
    remedy:
      "Interroger la banque avant le premier prélèvement. Enregistrer l'adresse, la ville et le pays dans des champs distincts : depuis le 15 novembre 2026, les banques refusent les adresses non structurées.",
  },
  IBAN_NATIONAL_CHECK: {
    message:
      'Le chiffre de contrôle national du compte est inhabituel. Cela peut être le cas de comptes anciens ou particuliers.',
    remedy: "Comparer avec le document d'origine ; sinon envoyer.",
  },
  IBAN_LIBRARY_DISAGREES: {
    message: 'Deux contrôles de cet IBAN se contredisent.',
    remedy: "Le signaler aux développeurs ; vérifier l'IBAN à la main.",
  },
  DATE_EMPTY: {
    message: "Il n'y a pas de date de signature.",
    remedy: "La relever sur le mandat. Ne jamais utiliser la date de l'export ou de la migration.",
  },
  DATE_AMBIGUOUS: {
    message: 'La date peut être lue de deux manières.',
    remedy: 'Déclarer le format de cette colonne.',
  },
  DATE_INVALID: {
    message: "Ce n'est pas une date au format déclaré.",
    remedy: 'Corriger la date, ou déclarer le bon format.',
  },
  DATE_FUTURE: {
    message: 'La date de signature est dans le futur.',
    remedy: 'Vérifier si le jour et le mois sont inversés.',
  },
  DATE_PRE_SEPA: {
    message:
      'Le mandat est antérieur au prélèvement SEPA, ou la date est une valeur de remplissage telle que 1970-01-01.',
    remedy:
      "Confirmer que c'est la date qui figure sur le papier. D'anciennes autorisations de prélèvement allemandes peuvent la conserver.",
  },
  DATE_LEGACY_DEFAULT: {
    message: "C'est la valeur de remplissage habituelle des anciens mandats néerlandais. Elle est légale.",
    remedy: "Fournir la date du dernier prélèvement, afin que l'on puisse juger si le mandat est caduc.",
  },
  DATE_TWO_DIGIT_YEAR: {
    message: 'Le siècle a été supposé.',
    remedy: 'Comparer quelques dates avec la source.',
  },
  DATE_UTC_SHIFT: {
    message:
      "La date ressemble à un minuit local enregistré en UTC. Elle précède peut-être d'un jour la vraie date.",
    remedy: 'Demander une date simple, sans heure.',
  },
  CI_EMPTY: {
    message: "L'identifiant créancier SEPA (ICS) de l'ancien créancier manque.",
    remedy: 'Remplir la colonne, ou configurer la constante.',
  },
  CI_FORMAT: {
    message: "La valeur n'a pas la forme d'un identifiant créancier SEPA (ICS).",
    remedy: "Le recopier d'un relevé de compte ou d'une ancienne notification préalable.",
  },
  CI_LOOKS_LIKE_IBAN: {
    message: "C'est un IBAN, pas un identifiant créancier SEPA (ICS).",
    remedy: 'Vérifier si deux colonnes sont inversées.',
  },
  CI_CHECKSUM: {
    message: 'Les chiffres de contrôle sont faux.',
    remedy: 'Rechercher une faute de frappe. Ne pas recalculer les chiffres de contrôle.',
  },
  CI_COUNTRY: {
    message: "Aucun identifiant créancier SEPA (ICS) n'est émis sous ce code pays.",
    remedy: 'Le recopier de nouveau depuis la source.',
  },
  CI_LENGTH: {
    message: 'La longueur est fausse pour ce pays. Souvent, un zéro de tête a été perdu.',
    remedy: "Le rétablir d'après un document. Ne pas compléter au jugé.",
  },
  CI_LENGTH_UNCONFIRMED: {
    message: 'La longueur est inhabituelle pour ce pays.',
    remedy: 'Comparer avec un relevé de compte.',
  },
  CI_LENGTH_UNKNOWN: {
    message: 'La longueur ne peut pas être contrôlée pour ce pays.',
    remedy: 'Comparer avec un relevé de compte.',
  },
  CI_NATIONAL_CHARS: {
    message: "L'ICS contient des caractères inhabituels.",
    remedy: 'Comparer avec un relevé de compte.',
  },
  CI_CONSTANT_MISMATCH: {
    message: 'La ligne désigne un autre créancier que celui qui est configuré.',
    remedy: 'Retirer la constante, ou diviser le fichier.',
  },
  CI_SAME_AS_NEW: {
    message:
      "L'ancien et le nouveau créancier sont le même. Les banques refusent un changement qui ne change rien.",
    remedy: "Vérifier que l'ancien ICS a été saisi, et non le nouveau.",
  },
  UMR_EMPTY: {
    message: "Il n'y a pas de référence unique de mandat (RUM).",
    remedy: "L'obtenir auprès de l'ancien créancier.",
  },
  UMR_CHARSET: {
    message: "La RUM contient un caractère que les banques n'acceptent pas.",
    remedy:
      "Demander à l'ancien créancier ce qui a réellement été envoyé à la banque. Ou corriger l'encodage de l'export.",
  },
  UMR_LENGTH: {
    message: 'La RUM compte plus de 35 caractères.',
    remedy: 'Vérifier si des colonnes ont été jointes.',
  },
  UMR_SLASH: {
    message: "Des barres obliques se trouvent à un endroit que les banques n'acceptent pas.",
    remedy: "Demander à l'ancien créancier ce qui a été envoyé à la banque.",
  },
  UMR_SPACE: {
    message: 'Certaines banques interdisent les espaces ou les fusionnent.',
    remedy: 'Comparer avec un ancien relevé de compte.',
  },
  UMR_PLACEHOLDER: {
    message: 'Cela ressemble à une valeur de remplissage, pas à une RUM.',
    remedy: 'Obtenir la vraie RUM.',
  },
  UMR_PRECISION: {
    message: 'Les derniers chiffres ont pu être perdus dans un tableur.',
    remedy: "Comparer avec le système d'origine.",
  },
  UMR_LOOKS_LIKE_DATE: {
    message: 'Un tableur a pu transformer la RUM en date.',
    remedy: "Comparer avec le système d'origine.",
  },
  UMR_APOSTROPHE: {
    message:
      "Cela peut être la marque de texte d'un tableur. C'est aussi un caractère autorisé ; il est donc conservé.",
    remedy: 'Comparer avec un ancien relevé de compte.',
  },
  LAST_COLLECTION_INVALID: {
    message: 'La date du dernier prélèvement ne peut pas être lue.',
    remedy: 'La corriger ou vider la cellule.',
  },
  LAST_COLLECTION_FUTURE: {
    message: "Le dernier prélèvement est dans le futur. Il n'est peut-être que prévu.",
    remedy: "Indiquer le dernier prélèvement qui a été présenté à la banque, même s'il est revenu impayé.",
  },
  LAST_COLLECTION_BEFORE_SIGNATURE: {
    message: "Le mandat a été utilisé avant d'être signé. L'une des dates est fausse.",
    remedy: 'Vérifier les deux dates.',
  },
  MANDATE_DORMANT: {
    message: "Aucun prélèvement n'a été présenté depuis plus de 36 mois : le mandat est caduc.",
    remedy:
      "Obtenir un nouveau mandat, sauf si un prélèvement ultérieur a été présenté : il compte même s'il est revenu impayé.",
  },
  MANDATE_DORMANT_SOON: {
    message: 'Le mandat deviendra bientôt caduc.',
    remedy:
      "Présenter le premier prélèvement au plus tard à la date indiquée ; il compte même s'il revient impayé.",
  },
  DORMANCY_UNKNOWN: {
    message: 'On ne peut pas dire si le mandat est caduc (non confirmé : avertir, ne jamais rejeter).',
    remedy: "Fournir la date du dernier prélèvement qui a été présenté, même s'il est revenu impayé.",
  },
  STATUS_NOT_ACTIVE: {
    message: "Le mandat n'est pas actif.",
    remedy: 'Ne pas migrer. Obtenir un nouveau mandat si nécessaire.',
  },
  STATUS_UNKNOWN: {
    message: "Personne n'a indiqué ce que signifie ce mot de statut.",
    remedy: TEACH,
  },
  SEQUENCE_ONE_OFF: {
    message: 'Mandat ponctuel : épuisé après un prélèvement.',
    remedy: 'Ne pas migrer.',
  },
  SEQUENCE_FINAL: {
    message: 'Le dernier prélèvement a déjà été effectué.',
    remedy: 'Ne pas migrer.',
  },
  SEQUENCE_UNKNOWN: {
    message: "Personne n'a indiqué ce que signifie ce mot de séquence.",
    remedy: TEACH,
  },
  SCHEME_B2B: {
    message:
      "Mandat interentreprises (B2B) : la banque du débiteur doit l'enregistrer à nouveau, et le service n'a pas de champ pour cela.",
    remedy: "Ne pas migrer. Convenir d'un mandat CORE.",
  },
  SCHEME_UNKNOWN: {
    message: "Personne n'a indiqué ce que signifie ce mot de type de prélèvement.",
    remedy: TEACH,
  },
  EXCLUDED_BY_CONFIGURATION: {
    message: 'La configuration exclut cette ligne.',
    remedy: 'Ne pas migrer, ou modifier la règle exclude.',
  },
  CORRECTION_UNREADABLE: {
    message: 'La ligne ne dit pas quelle ligne elle corrige.',
    remedy:
      'Reprendre la ligne dans corrections.csv ou refused.csv et laisser son migration_row tel quel ; vider la cellule pour un nouveau mandat.',
  },
  CORRECTION_TAKES_REFERENCE: {
    message: "La correction donne à cette ligne la RUM d'une autre ligne.",
    remedy:
      "Vérifier si une colonne a glissé d'une ligne et la corriger dans corrections.csv. Si c'est juste, écrire « send » dans migration_decision de sa ligne. Puis fournir de nouveau le fichier.",
  },
  CORRECTION_TAKES_ACCOUNT: {
    message: "La correction donne à cette ligne le compte d'un autre client.",
    remedy:
      "Vérifier si une colonne a glissé d'une ligne et la corriger dans corrections.csv. Si les deux partagent le compte, écrire « send » dans migration_decision de sa ligne. Puis fournir de nouveau le fichier.",
  },
  CONFLICT_MANDATE: {
    message: "Le même mandat figure avec des données différentes. Aucune des lignes n'est envoyée.",
    remedy:
      'Corriger la ligne fausse dans corrections.csv, ou écrire « send » dans migration_decision de celle qui est juste, et fournir de nouveau le fichier.',
  },
  MANDATE_RESEMBLES_SENT: {
    message:
      "Client, compte et date sont ceux d'un mandat qui a été envoyé, ou peut encore l'être, sous une autre RUM. Il peut s'agir de ce mandat avec une RUM corrigée.",
    remedy:
      "S'il s'agit du même mandat, ne pas l'envoyer : corriger la RUM auprès du service et classer cette ligne sans suite. S'il s'agit d'un second mandat de ce client, écrire « send » dans migration_decision de sa ligne dans corrections.csv et fournir de nouveau le fichier.",
  },
  DUPLICATE_MANDATE: {
    message: 'Le mandat est déjà dans le fichier. La première ligne est envoyée.',
    remedy: 'Rien à faire ; la ligne répétée peut être supprimée.',
  },
  CUSTOMER_MULTIPLE_MANDATES: {
    message: "Ce client reçoit plusieurs mandats. Il se peut que le service n'en garde qu'un.",
    remedy: 'Décider quel mandat compte. Vérifier le fichier de correspondance.',
  },
  MANDATE_NEAR_DUPLICATE: {
    message: "Deux RUM ne diffèrent que par des espaces ; les banques peuvent n'y voir qu'un seul mandat.",
    remedy: 'Vérifier quelle graphie la banque connaît.',
  },
  IBAN_SHARED: {
    message: 'Un compte paie pour plusieurs clients. Habituel pour des familles et plusieurs contrats.',
    remedy: 'Rien à faire.',
  },
  FILE_FORMAT: {
    message: "Le fichier n'est pas dans un format qui est lu.",
    remedy: "Fournir l'export au format CSV.",
  },
  FILE_ENCODING: {
    message: 'Le fichier ne peut pas être lu comme du texte.',
    remedy: "Déclarer l'encodage, ou exporter en UTF-8.",
  },
  FILE_DELIMITER: {
    message: "Le séparateur de colonnes n'est pas clair.",
    remedy: 'Déclarer le séparateur.',
  },
  FILE_HEADER_MISSING: {
    message: "Une colonne obligatoire n'a pas été trouvée.",
    remedy: 'Affecter la colonne par son nom dans la configuration.',
  },
  FILE_HEADER_DUPLICATE: {
    message: 'Un nom de colonne figure deux fois.',
    remedy: "Renommer l'une d'elles, ou affecter par position.",
  },
  FILE_HEADER_AMBIGUOUS: {
    message: 'On ne sait pas quelle colonne utiliser.',
    remedy: 'Affecter la colonne par son nom dans la configuration.',
  },
  FILE_RECORD_TOO_LONG: {
    message: "Un guillemet manque probablement ; le message donne la ligne où l'enregistrement commence.",
    remedy: 'Corriger le guillemet dans cette ligne.',
  },
  FILE_QUOTE_STRAY: {
    message:
      "Une cellule sur plusieurs lignes ressemble à des enregistrements qu'un guillemet égaré a joints.",
    remedy: 'Corriger les guillemets, ou déclarer la colonne sous source.multilineColumns.',
  },
  FILE_ROW_LEFT_OUT: {
    message: "Une ligne laissée de côté avant l'en-tête ou à la fin pourrait être un mandat.",
    remedy:
      "Corriger source.skipLines ou source.skipFooterLines ; ils comptent les lignes physiques, lignes vides comprises. Si la ligne n'est pas un mandat, la retirer de l'export, ou régler rules: { FILE_ROW_LEFT_OUT: warning }.",
  },
  FILE_COUNT_MISMATCH: {
    message: "Le fichier indique un autre nombre d'enregistrements que celui qui a été lu.",
    remedy:
      'Demander un export complet. Si le nombre compte autre chose, régler rules: { FILE_COUNT_MISMATCH: warning }.',
  },
  FILE_COLUMN_UNDECIDED: {
    message: "Une colonne semble indiquer quels mandats ne doivent pas être migrés, et rien ne l'utilise.",
    remedy:
      "Utiliser la colonne ou décider qu'elle ne compte pas, comme le dit le message ; « sepa-migrate init » ébauche une configuration.",
  },
  FILE_WORDS_UNKNOWN: {
    message: "Aucune valeur d'une colonne n'est comprise.",
    remedy:
      'Indiquer sous « words » dans la configuration ce que signifient ses valeurs, ou que la colonne contient autre chose, comme le dit le message.',
  },
  FILE_CONFIGURATION_FORGOTTEN: {
    message: "Des lignes de ce fichier ont été admises avec une configuration que cette commande n'a pas.",
    remedy:
      "Fournir la configuration avec laquelle l'export a été lu (--config), ou décider dans une autre de ce que le message nomme.",
  },
  FILE_CHANGED: {
    message: "Le fichier a changé pendant sa lecture. Rien n'en a été admis.",
    remedy: "S'assurer qu'aucun autre programme n'y écrit, et recommencer.",
  },
  ROW_MAY_BE_CUT: {
    message: 'Le fichier se termine dans cette ligne : sa dernière valeur est peut-être coupée.',
    remedy:
      'Exporter de nouveau. Si la ligne est complète, écrire « send » dans migration_decision de sa ligne dans corrections.csv et fournir ce fichier.',
  },
  ROW_FIELD_COUNT: {
    message: "La ligne n'a pas le bon nombre de colonnes.",
    remedy: "Rechercher un séparateur ou un saut de ligne qui n'est pas entre guillemets.",
  },
  FILE_MAY_BE_CUT: {
    message:
      "La dernière ligne n'a pas de fin de ligne : le fichier est peut-être coupé. Cette ligne n'est pas envoyée.",
    remedy: "Comparer le nombre de lignes avec l'export et regarder la dernière.",
  },
  FILE_EMPTY: {
    message: 'Le fichier ne contient aucun mandat.',
    remedy: "Vérifier l'export.",
  },
  FILE_ENCODING_ASSUMED: {
    message: "L'encodage a été supposé.",
    remedy: 'Regarder dans le rapport les noms avec trémas ou accents.',
  },
  FILE_MOJIBAKE: {
    message: 'Le texte a été mal décodé quelque part.',
    remedy: 'Exporter de nouveau avec le bon encodage.',
  },
  FILE_DATE_DOMINANT: {
    message: "Une date de signature domine. C'est probablement une valeur de remplissage.",
    remedy: 'Demander les vraies dates.',
  },
  FILE_UMR_EQUALS_CUSTOMER: {
    message: 'Les RUM ressemblent à des numéros de client.',
    remedy: 'Vérifier que ce sont bien celles que la banque connaît.',
  },
  FILE_DORMANCY_UNKNOWN: {
    message: 'On ne peut pas dire lesquels de ces mandats sont caducs.',
    remedy:
      "Affecter une colonne avec le dernier prélèvement qui a été présenté, même s'il est revenu impayé.",
  },
  FILE_CI_MIXED: {
    message: "Le fichier nomme plusieurs anciens créanciers. D'ordinaire il n'y en a qu'un.",
    remedy: 'Vérifier si des ICS sont altérés.',
  },
  FILE_CI_LENGTH: {
    message: 'Un ICS du Royaume-Uni a une longueur inhabituelle.',
    remedy: 'Le comparer avec un relevé de compte.',
  },
  FILE_TOTALS_LINE: {
    message:
      "La dernière ligne contient des totaux et aucun mandat. Elle a été laissée de côté et n'est pas comptée.",
    remedy: "Rien à faire, sauf si c'est un mandat.",
  },
  RESPONSE_ECHO_MISMATCH: {
    message:
      'La réponse désigne un autre client, un autre compte ou une autre date de signature que la requête.',
    remedy: "La ligne est incertaine et l'exécution s'est arrêtée. Demander au service ce qu'il a inscrit.",
  },
  RESPONSE_CI_UNCHANGED: {
    message: "L'ICS attribué désigne le même créancier que l'ancien.",
    remedy:
      "Il n'y a pas de changement de créancier ; la banque peut refuser la modification du mandat. Interroger le service.",
  },
  RESPONSE_UMR_UNCHANGED: {
    message: "La RUM attribuée est égale à l'ancienne.",
    remedy: 'Rien à faire.',
  },
  RESPONSE_CUSTOMER_TEXT: {
    message: 'La réponse a donné le numéro de client sous forme de texte.',
    remedy: 'Rien à faire ; les chiffres sont les mêmes.',
  },
  RESPONSE_IDENTIFIER_FORMAT: {
    message: "Un identifiant attribué n'a pas la forme habituelle. Il est gardé tel qu'il est venu.",
    remedy: "Interroger le service avant d'informer le client.",
  },
  RESPONSE_STATUS_WORD: {
    message: "La réponse était complète, mais son mot de statut n'était pas OK.",
    remedy: 'Comparer ce mandat avec le service.',
  },
}

const severities: Texts['severities'] = { error: 'erreur', warning: 'avertissement', off: 'désactivée' }

const decisionWords: Texts['decisionWords'] = {
  registered: 'inscrit',
  refused: 'refusé',
  resend: 'renvoyer',
  written_off: 'classé sans suite',
  retry_refused: 'renvoyer ce qui a été refusé',
  corrected: 'corrigé',
}

const verdictWords: Texts['verdictWords'] = {
  missing: 'absent',
  twice: 'en double',
  different: 'différent',
  unreadable: 'illisible',
  proven: 'prouvé',
}

const verdictTitles: Texts['verdictTitles'] = {
  missing: 'Absent : pas montré pour le client',
  twice: "En double : montré plus d'une fois",
  different: "Différent : montré avec d'autres données, ou terminé",
  unreadable: "Illisible : n'a pas pu être comparé",
  proven: 'Prouvé : montré exactement une fois',
}

const hints: Texts['hints'] = {
  probably_registered: 'probablement inscrit',
  may_exist: 'existe peut-être déjà',
}

const page: Texts['page'] = {
  title: 'Rapprochement de la migration des mandats SEPA',
  annex: 'Annexe : ce sur quoi repose la première page',
  footer:
    'Toutes les heures sont en UTC. Les numéros de compte sont montrés par le pays et les quatre derniers caractères. Établi à partir du seul journal : le même journal donne la même page.',
  asRecorded:
    "Les mots du service et des personnes, la raison pour laquelle une exécution s'est arrêtée et ce qui a été constaté sur une valeur isolée figurent tels qu'ils ont été consignés, de même que les paramètres.",
  printedLedger: (id, at) => `Journal ${id}, situation au ${at}`,
  printedPage: (number, pages) => `Page ${number} sur ${pages}`,
  firstShown: (shown, total) => `Les ${count(shown)} premiers éléments sur ${count(total)} sont montrés.`,
  allIn: (file) => `Le tout est dans ${file}.`,
}

const cover: Texts['cover'] = {
  noService: "aucun service pour l'instant",
  lead: (host, at) => `vers ${host}, situation au ${at}`,
  rehearsal: 'ESSAI À BLANC',
  onThisComputer: 'Tout a été envoyé à un service sur cet ordinateur.',
  declaredAsTest: (host) => `La configuration déclare que ${host} est un environnement de test.`,
  treatedAsActive: (names, more) =>
    `Aucune colonne de ${names}${more > 0 ? ` et de ${more} autres` : ''} n'indique quels mandats sont actifs : chaque mandat est traité comme actif.`,
  read: 'Enregistrements lus',
  registered: 'Inscrits',
  inDoubt: 'Incertains',
  refused: 'Refusés',
  notSent: 'Non envoyés',
  comeFrom: 'Les mandats inscrits viennent de',
  goTo: 'et vont à',
  others: (number) => `autres (${count(number)})`,
  nothingRun: "rien n'a été exécuté",
  runsBetween: (number, from, to) => `${plural(number, 'exécution', 'exécutions')}, du ${from} au ${to}`,
  runBy: 'Exécuté par',
  decidedBy: 'Décidé par',
  nobodyDecided: "aucune ligne n'a été résolue par une personne",
  decisionsBy: (name, number) => `${name} (${plural(number, 'décision', 'décisions')})`,
  forcedResends: (number) =>
    `${plural(number, 'nouvel envoi forcé', 'nouveaux envois forcés')} dans les 15 minutes suivant la tentative`,
  decisionsByOthers: (number) => `autres (${plural(number, 'décision', 'décisions')})`,
  plannedBy: 'Planifié par',
  approvedBy: 'Approuvé par',
  moreNames: (number) => plural(number, 'autre', 'autres'),
  signOff: 'Attestation et signatures',
  compared: (read, confirmed, ledger, at) =>
    html`J'ai comparé ${plural(read, 'enregistrement lu', 'enregistrements lus')} avec
    ${plural(confirmed, 'mandat inscrit', 'mandats inscrits')} et les points ouverts ci-dessus, pour le
    journal ${ledger}, situation au ${at}.`,
  signers: { prepared: 'Établi par', checked: 'Vérifié par', approved: 'Approuvé par' },
  nameAndFunction: 'Nom et fonction',
  dateAndSignature: 'Date et signature',
}

const metadata: Texts['metadata'] = {
  target: 'Cible',
  notBound: 'pas encore lié à un service',
  user: 'Utilisateur auprès du service',
  period: 'Période',
  span: (from, to) => `du ${from} au ${to}`,
  ledger: 'Journal',
  ledgerId: 'Identifiant du journal',
  accounts: 'Numéros de compte',
  accountsKept: 'conservés pour les lignes qui ne sont pas inscrites',
  accountsRemoved: (at) => `supprimés le ${at}`,
}

const verdict: Texts['verdict'] = {
  notBalanced: 'Les totaux de contrôle ne sont PAS équilibrés',
  nothingRead: "Équilibré : aucun enregistrement n'a encore été lu",
  nothingOpen: "Équilibré, rien n'est ouvert",
  open: (points) => `Équilibré, ${plural(points, 'point ouvert', 'points ouverts')}`,
  everyRecord: (records, number) =>
    `${plural(records, 'enregistrement lu', 'enregistrements lus')} dans ${plural(number, 'source', 'sources')} : chacun est dans un état et un seul.`,
  doNotSign:
    'La somme des états ne correspond pas aux enregistrements lus. Ne pas signer : garder le journal tel quel et le faire examiner.',
  stoppedEarly: (why) => `La dernière exécution s'est arrêtée prématurément : ${why}`,
  settingsChanged: 'paramètres modifiés',
  readDifferently: (number) =>
    `${plural(number, 'exécution a lu', 'exécutions ont lu')} des réponses ou des règles autrement que par défaut.`,
  runGoingOn: 'une exécution était en cours',
  changedMeanwhile:
    "Le journal a changé pendant l'écriture de ce rapport. Chaque ligne est comptée une fois, telle qu'elle a été rencontrée ; écrire de nouveau le rapport une fois l'exécution terminée.",
}

const openPoints: Texts['openPoints'] = {
  contradicted: (number) =>
    `${plural(number, 'mandat inscrit est absent, en double ou différent', 'mandats inscrits sont absents, en double ou différents')} auprès du service.`,
  inDoubt: (number) =>
    `${plural(number, 'mandat est incertain : inscrit ou non', 'mandats sont incertains : inscrits ou non')}, personne ne le sait encore.`,
  sending: (number) =>
    `${plural(number, "mandat était en cours d'envoi", "mandats étaient en cours d'envoi")} quand ce rapport a été écrit.`,
  refused: (number) => `${plural(number, 'mandat a été refusé', 'mandats ont été refusés')} par le service.`,
  ready: (number) =>
    `${plural(number, 'ligne est prête et pas encore inscrite', 'lignes sont prêtes et pas encore inscrites')} ; relancer une exécution pour continuer.`,
  invalid: (number) =>
    plural(
      number,
      'ligne est non valide et ne peut pas être envoyée telle quelle.',
      'lignes sont non valides et ne peuvent pas être envoyées telles quelles.',
    ),
  conflict: (number) =>
    `${plural(number, 'ligne contredit', 'lignes contredisent')} une autre ligne du même mandat.`,
}

const totals: Texts['totals'] = {
  title: 'Totaux de contrôle',
  state: 'État',
  rows: 'Lignes',
  share: 'Part',
  listedIn: 'Listé dans',
  sum: 'Somme de tous les états',
  read: 'Enregistrements lus, comptés par le lecteur des sources',
  difference: 'Différence',
  resubmitted: (lines) =>
    `${plural(lines, 'ligne a été fournie', 'lignes ont été fournies')} de nouveau à titre de correction. Une correction compte à la place de la ligne qu'elle corrige et n'ajoute donc rien aux enregistrements lus.`,
  notTaken: (number, file) =>
    `${plural(number, "d'entre elles n'a pas été prise en compte", "d'entre elles n'ont pas été prises en compte")}, parce que ce qui a été envoyé ou clos ne peut pas être remplacé par un fichier, ou parce que la ligne ne convient pas à celle qu'elle nomme : voir ${file} et problems.csv.`,
}

const chart: Texts['chart'] = {
  rowsByState: 'Lignes par état',
  nothingRead: "Aucun enregistrement n'a encore été lu.",
  nothingRegistered: "Rien n'a encore été inscrit.",
  registrationsPer: (span) => `Inscriptions par ${span}`,
  countPer: (number, span) => `${count(number)} par ${span}`,
  bars: (bars, span, from, to, highest) =>
    `${plural(bars, 'barre', 'barres')}, une par ${span}, du ${from} au ${to}, au plus ${count(highest)}`,
}

/** How many of how many, in agreement with each. */
const verdictCounts = (verification: Verification): string[] =>
  (['missing', 'twice', 'different', 'unreadable'] as const).flatMap((word) =>
    verification[word] === 0
      ? []
      : [plural(verification[word], verdictWords[word], VERDICTS_OF_SEVERAL[word])],
  )

const VERDICTS_OF_SEVERAL = {
  missing: 'absents',
  twice: 'en double',
  different: 'différents',
  unreadable: 'illisibles',
} as const

function verificationSummary(verification: Verification): string {
  const { registered: confirmed, proven, notAsked, firstAt, lastAt } = verification
  const between = firstAt === null ? '' : `, entre ${timeText(firstAt)} et ${timeText(lastAt)}`
  const parts = [
    `Prouvés auprès du service : ${count(proven)} sur ${plural(confirmed, 'mandat inscrit', 'mandats inscrits')}${between}`,
    verdictCounts(verification).join(', '),
    plural(notAsked, 'non interrogé', 'non interrogés'),
  ]
  return `${parts.filter((part) => part !== '').join(' ; ')}.`
}

const verification: Texts['verification'] = {
  notAsked: 'Relecture auprès du service : non demandée.',
  summary: verificationSummary,
  sample: (mandates) =>
    `La dernière interrogation portait sur un échantillon de ${plural(mandates, 'mandat', 'mandats')}, tiré au hasard.`,
  title: 'Preuve auprès du service',
  eachIn: (file) => html`Chaque ligne pour laquelle le service a été interrogé est dans ${file}.`,
  notAskedTitle: 'Non interrogés',
  row: 'Ligne',
  what: 'Constat',
  customer: 'Client, compte',
  assignedReference: 'RUM attribuée',
  seen: 'Ce qui a été vu',
}

const inDoubt: Texts['inDoubt'] = {
  title: 'Incertains',
  none: "Aucun mandat n'est incertain : l'issue de chaque requête est connue.",
  counted: (mandates) => `Incertains : ${plural(mandates, 'mandat', 'mandats')}`,
  lead: (file, command) =>
    html`Chacun de ces mandats existe peut-être auprès du service, peut-être pas. En renvoyer un pourrait
    débiter le client deux fois ; le programme ne le fait donc jamais. Rechercher chacun d'eux auprès du
    service, remplir les colonnes de décision de ${file} et lancer ${command}.`,
  proposals: (number, file, word) =>
    html`${plural(number, "d'entre eux a été relu comme absent", "d'entre eux ont été relus comme absents")}
    depuis assez longtemps : ${file} propose ${word} avec le justificatif, pour qu'une personne décide.`,
  alreadyThere: 'déjà auprès du service, non envoyé',
  noneAnswered: 'aucune',
  noAnswer: 'pas de réponse',
  row: (row, customer) => `Ligne ${row}, client ${customer}`,
  unknown: 'inconnu',
  openSince: (at) => `ouvert depuis le ${at}`,
  previousReference: 'Ancienne RUM',
  requestSent: 'Requête envoyée',
  notSent: 'non envoyée',
  previousCreditor: 'Ancien créancier',
  answer: 'Réponse',
  account: 'Compte, signé le',
  requestId: 'Id de requête',
  source: 'Source',
  record: (source, record) => `${source}, enregistrement ${record}`,
  attempts: 'Tentatives',
  asReceived: 'Réponse telle que reçue, masquée :',
  cut: 'la réponse entière est dans le journal',
}

const refused: Texts['refused'] = {
  title: 'Refusés',
  none: "Le service n'a refusé aucun mandat.",
  counted: (mandates) => `Refusés par le service : ${plural(mandates, 'mandat', 'mandats')}`,
  lead: (file, command) =>
    html`Rien n'a été inscrit pour ces lignes. Les corriger dans ${file} et fournir de nouveau le fichier avec
    ${command}.`,
  said: 'Ce que le service a dit',
  rows: 'Lignes',
  compared: 'Comparaison',
  decided: 'décidé',
  field: (field) => `champ ${field}`,
  noReason: "Aucune raison n'a été donnée",
  answersIn: (file) => `Chaque ligne a sa réponse dans ${file}.`,
}

const problems: Texts['problems'] = {
  title: 'Problèmes dans les sources',
  none: "Les contrôles n'ont trouvé aucun problème.",
  lead: (problemsFile, correctionsFile) =>
    html`Une erreur empêche l'envoi d'une ligne ; un avertissement non. Une ligne peut en avoir plusieurs.
    Chaque problème, avec sa place dans la source, est dans ${problemsFile} ; les lignes qui n'ont pas été
    envoyées peuvent être corrigées dans ${correctionsFile} et fournies de nouveau.`,
  severity: 'Gravité',
  rule: 'Règle et signification',
  count: 'Nombre',
  compared: 'Comparaison',
}

const registered: Texts['registered'] = {
  counted: (mandates) => `Inscrits : ${plural(mandates, 'mandat', 'mandats')}`,
  means: 'Ce que « inscrit » signifie.',
  meaning: (file) =>
    html`Le service a répondu qu'il a enregistré le mandat et lui a donné un nouvel identifiant créancier SEPA
    (ICS) et une nouvelle référence unique de mandat (RUM). ${file} contient l'ancien et le nouveau côte à
    côte.`,
  meansNot: 'Ce que cela ne signifie pas.',
  notFinal:
    "Ce n'est pas définitif. Un mandat n'a migré que lorsque son premier paiement est initié avec lui.",
  notProven:
    "Cela ne prouve ni le compte, ni la RUM, ni la date. Si l'un d'eux est faux, le premier prélèvement revient impayé (MD01, MD02, AC01, AC04, AM05, MD07), des jours ou des mois plus tard.",
  notCancelled:
    "Ce n'est pas une raison de résilier quoi que ce soit chez l'ancien créancier, et les anciens identifiants doivent être conservés définitivement.",
  notRestarted: 'Cela ne fait pas repartir les 36 mois au bout desquels un mandat inutilisé devient caduc.',
  notTold:
    'Chaque client doit apprendre le nouveau nom du créancier, le nouvel ICS et la nouvelle RUM avant le prochain prélèvement.',
  lapseFirst: 'Mandats inscrits qui deviennent caducs les premiers',
  earliest: (rows) =>
    `Le premier prélèvement doit avoir lieu au plus tard à cette date. Les plus proches (${rows}) de ceux pour lesquels elle peut être déterminée.`,
  firstDebitBy: 'Premier prélèvement au plus tard le',
  customer: 'Client',
  assignedReference: 'RUM attribuée',
  previousReference: 'Ancienne RUM',
}

const sources: Texts['sources'] = {
  title: 'Sources',
  source: 'Source',
  read: 'Lus',
  addsUp: 'Tombe juste',
  all: 'Toutes les sources',
  size: (bytes, records, blankLines, at) =>
    `${plural(bytes, 'octet', 'octets')}, ${plural(records, 'enregistrement', 'enregistrements')}, ${plural(blankLines, 'ligne vide', 'lignes vides')}, admis le ${at}`,
}

const plans: Texts['plans'] = {
  samePerson: 'même personne',
  approvedAlone: (number, name, link) =>
    html`${plural(number, 'plan a été établi et approuvé', 'plans ont été établis et approuvés')} par la même
    personne, en dernier lieu ${name} : personne d'autre n'a regardé ${link}.`,
  whatWasToBeSent: 'ce qui devait être envoyé',
  person: (name, user) => `${name} (utilisateur ${user})`,
  title: 'Plans et approbations',
  latest: (shown, total) => `Les ${shown} derniers sur ${count(total)}.`,
  underNone: (number, ids) =>
    `${plural(number, 'exécution a envoyé', 'exécutions ont envoyé')} des lignes sans plan : ${ids}.`,
  plan: 'Plan',
  planned: 'Planifié',
  rows: 'Lignes',
  approved: 'Approuvé',
  runs: 'Exécutions',
  notApproved: 'non approuvé',
  noRun: 'aucune',
  byTheSamePerson: 'la même personne',
  approval: (at, person, reason, until) => `${at}, ${person} : ${reason} ; jusqu'au ${until}`,
}

const runs: Texts['runs'] = {
  title: 'Exécutions',
  none: "Rien n'a encore été exécuté.",
  run: (id, at) => `Exécution ${id}, ${at}`,
  requests: (confirmed, turnedDown, uncertain, turnedAway, notSent) =>
    `Requêtes par issue : inscrit ${count(confirmed)}, refusé ${count(turnedDown)}, incertain ${count(uncertain)}, provisoirement repoussé ${count(turnedAway)}, non envoyé ${count(notSent)}`,
  withoutOutcome: (number) => `sans issue ${count(number)}`,
  answersChanged: 'réponses lues autrement',
  readAs: (status, outcome) => `${status} comme ${outcome}`,
  rulesChanged: 'règles modifiées',
  usually: (severity) => `par défaut ${severity}`,
  unknown: 'inconnu',
  startedBy: 'lancée par',
  version: 'version du programme',
  today: 'date du jour pour les règles de date',
  goingOn: 'En cours, ou terminée sans message.',
  killed: "Interrompue brutalement : elle s'est terminée sans message.",
  becameDoubtful: "Ce qu'elle avait en cours est devenu incertain.",
  ended: (at, exit) => `Terminée le ${at}, code de sortie ${exit}.`,
  onlyRows: (column, values) => `seulement les lignes avec ${column} : ${values}`,
  leftByChoice: (number) => `${plural(number, 'autre ligne reste prête', 'autres lignes restent prêtes')}.`,
  stopped: (why) => `Arrêtée prématurément : ${why}`,
  exit: (exit) => `code de sortie ${exit}`,
}

const decisions: Texts['decisions'] = {
  title: 'Décisions de personnes',
  none: "Aucune ligne n'a été résolue par une personne.",
  row: 'Ligne',
  decision: 'Décision',
  by: 'Par, le',
  reason: 'Raison et justificatif',
  corrected: 'Lignes corrigées',
  correctedLead: "Lignes rendues dont quelqu'un a changé des valeurs : avant et après, comptes masqués.",
  noReason: 'aucune raison donnée',
}

const hashTotals: Texts['hashTotals'] = {
  title: 'Totaux de hachage',
  customers: 'Clients différents',
  mandates: 'Mandats différents',
  accounts: 'Comptes différents',
  distinct: (number) => `${count(number)} parmi tous les mandats`,
  lead: "Ces totaux changent lorsqu'une ligne est perdue, doublée ou altérée. Ils ne dépendent pas de l'ordre des lignes.",
  over: 'Sur',
  rows: 'Lignes',
  total: 'Total',
  value: 'Valeur',
  allMandates: 'Tous les mandats',
  registered: 'Inscrits',
  sum: 'somme de customer_no',
  oldKeys: 'empreinte des anciennes clés',
  pairs: "empreinte de l'ancien et du nouveau",
  definitions:
    'Ancienne clé : les deux premiers caractères de original_creditor_identifier, "|", ses caractères à partir du huitième, "|", original_mandate_reference avec les lettres a à z en majuscules. Empreinte des anciennes clés : somme modulo 2^256 du SHA-256 de chaque ancienne clé (UTF-8, lu comme un nombre gros-boutiste), en 64 chiffres hexadécimaux. Empreinte de l\'ancien et du nouveau : la même chose sur l\'ancienne clé, un saut de ligne (LF), assigned_creditor_identifier, un saut de ligne (LF) et assigned_mandate_reference.',
  whereAll: (summary, manifest) =>
    html`Les totaux de chaque état sont dans ${summary} ; ceux des états s'additionnent pour donner ceux de
    toutes les lignes. ${manifest} contient la taille et le SHA-256 de chaque fichier de ce dossier et de
    chaque source.`,
}

const explanation: Texts['explanation'] = {
  inDoubtRemedy:
    'Rechercher le mandat auprès du service. Remplir ensuite les colonnes de décision et lancer « sepa-migrate resolve --from » avec ce fichier. Ne jamais le fournir de nouveau comme source.',
  refusedRemedy:
    'Corriger la valeur et fournir de nouveau ce fichier. Si la cause était du côté du service, relancer une exécution avec --retry-refused.',
  readyRemedy: "Relancer une exécution pour l'envoyer.",
  sending: "Une exécution envoie cette ligne, ou s'est terminée pendant qu'elle le faisait",
  sendingRemedy:
    "Si aucune exécution n'est en cours, en relancer une : la ligne devient incertaine et n'est pas envoyée.",
  registered: 'Inscrit',
  replaced: 'Remplacé par un fichier ultérieur',
  replacedBy: (row) => `Remplacé par la ligne ${row} d'un fichier ultérieur`,
  writtenOff: 'Classé sans suite par une personne',
  decided: (by, on, decision, reason) => `Décidé par ${by} le ${on} (${decision}) : ${reason}`,
  field: (field) => `champ ${field}`,
  theServiceSaid: (reason, words) => `${reason}. Le service a dit : ${words}`,
  notSentYet: 'Pas encore envoyé',
  toBeSentAgain: (why) => `À renvoyer. ${why}`,
  aPersonDecided: 'Une personne en a décidé ainsi',
  afterRefusal: (said) => `À renvoyer après avoir été refusé : ${said}`,
  notCarriedOut: (said) => `Pas encore inscrit, la dernière tentative n'a pas été menée à bien : ${said}`,
  itWasInDoubt: (how, at, request) => `Cette ligne a été incertaine : ${how} ${at} (id ${request})`,
  rowWasInDoubt: (row, how, at, request) =>
    `La ligne ${row} de ce mandat a été incertaine : ${how} ${at} (id ${request})`,
  mayHaveLeft: 'sa requête est peut-être partie le',
  left: 'sa requête est partie le',
  heldAlready: "le service le détenait déjà et rien n'a été envoyé le",
  mayBeApplied: (told) => `${told} et a pu être appliquée.`,
}

const reasons: Texts['reasons'] = {
  unsent: {
    refusedConnection: "Le service n'a pas accepté la connexion",
    unknownHost: "Le nom d'hôte du service n'est pas connu",
    notLookedUp: "Le nom d'hôte du service n'a pas pu être résolu",
    unreachable: "Le service n'est pas joignable d'ici",
    connectionLate: "La connexion n'a pas été établie à temps",
    noConnection: "Aucune connexion n'a été établie à temps",
    brokenOff: "L'exécution a été arrêtée prématurément avant le départ de la requête",
    proxyCredentials: "Le proxy a demandé des données d'authentification par un 407",
    proxyAnswered: (status) => `Le proxy a répondu ${status} au lieu d'ouvrir la voie vers le service`,
    notTrusted:
      "Aucune connexion de confiance n'a pu être établie, vérifier les certificats, le nom d'hôte et le port",
    notWellFormed: (problem) => `La requête n'était pas bien formée : ${problem}`,
    notSetUp: "La connexion n'a pas pu être établie",
  },
  broken: {
    notComplete: "Aucune réponse complète n'est arrivée à temps",
    noAnswer: "Aucune réponse n'est arrivée à temps",
    inTheMiddle: "La réponse s'est interrompue au milieu",
    tooLarge: 'La réponse était trop volumineuse pour être lue',
    brokenOff: "L'exécution a été arrêtée prématurément alors que la requête était en cours",
    connection: 'La connexion a été coupée avant que la réponse soit complète',
  },
  consequence: {
    mayExist: 'le mandat y existe peut-être déjà',
    refused: 'refusé',
    credentials: "données d'authentification ou autorisation rejetées, rien n'a été appliqué",
    later: 'pas maintenant, réessayer plus tard',
    redirect: "une redirection, qui n'est jamais suivie",
    unclear: 'cela ne dit pas si la requête a été appliquée',
  },
  held: {
    once: 'Le service détient déjà ce mandat',
    moreThanOnce: "Le service détient déjà ce mandat plus d'une fois",
    ended: 'Le service détient ce mandat comme résilié',
    otherDate: 'Le service détient un mandat ayant ce compte et une autre date',
    ambiguous:
      "Le service détient un mandat qui est celui-ci ou celui d'une autre ligne ayant le même compte et la même date",
  },
  compared: {
    lacking: 'à une source de paiement qui pourrait être ce mandat, il manque ce qui est comparé',
    unknownRow: "cette ligne n'est pas connue du journal",
  },
  source: {
    withReference: (id, reference) => `source de paiement ${id}, référence ${reference}`,
    alone: (id) => `source de paiement ${id}`,
  },
  unread: {
    broken: (how, code) => `${how} (${code})`,
    notWhole: (status, how, code) => `Le service a répondu ${status}, mais pas en entier : ${how} (${code})`,
    answeredSaying: (status, said) => `Le service a répondu ${status} (${said})`,
    answered: (status) => `Le service a répondu ${status}`,
    tooLarge: 'La liste des sources de paiement est plus volumineuse que ce qui est lu',
    notAList: (status, problem) =>
      `Le service a répondu ${status}, mais pas par une liste de sources de paiement (${problem})`,
    notComparable: (why) => `La liste des sources de paiement ne peut pas être comparée à ce mandat : ${why}`,
  },
  sentence: {
    nothingSent: (cause, code) => `${cause} (${code}) : rien n'a été envoyé`,
    mayBeApplied: (how, code) => `${how} (${code}) : le service a pu appliquer la requête`,
    cutProbablyApplied: (status, how, code) =>
      `Le service a répondu ${status}, mais la réponse n'est pas arrivée en entier (${how} (${code})) : la requête a probablement été appliquée`,
    cut: (status, how, code) =>
      `Le service a répondu ${status}, mais la réponse n'est pas arrivée en entier (${how} (${code}))`,
    answeredSaying: (status, said, consequence) =>
      `Le service a répondu ${status} (${said}) : ${consequence}`,
    answered: (status, consequence) => `Le service a répondu ${status} : ${consequence}`,
    complete: (status) => `Le service a répondu ${status} par une réponse complète`,
    nothingElse: (status) =>
      `Le service a répondu ${status} et rien de plus : la requête a probablement été appliquée`,
    notJson: (status) =>
      `Le service a répondu ${status} et quelque chose qui n'est pas du JSON : la requête a probablement été appliquée`,
    notUsable: (status, problem) =>
      `Le service a répondu ${status}, mais la réponse n'est pas exploitable (${problem}) : la requête a probablement été appliquée`,
    otherField: (status, field) =>
      `Le service a répondu ${status}, mais la valeur de ${field} n'est pas celle qui a été envoyée : les réponses sont peut-être décalées`,
    repeated: (reference, creditor) =>
      `Le service a répondu par la RUM « ${reference} » de « ${creditor} », qu'il avait déjà attribuée à une autre ligne`,
    heldBack: (what, shown) => `${what}, il n'a donc pas été envoyé : ${shown}`,
    askedFirst: (answer) =>
      `Le service a d'abord été interrogé sur ce qu'il détient ; la ligne n'a pas été envoyée. ${answer}`,
    interrupted:
      "L'exécution a été interrompue pendant que le service était interrogé ; la ligne n'a pas été envoyée",
    ended: "Le programme s'est terminé avant que la réponse soit consignée",
    endedWithAnswer: (file) =>
      `Le programme s'est terminé avant que la réponse soit consignée. La réponse se trouve dans le fichier « ${file} »`,
    olderCopy:
      'Une copie plus ancienne du journal a été remise en place : cette ligne a pu être envoyée depuis que cette copie a été faite',
    anotherLedger: 'Un autre de vos journaux a commencé à envoyer cette ligne',
    allInDoubt:
      'Personne ne sait ce qui a été envoyé avant la création de ce journal : cette ligne a pu être envoyée',
  },
  withoutId: 'sans identifiant',
  noError: "aucune erreur n'a été indiquée",
}

const seen: Texts['seen'] = {
  absent:
    "Le service ne montre aucune source de paiement pour ce client. Interroger le service : le mandat a pu être résilié, ou n'apparaît que plus tard.",
  times: (number) => `Le service montre ce mandat ${number} fois.`,
  moreThanOnce: "Le service montre ce mandat plus d'une fois.",
  cannotTell: 'On ne peut pas dire ici lesquelles peuvent être résiliées : les rechercher auprès du service.',
  mayBeCancelled: (own, others) => `${own} est celle de ce journal ; une personne peut résilier ${others}.`,
  withoutId: 'Celle qui est sans id',
  unreadable: (why) => `La comparaison n'a pas été possible, donc ce n'est pas prouvé : ${why}.`,
  noList: "aucune liste n'est venue",
  ended: (status) => `Le service montre ce mandat comme terminé (${status}).`,
  noStatus: 'sans statut',
  ambiguous: 'Une autre ligne de ce client a le même compte et la même date, et aucune RUM ne les distingue.',
  noneOfThem:
    'Le service montre des sources de paiement de ce client, et aucune avec le compte, la date et la RUM de ce mandat.',
  differs: (theirs, ours) => `Le service le montre avec ${theirs} ; le journal a ${ours}.`,
  accountAndDate: (account, date) => `compte ${account}, signé le ${date}`,
  unknown: 'inconnu',
}

const registeredColumns: Texts['columns']['registered'] = {
  customer_no: 'Numéro du client auprès du service.',
  iban_masked: 'Le compte : pays et quatre derniers caractères.',
  signed_date: 'Jour de la signature du mandat.',
  original_creditor_identifier: "Identifiant créancier SEPA (ICS) de l'ancien créancier.",
  original_mandate_reference: "Référence unique de mandat (RUM) chez l'ancien créancier.",
  assigned_creditor_identifier: 'Identifiant créancier SEPA (ICS) attribué par le service.',
  assigned_mandate_reference: 'Référence unique de mandat (RUM) attribuée par le service.',
  registered_at: 'Moment où le mandat a été inscrit, en UTC.',
  source: 'Le fichier dans lequel la ligne a été lue.',
  record: "Numéro de l'enregistrement dans ce fichier ; l'en-tête n'en est pas un.",
  attempts: "Nombre de tentatives d'envoi de la ligne.",
  latest_first_debit:
    'Jour auquel le premier prélèvement doit avoir eu lieu au plus tard, car le mandat devient alors caduc ; vide si ce jour ne peut pas être déterminé.',
}

const resultColumns: Texts['columns']['result'] = {
  migration_row:
    'Numéro de la ligne dans le journal, auquel une ligne corrigée est reconnue. À laisser tel quel.',
  migration_state: 'État de la ligne, tel que le programme le nomme.',
  migration_rule: 'Les règles qui donnent cet état à la ligne.',
  migration_status: 'Statut HTTP de la dernière réponse.',
  migration_message: 'Ce qui est arrivé à la ligne.',
  migration_remedy: "Ce qu'il faut faire.",
  migration_sent_at: 'Début de la dernière requête, en UTC.',
  migration_sent_ago: 'Temps écoulé entre ce début et le dernier changement du journal.',
  migration_resend_from:
    'À partir de quand la ligne peut être déclarée refusée ou être renvoyée, en UTC ; jusque-là, la requête peut encore arriver.',
  migration_request_id: 'Id de cette requête, pour interroger le service à son sujet.',
  migration_proposal: 'La décision que les justificatifs permettent. Elle ne décide rien.',
  migration_proposal_evidence: "Ce sur quoi repose la proposition, ou pourquoi il n'y en a pas.",
  migration_ledger: 'Marque du journal : une décision ne vaut que pour lui. À laisser telle quelle.',
  migration_attempt:
    "Numéro de la dernière tentative : une décision est refusée s'il y en a eu une autre depuis. À laisser tel quel.",
  migration_decision:
    "À remplir par une personne : registered, refused, resend ou written-off dans in-doubt.csv, written-off pour clore une ligne, send dans corrections.csv si la ligne est juste telle qu'elle est.",
  migration_reason: 'À remplir par une personne : comment on le sait.',
  migration_by:
    "À remplir par une personne : qui a décidé. Si la cellule est vide, l'utilisateur qui consigne la décision.",
  migration_assigned_creditor_identifier:
    "À remplir par une personne avec la décision registered : l'identifiant créancier SEPA (ICS) attribué par le service.",
  migration_assigned_mandate_reference:
    'À remplir par une personne avec la décision registered : la référence unique de mandat (RUM) attribuée par le service.',
}

const problemColumns: Texts['columns']['problems'] = {
  source: 'Le fichier dans lequel le problème a été trouvé.',
  record:
    "Numéro de l'enregistrement dans ce fichier ; l'en-tête n'en est pas un. Vide pour un fichier entier.",
  line: "Ligne physique du fichier où l'enregistrement commence. Vide pour un fichier entier.",
  column: "La colonne de l'export.",
  rule: "La règle qui n'est pas respectée.",
  severity: "error empêche l'envoi de la ligne, warning non.",
  value: 'La valeur trouvée, numéros de compte masqués.',
  message: 'Ce qui ne va pas.',
  remedy: "Ce qu'il faut faire.",
}

const decisionColumns: Texts['columns']['decisions'] = {
  id: 'Numéro de la décision.',
  row: 'Numéro de la ligne dans le journal.',
  attempt:
    "Numéro, dans le journal, de la tentative sur laquelle porte la décision ; vide s'il n'y en a pas eu.",
  time: 'Moment où elle a été consignée, en UTC.',
  by: 'Qui a décidé, sous le nom qui a été donné.',
  as: "Utilisateur du système d'exploitation qui l'a consignée.",
  decision: 'Ce qui a été décidé.',
  from: 'État de la ligne avant.',
  to: 'État de la ligne après.',
  reason: 'Comment on le savait, tel que cela a été donné.',
  evidence: 'Ce sur quoi elle repose.',
  hash: "SHA-256 de l'empreinte de la ligne précédente et des cellules de celle-ci : aucune ne peut changer, être déplacée ou disparaître sans que cela se remarque.",
}

const verificationColumns: Texts['columns']['verification'] = {
  migration_row: 'Numéro de la ligne dans le journal.',
  customer_no: 'Numéro du client auprès du service.',
  iban_masked: 'Le compte : pays et quatre derniers caractères.',
  assigned_mandate_reference: 'Référence unique de mandat (RUM) attribuée par le service.',
  assigned_creditor_identifier: 'Identifiant créancier SEPA (ICS) attribué par le service.',
  verification:
    'Ce que dit la dernière réponse : missing (absent), twice (en double), different (différent), unreadable (illisible) ou proven (prouvé).',
  verified_at: 'Moment où cette réponse est arrivée, en UTC.',
  payment_sources: 'Id des sources de paiement que le service montre, séparés par des espaces.',
  payment_source_statuses: 'Leurs statuts, dans le même ordre.',
  may_be_cancelled: "Id de celles qu'une personne peut résilier.",
  explanation: "Ce qui a été vu, et ce qu'une personne peut y faire.",
}

const columns: Texts['columns'] = {
  title: 'Les colonnes des fichiers',
  lead: "Les noms des colonnes, et les mots que le programme y écrit, sont en anglais dans toutes les langues, car des programmes les lisent. Dans les fichiers à corriger, les colonnes de l'export précèdent celles-ci.",
  column: 'Colonne',
  meaning: 'Signification',
  registered: registeredColumns,
  result: resultColumns,
  problems: problemColumns,
  decisions: decisionColumns,
  verification: verificationColumns,
}

const sheets: Texts['workbook']['sheets'] = {
  summary: 'Résumé',
  verification: 'Preuve',
  inDoubt: 'Incertains',
  refused: 'Refusés',
  corrections: 'À corriger',
  notSent: 'Non envoyés',
  registered: 'Inscrits',
  closed: 'Clos',
  problems: 'Problèmes',
  decisions: 'Décisions',
  sources: 'Sources',
  plans: 'Plans',
  runs: 'Exécutions',
  columns: 'Colonnes',
}

const headers: Texts['workbook']['headers'] = {
  row: 'Ligne',
  state: 'État',
  customer: 'Client',
  account: 'IBAN (masqué)',
  signed: 'Signé le',
  previousCreditor: 'Ancien créancier',
  previousReference: 'Ancienne RUM',
  assignedCreditor: 'ICS attribué',
  assignedReference: 'RUM attribuée',
  registeredAt: 'Inscrit le',
  firstDebitBy: 'Prélever au plus tard le',
  source: 'Source',
  record: 'Enregistrement',
  line: 'Ligne physique',
  lastRequest: 'Dernière requête',
  lastAttemptAt: 'Dernière tentative le',
  status: 'Statut HTTP',
  rule: 'Règle',
  message: 'Explication',
  remedy: 'Que faire',
  column: 'Colonne',
  severity: 'Gravité',
  value: 'Valeur',
  verification: 'Constat',
  verifiedAt: 'Réponse le',
  paymentSources: 'Sources de paiement',
  cancellable: 'Peut être résilié',
  seen: 'Ce qui a été vu',
  at: 'Le',
  by: 'Par',
  decision: 'Décision',
  reason: 'Raison',
  evidence: 'Justificatif',
  admittedAt: 'Admis le',
  bytes: 'Octets',
  read: 'Lus',
  resubmitted: 'Corrections',
  balanced: 'Tombe juste',
  run: 'Exécution',
  started: 'Début',
  ended: 'Fin',
  version: 'Version',
  asOf: 'Date du jour',
  zone: 'Fuseau horaire',
  registered: 'Inscrit',
  refused: 'Refusé',
  inDoubt: 'Incertain',
  turnedAway: 'Repoussé',
  notSent: 'Non envoyé',
  open: 'Sans issue',
  stoppedBy: 'Arrêtée par',
  exit: 'Code de sortie',
  settings: 'Paramètres',
  plan: 'Plan',
  plannedAt: 'Planifié le',
  plannedBy: 'Planifié par',
  rows: 'Lignes',
  approvedAt: 'Approuvé le',
  approvedBy: 'Approuvé par',
  expires: "Valable jusqu'au",
  asUser: 'Utilisateur système',
  samePerson: 'Même personne',
  runs: 'Exécutions',
  file: 'Fichier',
  meaning: 'Signification',
}

const workbook: Texts['workbook'] = {
  title: 'Migration des mandats SEPA : rapprochement',
  sheets,
  headers,
  notProven: 'Non prouvés auprès du service',
  proposals: (file, number) => `(${file} propose de renvoyer : ${count(number)})`,
  span: (first, last, total) => `lignes ${count(first)} à ${count(last)} sur ${count(total)}`,
  noneOf: (total) => `aucune sur ${count(total)}`,
  full: 'Un classeur ne peut pas en contenir davantage.',
  allInLedger: 'Toutes sont dans le journal, table des lignes.',
  plansTitle: 'Plans, une ligne par approbation',
  samePerson: 'OUI',
  otherPerson: 'non',
  user: 'Utilisateur',
  asOf: 'Situation du journal au',
  result: 'Résultat',
  balanced: 'Les totaux de contrôle sont équilibrés',
  notBalanced: 'LES TOTAUX DE CONTRÔLE NE SONT PAS ÉQUILIBRÉS',
  resubmitted: "Corrections, comptées à la place des lignes qu'elles corrigent",
  notTaken: 'Dont non prises en compte',
  distinct: 'Différents',
  count: 'Nombre',
  customers: 'Clients',
  mandates: 'Mandats',
  accounts: 'Comptes',
  sumOfAll: 'Somme des numéros de client, tous les mandats',
  oldKeysOfAll: 'Empreinte des anciennes clés, tous les mandats',
  sumOfRegistered: 'Somme des numéros de client, inscrits',
  oldKeysOfRegistered: 'Empreinte des anciennes clés, inscrits',
  pairsOfRegistered: "Empreinte de l'ancien et du nouveau, inscrits",
}

/** Settings whose own name says nothing to a person; the others stand as the configuration spells them. */
const settingNames: Readonly<Partial<Record<string, string>>> = {
  stopAtCanaryDoubt: "s'arrêter si la toute première ligne reste sans réponse",
  maxDurationMs: 'durée la plus longue en ms',
  timeoutMs: "délai d'une requête en ms",
  resultFile: 'écrit par ce programme',
}

const settings: Texts['settings'] = {
  name: (name) => settingNames[name] ?? name,
  yes: 'oui',
  no: 'non',
}

/** Everything that a reader of the report sees in French. */
export const fr: Texts = {
  tag: 'fr',
  count,
  share,
  duration,
  width,
  labelled: (name, value) => `${name} : ${value}`,
  addsUp: 'oui',
  doesNotAddUp: 'NON',
  states,
  rules,
  stillNotSent:
    "Sa gravité a été abaissée, mais il ne reste aucune valeur utilisable ; la ligne n'est donc pas envoyée.",
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
  stateMeanings: 'Ce que signifient les états',
  explanation,
  reasons,
  seen,
  columns,
  workbook,
  settings,
}
