import xterm from '@xterm/headless'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PROGRAM } from './program.js'

const ROWS = 24

export type TerminalSession = ReturnType<typeof openTerminal>

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** The built program under a pseudo-terminal (`script`, util-linux), its output drawn by a real terminal emulator. */
export function openTerminal(
  args: readonly string[],
  { cwd, columns, env = {} }: { cwd: string; columns: number; env?: Readonly<Record<string, string>> },
) {
  const command = [process.execPath, PROGRAM, ...args].map(quoted).join(' ')
  const shell = `stty cols ${columns} rows ${ROWS}; exec ${command}`
  const child = spawn('script', ['-q', '-e', '-c', shell, '/dev/null'], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', TZ: 'Europe/Berlin', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const size = { cols: columns, rows: ROWS, scrollback: 5_000 }
  const terminal = new xterm.Terminal({ ...size, allowProposedApi: true })
  let wakers: (() => void)[] = []
  const wake = (): void => {
    for (const waker of wakers.splice(0)) waker()
  }
  const parts: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => {
    parts.push(part)
    terminal.write(part, wake)
  })
  child.stdin.on('error', () => undefined)

  async function screen(): Promise<string[]> {
    await new Promise<void>((resolve) => terminal.write('', resolve))
    const { active } = terminal.buffer
    const lines = Array.from({ length: active.length }, (_, row) => {
      const line = active.getLine(row)
      return { text: line?.translateToString(true) ?? '', isContinued: line?.isWrapped ?? false }
    })
    const whole = lines.reduce<string[]>(
      (seen, { text, isContinued }) =>
        isContinued ? [...seen.slice(0, -1), `${seen.at(-1) ?? ''}${text}`] : [...seen, text],
      [],
    )
    return whole.slice(0, whole.findLastIndex((text) => text !== '') + 1)
  }

  const ended = once(child, 'close').then(([code]: unknown[]) => (typeof code === 'number' ? code : null))
  return {
    /** What a person sees now, top to bottom with what has scrolled away, without blank lines at the end. */
    screen,
    /** Every byte that the program has written so far. */
    raw: () => Buffer.concat(parts).toString(),
    /** Resolves once the screen shows this text. */
    shows: async (text: string): Promise<void> => {
      for (;;) {
        if ((await screen()).some((line) => line.includes(text))) return
        await new Promise<void>((resolve) => (wakers = [...wakers, resolve]))
      }
    },
    /** Types keys; `\r` is Enter, `\u0003` Ctrl-C. */
    type: (keys: string) => void child.stdin.write(keys),
    /** The exit status of the program. */
    ended,
  }
}
