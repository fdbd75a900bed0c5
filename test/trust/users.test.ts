import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { userName } from '../../src/trust/users.js'
import { freshFolder } from '../support/folder.js'

describe('the name of a user', () => {
  it('is the one that passwd has, or the number', () => {
    const file = join(freshFolder(), 'passwd')
    writeFileSync(file, 'root:x:0:0::/root:/bin/sh\ngrace:x:1002:1002::/home/grace:/bin/sh\n')
    expect(userName(1002, file)).toBe('grace')
    expect(userName(1003, file)).toBe('number 1003')
    expect(userName(0, join(freshFolder(), 'nothing'))).toBe('number 0')
  })
})
