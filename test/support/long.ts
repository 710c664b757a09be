import { describe, it } from '@jest/globals';

/** Whether this is `npm run test:long`, which also runs what takes too long for every commit. */
export const isLong = process.env['TEST_LONG'] === '1';

export const describeLong = isLong ? describe : skipped(() => describe.skip);
export const itLong = isLong ? it : skipped(() => it.skip);

/**
 * How many generated histories, seeds or rounds a spec runs. `GENERATED_HISTORIES` replaces the second.
 *
 * @param perCommit of `npm test`
 * @param all of `npm run test:long`
 */
export function histories(perCommit: number, all: number): number {
  const asked = process.env['GENERATED_HISTORIES'];
  return asked === undefined ? (isLong ? all : perCommit) : Number(asked);
}

/** Asked for with each use: this module stays loaded between specs, which have a `skip` each. */
function skipped<Skip extends object>(ofSpec: () => Skip): Skip {
  return new Proxy(() => {}, {
    apply: (_target, _this, given) => Reflect.apply(ofSpec() as never, undefined, given),
    get: (_target, property) => Reflect.get(ofSpec(), property) as unknown,
  }) as unknown as Skip;
}
