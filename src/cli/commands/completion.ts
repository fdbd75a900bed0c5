import { UsageError } from '../../errors.js'
import type { Command, CommandLoaders, Context } from '../command.js'
import { EXITS } from '../settings/exit-statuses.js'
import { readSurface, type SurfaceCommand, type SurfaceFlag } from '../settings/surface.js'
import { emptyResult, type CommandResult } from '../terminal/result.js'

const PROGRAM = 'sepa-migrate'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const
const SHELLS = Object.keys(SCRIPTS)

/** @param commands all of them, this one included */
export const completionOf = (commands: CommandLoaders): Command => ({
  usage: 'completion <shell>',
  summary: 'print what makes bash, zsh or fish complete commands, flags and files',
  words: SHELLS,
  examples: [
    'source <(sepa-migrate completion bash)',
    'sepa-migrate completion zsh > ~/.sepa-migrate-completion; source ~/.sepa-migrate-completion',
    'sepa-migrate completion fish | source',
  ],
  options: [],
  usesNoLedger: true,
  epilogue: [
    'To keep it, write the first into ~/.bashrc, the second into ~/.zshrc (after compinit), the third into',
    '~/.config/fish/config.fish.',
  ],
  exits: EXITS.plain,
  json: [],
  run: (context) => complete(context, commands),
})

async function complete({ world, args }: Context, commands: CommandLoaders): Promise<CommandResult> {
  const [shell = ''] = args
  if (!isShell(shell))
    throw new UsageError(`There is no completion for "${shell}"`, `Name one of ${SHELLS.join(', ')}`)
  world.stdout.write(SCRIPTS[shell](await readSurface(commands)))
  return { ...emptyResult, isPrinted: true }
}

const isShell = (name: string): name is keyof typeof SCRIPTS => Object.hasOwn(SCRIPTS, name)

type Takes = 'files' | 'folders' | 'text'

const takenBy = ({ value }: Pick<SurfaceFlag, 'value'>): Takes =>
  value === 'file' ? 'files' : value === 'dir' ? 'folders' : 'text'

const takesFiles = ({ argument }: SurfaceCommand): boolean => argument?.includes('file') ?? false

const HELP: SurfaceFlag = {
  name: '--help',
  value: null,
  words: [],
  help: 'show the help',
  environment: null,
  configured: null,
  default: null,
}
const flagsOf = ({ flags }: SurfaceCommand): readonly SurfaceFlag[] => [...flags, HELP]

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Works with the bash 3.2 of macOS too, which has no `mapfile`. */
function bashScript(commands: readonly SurfaceCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ')
  return `# Completion of ${PROGRAM} for bash
_sepa_migrate() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} flags= words= takes= value= line
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words=${quoted(`${names} help --help --version`)}
  else
    case \${COMP_WORDS[1]} in
${commands.map(bashCase).join('\n')}
    esac
    case $value in
      words*) flags= takes= words=\${value#words } ;;
      ?*) flags= words= takes=$value ;;
      *) if [[ $current == -* ]]; then words=$flags takes=; fi ;;
    esac
  fi
  case $takes in
    files) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current"); compopt -o filenames 2>/dev/null ;;
    folders) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$current"); compopt -o filenames 2>/dev/null ;;
    *) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$words" -- "$current") ;;
  esac
  return 0
}
complete -F _sepa_migrate ${PROGRAM}
`
}

function bashCase(command: SurfaceCommand): string {
  const flags = flagsOf(command)
  const values = flags
    .filter(({ value }) => value !== null)
    .map((flag) => {
      const taken = flag.words.length > 0 ? `words ${flag.words.join(' ')}` : takenBy(flag)
      return `          ${flag.name}) value=${quoted(taken)} ;;`
    })
  return [
    `      ${command.name})`,
    `        flags=${quoted(flags.map(({ name }) => name).join(' '))}`,
    takesFiles(command) ? '        takes=files' : `        words=${quoted(command.words.join(' '))}`,
    ...(values.length === 0 ? [] : ['        case $previous in', ...values, '        esac']),
    '        ;;',
  ].join('\n')
}

function zshScript(commands: readonly SurfaceCommand[]): string {
  return `#compdef ${PROGRAM}
# Completion of ${PROGRAM} for zsh
_sepa_migrate() {
  local -a names
  names=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command names
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${commands.map(zshCase).join('\n')}
  esac
}
if [[ $funcstack[1] == _sepa_migrate ]]; then _sepa_migrate "$@"; else compdef _sepa_migrate ${PROGRAM}; fi
`
}

const zshText = (text: string): string => text.replaceAll(/[[\]:\\]/g, String.raw`\$&`)

function zshCase(command: SurfaceCommand): string {
  const specs = flagsOf(command).map(({ name, value, words, help }) => {
    const action =
      words.length > 0
        ? `(${words.join(' ')})`
        : { files: '_files', folders: '_files -/', text: ' ' }[takenBy({ value })]
    return quoted(`*${name}[${zshText(help)}]${value === null ? '' : `:${zshText(value)}:${action}`}`)
  })
  const rest = takesFiles(command) ? ["'*:file:_files'"] : []
  const first = command.words.length > 0 ? [quoted(`1:${command.name}:(${command.words.join(' ')})`)] : []
  return `    ${command.name})\n      _arguments ${[...specs, ...first, ...rest].join(' \\\n        ')}\n      ;;`
}

function fishScript(commands: readonly SurfaceCommand[]): string {
  const line = (condition: string, ...rest: string[]): string =>
    ['complete', '-c', PROGRAM, '-n', quoted(condition), ...rest].join(' ')
  const of = (command: SurfaceCommand): string[] => {
    const seen = `__fish_seen_subcommand_from ${command.name}`
    return [
      line('__fish_use_subcommand', '-f', '-a', command.name, '-d', fishText(command.summary)),
      ...(takesFiles(command) ? [] : [line(seen, '-f')]),
      ...(command.words.length === 0 ? [] : [line(seen, '-f', '-a', fishText(command.words.join(' ')))]),
      ...flagsOf(command).map((flag) =>
        line(seen, '-l', flag.name.slice(2), ...fishValue(flag), '-d', fishText(flag.help)),
      ),
    ]
  }
  return [
    `# Completion of ${PROGRAM} for fish`,
    `complete -c ${PROGRAM} -e`,
    ...commands.flatMap(of),
    '',
  ].join('\n')
}

function fishValue(flag: SurfaceFlag): string[] {
  if (flag.value === null) return []
  if (flag.words.length > 0) return ['-x', '-a', fishText(flag.words.join(' '))]
  return { files: ['-r', '-F'], folders: ['-x', '-a', "'(__fish_complete_directories)'"], text: ['-x'] }[
    takenBy(flag)
  ]
}

const fishText = (text: string): string => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`
