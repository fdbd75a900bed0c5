import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** How the proxy treats a CONNECT. */
export type ProxyFault =
  /** Opens the tunnel. */
  | { readonly kind: 'none' }
  /** Answers CONNECT with this status instead of opening the tunnel. */
  | { readonly kind: 'refuse'; readonly status: number }
  /** Never answers CONNECT. */
  | { readonly kind: 'silence' }

/** A proxy that opens tunnels (CONNECT) on real sockets and misbehaves on request. */
export async function startFaultProxy(fault: ProxyFault = { kind: 'none' }) {
  /** The targets that were asked for, `host:port`. */
  const targets: string[] = []
  /** The value of every Proxy-Authorization header. */
  const authorizations: (string | null)[] = []
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    keep(client)
    client.once('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1')
      const target = /^CONNECT (\S+) /.exec(text)?.[1] ?? ''
      targets.push(target)
      authorizations.push(/^proxy-authorization: (.*)$/im.exec(text)?.[1] ?? null)
      if (fault.kind === 'silence') return
      if (fault.kind === 'refuse') {
        client.end(`HTTP/1.1 ${fault.status} Scripted\r\ncontent-length: 0\r\n\r\n`)
        return
      }
      const upstream = connect(Number(target.split(':').pop()), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n')
        client.pipe(upstream).pipe(client)
      })
      keep(upstream)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    authorizations,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
