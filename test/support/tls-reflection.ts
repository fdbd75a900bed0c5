/**
 * @peculiar/x509 finds its parts through `Reflect.getMetadata`, which no engine has. These three functions are
 * all it calls; they must be there before it is imported.
 */
const metadata = new WeakMap<object, Map<unknown, unknown>>()
const read = (key: unknown, target: object): unknown => metadata.get(target)?.get(key)

Object.assign(Reflect, {
  getMetadata: read,
  getOwnMetadata: read,
  defineMetadata: (key: unknown, value: unknown, target: object): void => {
    metadata.set(target, (metadata.get(target) ?? new Map<unknown, unknown>()).set(key, value))
  },
})
