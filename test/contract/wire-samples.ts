import createOfferRequest from '../../samples/wire/create-offer.request.json' with { type: 'json' }
import createOfferResponse from '../../samples/wire/create-offer.response.json' with { type: 'json' }
import migrateMandateRequest from '../../samples/wire/migrate-mandate.request.json' with { type: 'json' }
import migrateMandateResponse from '../../samples/wire/migrate-mandate.response.json' with { type: 'json' }
import updateBillogramRequest from '../../samples/wire/update-billogram.request.json' with { type: 'json' }
import updateBillogramResponse from '../../samples/wire/update-billogram.response.json' with { type: 'json' }

/** The wire samples, typed by hand from the description of the service (src/contract/README.md). */
export const samples = {
  createOffer: { request: createOfferRequest, response: createOfferResponse },
  updateBillogram: { request: updateBillogramRequest, response: updateBillogramResponse },
  migrateMandate: { request: migrateMandateRequest, response: migrateMandateResponse },
}

export type Path = readonly (string | number)[]

/** Every place inside a JSON value, parents before children, the root left out. */
export function placesIn(value: unknown, path: Path = []): { path: Path; value: unknown }[] {
  const children: [string | number, unknown][] = Array.isArray(value)
    ? value.map((element, index) => [index, element])
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : []
  return children.flatMap(([name, child]) => {
    const childPath = [...path, name]
    return [{ path: childPath, value: child }, ...placesIn(child, childPath)]
  })
}

/** A copy of `root` with another value at `path`; `undefined` removes the field. */
export function replaced(root: unknown, path: Path, value: unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  if (Array.isArray(root))
    return root.map((element: unknown, index) => (index === name ? replaced(element, rest, value) : element))
  const object = root as Record<string, unknown>
  const changed = { ...object, [name]: replaced(object[name], rest, value) }
  return Object.fromEntries(Object.entries(changed).filter(([, field]) => field !== undefined))
}

/** The names of a path with list positions as `[]`, such as `items.[].title`. */
export const namesOf = (path: Path): string =>
  path.map((name) => (typeof name === 'number' ? '[]' : name)).join('.')
